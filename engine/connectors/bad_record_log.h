// Tells of the first bad records of a source; the others are only counted (numBadRecords).
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace braid {

class BadRecordLog {
 public:
  // `last_words` stand behind the last record that is told of.
  BadRecordLog(std::function<void(const std::string&)> warn, std::string last_words)
      : warn_(std::move(warn)), last_words_(std::move(last_words)) {}

  // Whether there is room for another one: before a text is made for nothing.
  bool takes_more() const { return num_logged_ < kLoggedMax; }

  // REQUIRES: takes_more().
  void Log(const std::string& text) {
    ++num_logged_;
    warn_(takes_more() ? text : text + last_words_);
  }

 private:
  static constexpr int64_t kLoggedMax = 10;

  std::function<void(const std::string&)> warn_;
  std::string last_words_;
  int64_t num_logged_ = 0;
};

}  // namespace braid
