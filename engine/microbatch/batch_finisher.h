// Takes the steps of BatchOutput: writes to the store and calls the sinks, the sources and whoever
// listens to progress.
//
// Ownership: borrows all, but the store, which it shares.
// Thread rule: one thread at a time, the query's own: the program's functions are called on it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "braid/progress.h"
#include "braid/source.h"
#include "engine/microbatch/batch_output.h"
#include "engine/microbatch/output_sinks.h"
#include "state/versioned_store.h"

namespace braid {

class BatchFinisher final : public BatchOutput {
 public:
  // Not `durable`: the store is told nothing.
  BatchFinisher(OutputSinks* sinks, std::shared_ptr<VersionedStore> store, bool durable)
      : sinks_(sinks), store_(std::move(store)), durable_(durable) {}

  // In the order of BatchCommit::source_ends.
  void SetSources(std::vector<Source*> sources) { sources_ = std::move(sources); }
  void SetProgressListener(std::function<void(const BatchProgress&)> listener) {
    listener_ = std::move(listener);
  }
  bool has_listener() const { return listener_ != nullptr; }

  // The newest batch that is committed; absent before the first.
  std::optional<int64_t> last_batch() const { return last_batch_; }
  void SetLastBatch(int64_t batch) { last_batch_ = batch; }

  Status Begin(const BatchPlan& plan, bool is_logged) override;
  Status Publish(int64_t batch_id) override;
  Status Commit(JoinedBatch batch) override;

 private:
  void Report(JoinedBatch* batch, int64_t commit_micros) const;

  OutputSinks* sinks_;
  std::shared_ptr<VersionedStore> store_;
  bool durable_;
  std::vector<Source*> sources_;
  std::function<void(const BatchProgress&)> listener_;
  std::optional<int64_t> last_batch_;
  // Of the running batch.
  int64_t planning_micros_ = 0;
  int64_t publishing_micros_ = 0;
};

}  // namespace braid
