// A join whose steps are applied one by one. An operator is a subclass that says what each record
// looks for (Scan) and what then happens (Apply).
//
// A group of steps at a time: every record's candidates are found, the ON condition is evaluated
// over all of them, and the steps are applied over integers.
//
// Thread rule: one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/perrecord/per_record_join.h"

namespace braid {

class StepJoin : public PerRecordJoin {
 protected:
  // A stored row that a record may have to do with.
  struct Candidate {
    RowId row = kNoRow;
    int64_t time = 0;
    Verdict verdict = Verdict::kNo;
  };

  // What a row step looks for: partners on the other side, and the stored rows of its own side that
  // are the same row (retractions, primary keys).
  struct StepScans {
    bool partners = false;
    bool same = false;
    KeyScan partner;
    KeyScan own;
  };

  using PerRecordJoin::PerRecordJoin;

  // Fills scans[i] for the row steps among `steps`; `word` and `before` are filled in already. May
  // look for more than Apply uses: the clock is that before the first step. One call a group.
  virtual void Scan(std::span<const RecordStep> steps, std::span<StepScans> scans) = 0;

  // Applies steps, whose candidates are found. One call a group.
  virtual Status Apply(std::span<const RecordStep> steps, int32_t first_step) = 0;

  // The stored rows that the scan finds, in the order in which they came. The state finds them in
  // an order that differs before and after a restart; what follows must not.
  void FindInOrder(Side side, const KeyScan& scan, std::vector<FoundRow>* found);
  std::span<Candidate> Partners(size_t step_in_group);
  std::span<Candidate> Same(size_t step_in_group);
  // Whether a candidate is still there and passes; an error of its condition counts now.
  Result<bool> Joins(Side side, const Candidate& candidate);
  // The same for pairs that no Scan asked for: verdicts of `row` with the candidates.
  void Judge(Side side, RowId row, std::span<Candidate> candidates);

 private:
  Status Run(const RecordBlock& block) final;
  size_t Collect(std::span<const RecordStep> steps);
  void PrefetchScans(std::span<const RecordStep> steps);
  void FindCandidates(std::span<const RecordStep> steps);
  void ChoosePairs(std::span<const RecordStep> steps);
  void Decide();
  void SetVerdicts(std::span<const RowId> left, std::span<const RowId> right,
                   std::span<Candidate* const> pairs);
  void DecideSame(std::span<const RecordStep> steps);

  // The group that is worked on.
  struct Ranges {
    uint32_t partners = 0;
    uint32_t same = 0;
    uint32_t end = 0;
  };
  std::vector<StepScans> scans_;
  std::array<std::vector<uint64_t>, 2> scanned_words_;  // By the side that is scanned.
  std::vector<Ranges> ranges_;
  std::vector<FoundRow> found_;
  std::vector<Candidate> candidates_;
  std::vector<RowId> pair_left_;
  std::vector<RowId> pair_right_;
  std::vector<Candidate*> pairs_;
  std::vector<Verdict> verdicts_;
};

}  // namespace braid
