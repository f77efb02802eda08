// A program's source, kept from throwing into the engine: each call that throws gives kProgram. A
// call that can give no error back gives a neutral answer, and the next one that can fails.
//
// Ownership: owns the program's source.
// Thread rule: as braid/source.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "braid/connector.h"
#include "braid/source.h"
#include "engine/library/thrown_error.h"

namespace braid {

class GuardedSource final : public Source {
 public:
  // REQUIRES: source is not null.
  GuardedSource(std::string table, std::unique_ptr<Source> source);
  ~GuardedSource() override;

  TriggerLimits trigger_limits() const override;
  std::string location() const override;
  std::string bad_records_location() const override;
  void KeepIn(const std::string& directory) override;
  std::string description() const override;
  bool is_finite() const override;
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
  const std::string what_;  // "the source of clicks"
  std::unique_ptr<Source> source_;
  ThrownError thrown_;
};

// `factory` with its calls and its source guarded.
SourceFactory GuardSource(SourceFactory factory);

}  // namespace braid
