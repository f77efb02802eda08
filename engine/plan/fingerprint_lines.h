// The lines of a fingerprint, looked up by their parts, and what is read from one: a table's
// column, a type, and a value as a person reads it.
//
// Thread rule: one thread for each object.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/data_type.h"
#include "engine/plan/fingerprint.h"

namespace braid {

inline constexpr std::string_view kColumnMark = " column ";
inline constexpr std::string_view kUnusedMark = " unused column ";
inline constexpr std::string_view kComputedMark = " computed column ";
inline constexpr std::string_view kStoredMark = " stored column ";

class FingerprintLines {
 public:
  explicit FingerprintLines(const std::string& text) : lines_(ParseFingerprint(text)) {}

  const FingerprintLine* Find(std::string_view part) const;  // Null if there is none.
  std::string ValueOf(const std::string& part) const;        // Likewise empty.
  std::vector<FingerprintLine>& all() { return lines_; }
  const std::vector<FingerprintLine>& all() const { return lines_; }

 private:
  std::vector<FingerprintLine> lines_;
};

// A column of a table, used or not. `line` lives as long as the lines.
struct TableColumn {
  std::string title;  // Which input of which join.
  std::string name;
  const FingerprintLine* line = nullptr;
  bool is_used = false;
};

// Of each input that is a table, by title.
std::map<std::string, std::vector<TableColumn>> TableColumns(const FingerprintLines& lines);
// Nothing for any other line.
std::optional<TableColumn> TableColumnOf(const FingerprintLine& line);

// What DataType::ToString has written.
std::optional<DataType> TypeOfText(const std::string& text);
// IsWidening of two such texts.
bool IsWideningText(const std::string& from, const std::string& to);
// IsNarrowing likewise.
bool IsNarrowingText(const std::string& from, const std::string& to);

// A value without what tells columns from other text: "{left.v} + 1" is "v + 1". One without
// columns is what it was before it was put into the line.
std::string PlainValue(const std::string& value);

}  // namespace braid
