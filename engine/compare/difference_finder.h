// Says of the rows that are in one result only why the other one lacks them.
//
// Thread rule: one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/compare/comparison.h"
#include "engine/compare/late_rows.h"
#include "engine/compare/result_rows.h"

namespace braid {

class DifferenceFinder {
 public:
  // Borrows all; one of each a mode, in the order of Index(Mode). `only`: row numbers.
  DifferenceFinder(std::array<const ResultRows*, 2> results, std::array<const LateRows*, 2> late,
                   const std::array<std::vector<int64_t>, 2>& only);

  // The rows of `mode` alone: counts by reason, and the first `num_rows` in full.
  OnlyRows Describe(size_t mode, int64_t num_rows) const;

 private:
  struct OnlyRow {
    int64_t row = 0;
    RowKind kind = RowKind::kMatched;
    std::array<std::optional<RowDigest>, 2> identity;  // Absent: not in the row, or not known.
    std::array<std::optional<RowDigest>, 2> keys;
    std::array<std::optional<EventTime>, 2> times;
  };
  // Where a row of a side occurs in the rows of a mode alone: indexes; -1 for nowhere.
  struct Occurrence {
    int64_t matched = -1;
    int64_t unmatched = -1;
  };
  using Occurrences = std::unordered_map<RowDigest, Occurrence, RowDigestHash>;

  OnlyRow Look(size_t mode, int64_t row) const;
  void AddOccurrences(size_t mode);
  DifferenceReason ReasonOf(size_t mode, const OnlyRow& row) const;
  std::optional<DifferenceReason> LateReason(size_t other, const OnlyRow& row) const;
  DifferenceReason ReasonOfUnmatched(size_t mode, const OnlyRow& row) const;
  DifferenceReason ReasonOfMatched(size_t mode, const OnlyRow& row) const;
  const OnlyRow* Counterpart(size_t mode, size_t side, const OnlyRow& row, bool matched) const;
  bool IsKeyLate(size_t mode, const OnlyRow& row) const;
  // Whether only one of the modes takes a pair with these times.
  bool IsOnBoundary(const OnlyRow& pair) const;

  std::array<const ResultRows*, 2> results_;
  std::array<const LateRows*, 2> late_;
  std::array<std::vector<OnlyRow>, 2> only_;
  std::array<std::array<Occurrences, 2>, 2> occurrences_;              // Mode, side.
  std::array<std::unordered_set<RowDigest, RowDigestHash>, 2> pairs_;  // Of matched rows.
};

}  // namespace braid
