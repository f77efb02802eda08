// What a row of a changelog means. Queries whose result is final give insertions alone; a join
// without bounds also takes rows back.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "braid/export.h"

namespace braid {

enum class ChangeKind : uint8_t {
  kInsert,        // +I
  kUpdateBefore,  // -U: takes back the old row of an update.
  kUpdateAfter,   // +U: the new row of an update.
  kDelete,        // -D: takes back a row.
};

// Whether the row is added (+I, +U) rather than taken back (-U, -D).
constexpr bool IsAccumulation(ChangeKind kind) {
  return kind == ChangeKind::kInsert || kind == ChangeKind::kUpdateAfter;
}

BRAID_EXPORT const char* ChangeKindText(ChangeKind kind);  // "+I", "-U", "+U", "-D"
// Absent for any other text.
BRAID_EXPORT std::optional<ChangeKind> ParseChangeKind(std::string_view text);

}  // namespace braid
