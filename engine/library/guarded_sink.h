// A program's sink, kept from throwing into the engine, as guarded_source.h does for sources.
//
// Ownership: owns the program's sink.
// Thread rule: as braid/sink.h.
#pragma once

#include <memory>
#include <string>

#include "braid/connector.h"
#include "braid/sink.h"
#include "engine/library/thrown_error.h"

namespace braid {

class GuardedSink final : public Sink {
 public:
  // REQUIRES: sink is not null.
  explicit GuardedSink(std::unique_ptr<Sink> sink);
  ~GuardedSink() override;

  std::string description() const override;
  std::string location() const override;
  bool takes_changes() const override;
  Status Open(const SinkContext& context) override;
  Status BeginBatch(int64_t batch_id) override;
  Status Write(int partition, const RowBatch& rows) override;
  Status PublishBatch(int64_t batch_id) override;
  Status Close() override;
  void Interrupt() override;

 private:
  std::unique_ptr<Sink> sink_;
  ThrownError thrown_;
};

// `factory` with its call and its sink guarded.
SinkFactory GuardSink(SinkFactory factory);

}  // namespace braid
