// The join without bounds (SEMANTICS 3d): a changelog in, a changelog out. State is unbounded
// unless it has a time to live. A row is kept by its fingerprint (or, with a time to live, by the
// clock at its arrival), so that a retraction finds its row among many of one key.
//
// Of a side whose rows wait for a partner (outer, or left of SEMI and ANTI) the number of partners
// of each row is kept: its degree.
//
// Thread rule: one thread at a time.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/perrecord/step_join.h"

namespace braid {

class RegularJoin final : public StepJoin {
 public:
  RegularJoin(const JoinPlan& plan, const PerRecordOptions& options);

  int64_t memory_bytes() const override;

 private:
  void Scan(std::span<const RecordStep> steps, std::span<StepScans> scans) override;
  Status Apply(std::span<const RecordStep> steps, int32_t first_step) override;
  void TakeOperatorDeltas(std::array<SideDelta, 2>* deltas) override;
  Status RestoreOperator(VersionedStore* store, int64_t version) override;
  Result<Column> TimesOf(Side side, const RecordBlock& block) override;
  Column RestoredTimes(Side side, const StateRows& run) const override;
  Column FingerprintsOf(Side side, std::span<const Column> payload, int64_t num_rows) const;

  Status ApplyRow(const RecordStep& step, size_t step_in_group, int32_t step_number);
  Status TakePartners(const RecordStep& step, size_t step_in_group);
  void Accumulate(const RecordStep& step, int32_t step_number);
  void Retract(const RecordStep& step, int32_t step_number);
  void AccumulateSemi(const RecordStep& step, int32_t step_number);
  void RetractSemi(const RecordStep& step, int32_t step_number);
  void AddRow(const RecordStep& step, size_t step_in_group);
  void RemoveStored(const RecordStep& step, size_t step_in_group);
  void Forget(Side side, RowId row);
  void ExpireRows(int64_t now);
  void ReportRest();

  bool has_primary_key(Side side) const {
    return !plan_.per_record->primary_key[Index(side)].empty();
  }
  bool tracks(Side side) const {
    return plan_.tracks_matches(side) || (is_semi() && side == Side::kLeft);
  }
  int64_t Degree(Side side, RowId row) const;
  void AddDegree(Side side, RowId row, int64_t change);
  void ForgetDegree(Side side, RowId row);

  std::array<boost::unordered_flat_map<PersistentId, int64_t>, 2> degrees_;
  std::array<std::vector<PersistentId>, 2> changed_;  // May repeat.
  std::vector<RowId> partners_;                       // Of the record that is applied.
  std::vector<FoundRow> found_;
};

}  // namespace braid
