// Takes all rows and keeps none, as Flink's blackhole connector: to measure a query without its
// output.
//
// Thread rule: as sink.h.
#pragma once

#include <cstdint>
#include <string>

#include "braid/error.h"
#include "braid/sink.h"

namespace braid {

class BlackholeSink final : public Sink {
 public:
  std::string description() const override { return "BlackholeSink"; }
  bool takes_changes() const override { return true; }
  Status Open(const SinkContext& /*context*/) override { return {}; }
  Status BeginBatch(int64_t /*batch_id*/) override { return {}; }
  Status Write(int /*partition*/, const RowBatch& /*rows*/) override { return {}; }
  Status PublishBatch(int64_t /*batch_id*/) override { return {}; }
};

}  // namespace braid
