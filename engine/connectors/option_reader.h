// Reads the options of one table (or of any other thing) by name and type, and remembers which
// names are known. Reading never fails at once: the first error is kept and Finish reports it, so
// that a connector reads all its options in a row and checks once.
//
//   OptionReader reader(table.options, "table clicks", table.place);
//   config.path = reader.RequiredText("path");
//   config.block_bytes = reader.Size("source.block-bytes", 65'536);
//   reader.AcceptWithoutEffect("sink.rolling-policy.*");
//   if (Status status = reader.Finish(&notes); !status) return tl::unexpected(status.error());
//
// Errors are kInvalidOption with the place of the option. An option that nobody asked for is
// refused with the nearest name that somebody asked for, or with all such names if none is near.
// Thread rule: one thread at a time. Borrows the options.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/error.h"
#include "braid/option.h"
#include "braid/time.h"

namespace braid {

// What an error about an option begins with: "table clicks: "; nothing for a flag of the command
// line, whose place names it already.
std::string SubjectAt(const Place& place, std::string_view subject);

class OptionReader {
 public:
  // `subject` stands at the front of every message: "table clicks".
  OptionReader(const Options& options, std::string subject, Place place);

  // From now on `alias` is another spelling of `name`; both at once is an error.
  // REQUIRES: called before `name` is read.
  void Alias(std::string_view alias, std::string_view name);

  // True if the option was given, by its name or an alias. Makes the name known.
  bool Has(std::string_view name);

  // Where it was written; the place of the whole when it was not given.
  Place PlaceOf(std::string_view name) const;

  std::optional<std::string> OptionalText(std::string_view name);
  std::string Text(std::string_view name, std::string_view otherwise);
  // Not given is an error, and so is an empty value.
  std::string RequiredText(std::string_view name);

  // true or false, in any case.
  bool Boolean(std::string_view name, bool otherwise);

  int64_t Integer(std::string_view name, int64_t otherwise,
                  int64_t minimum = std::numeric_limits<int64_t>::min(),
                  int64_t maximum = std::numeric_limits<int64_t>::max());

  // Bytes, as ParseSize reads them; at least `minimum`.
  int64_t Size(std::string_view name, int64_t otherwise, int64_t minimum = 1);

  // As ParseDuration reads it; more than zero.
  std::optional<Interval> OptionalDuration(std::string_view name);
  Interval Duration(std::string_view name, Interval otherwise);

  // One of a few words, in any case: reader.Choice("mode", kFail, {{"fail", kFail}, …}).
  template <typename T>
  T Choice(std::string_view name, T otherwise,
           const std::vector<std::pair<std::string_view, T>>& choices) {
    std::vector<std::string_view> words;
    for (const auto& choice : choices) words.push_back(choice.first);
    const std::optional<size_t> index = ChoiceIndex(name, words);
    return index ? choices[*index].second : otherwise;
  }

  // Makes a name known that means something in another use of the same table.
  void AcceptElsewhere(std::string_view name);

  // Accepts a name, or with a '*' at its end all names that begin so, that changes nothing here.
  // Those given are listed in one note by Finish.
  void AcceptWithoutEffect(std::string_view pattern);

  // Keeps an error about an option, unless an earlier one is kept.
  void Refuse(std::string_view name, std::string message);

  // An unknown option, else the first error, else success. `notes` may be null.
  Status Finish(std::vector<std::string>* notes);

 private:
  const std::pair<const std::string, Option>* Find(std::string_view name);
  std::optional<size_t> ChoiceIndex(std::string_view name,
                                    const std::vector<std::string_view>& words);
  bool IsKnown(const std::string& name) const;
  std::string Quote(std::string_view name) const;
  // What follows "unknown option 'NAME'": the nearest known name, or all of them if none is near.
  std::string Suggestion(const std::string& name) const;

  const Options& options_;
  std::string subject_;
  Place place_;
  std::set<std::string, std::less<>> known_;
  std::map<std::string, std::string, std::less<>> name_of_alias_;
  std::vector<std::string> without_effect_;
  std::optional<Error> first_error_;
};

// Bytes as Flink writes them: '512', '64 kb', '1 mb', '2 gb'; 1 kb = 1024 bytes. Nothing if `text`
// is no such size.
std::optional<int64_t> ParseSize(std::string_view text);

// A length of time as Flink writes it: '10 s', '1 min', '500 ms', '2 h', '1 d', '50 us'; a number
// alone counts milliseconds. Nothing if `text` is no such length.
std::optional<Interval> ParseDuration(std::string_view text);

}  // namespace braid
