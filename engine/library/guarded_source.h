// A program's source, kept from throwing into the engine: each call that throws gives kProgram. A
// call that can give no error back gives a neutral answer, and the next one that can fails. What
// its slices hold is checked before the engine reads it.
//
// Ownership: owns the program's source.
// Thread rule: as braid/source.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/connector.h"
#include "braid/source.h"
#include "engine/library/thrown_error.h"

namespace braid {

class GuardedSource final : public Source {
 public:
  // `read_columns` of `table` are what the slices must hold. REQUIRES: source is not null.
  GuardedSource(const TableDescription& table, const std::vector<int>& read_columns,
                std::unique_ptr<Source> source);
  ~GuardedSource() override;

  TriggerLimits trigger_limits() const override;
  std::string location() const override;
  std::string bad_records_location() const override;
  void KeepIn(const std::string& directory) override;
  std::string description() const override;
  bool is_finite() const override;
  bool gives_changes() const override;
  bool can_replay() const override;
  Status Open(const std::string& start) override;
  Status StopAtLatest() override;
  Result<SourceNext> Next(const SliceLimits& limits) override;
  Status Replay(const std::string& start, const std::string& end, const std::string& replay,
                const std::function<Status(SourceSlice)>& consumer) override;
  Status Commit(const std::string& end) override;
  void Interrupt() override;
  std::string latest_offset() const override;
  std::optional<int64_t> backlog_bytes() const override;

 private:
  // What the engine may take; kProgram if it is not what was asked for.
  Result<SourceSlice> Checked(SourceSlice slice) const;
  Status CheckColumn(int index, const RowBatch& rows) const;
  // A source that has not said gives_changes gives insertions.
  Status CheckKinds(const RowBatch& rows) const;

  const std::string what_;  // "the source of clicks"
  std::shared_ptr<const Schema> schema_;
  std::vector<uint8_t> not_null_;  // One byte a column.
  std::unique_ptr<Source> source_;
  ThrownError thrown_;
};

// `factory` with its calls and its source guarded.
SourceFactory GuardSource(SourceFactory factory);

}  // namespace braid
