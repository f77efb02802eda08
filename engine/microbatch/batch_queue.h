// Lets the joins of batches run ahead of their output. One thread joins batch after batch and puts
// what it would do with the output in line; another one does it, in the same order. So what others
// see of a batch happens exactly as if nothing ran ahead: a batch that was joined too early for a
// crash to find its plan has left no trace but in memory.
//
// Bounds: kBatchesMax batches between the beginning of their join and the end of their commit, and
// about kBytesMax bytes of rows that wait; who joins waits until there is room.
// Thread rule: Begin, Publish, Commit and Close on the joining thread; Write on any of its
// partitions' threads; Drain on the other one.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "braid/row_batch.h"
#include "braid/sink.h"
#include "engine/microbatch/activity_recorder.h"
#include "engine/microbatch/batch_output.h"
#include "engine/microbatch/partition_pool.h"

namespace braid {

class BatchQueue final : public BatchOutput {
 public:
  // Rows of one partition for one sink (borrowed).
  struct Rows {
    Sink* sink = nullptr;
    int partition = 0;
    RowBatch rows;
  };

  // `writers`: writes to a sink's partitions at the same time; for Drain. `activity` is told what
  // Drain does, and when who joins has to wait. Both are borrowed.
  BatchQueue(PartitionPool* writers, ActivityRecorder* activity)
      : writers_(writers), activity_(activity) {}

  // kCancelled once Drain has failed, or after Abandon.
  Status Begin(const BatchPlan& plan, bool is_logged) override;
  Status Write(Rows rows);
  Status Publish(int64_t batch_id) override;
  Status Commit(JoinedBatch batch) override;
  // Nothing more comes until Open.
  void Close();
  // From any thread: what waits in line is forgotten, and whoever puts more in line fails with
  // kCancelled. Steps that Drain has taken are done.
  void Abandon();

  void Open();
  // Does everything that is put in line until Close, or until `output` or a sink fails.
  Status Drain(BatchOutput* output);

 private:
  // A batch that is committed and the one that follows it at once, which evicts, and the next one:
  // so rows are joined while those of the batch before are written to disk.
  static constexpr int kBatchesMax = 3;
  static constexpr int64_t kBytesMax = 8 << 20;

  struct BeginStep {
    BatchPlan plan;
    bool is_logged = false;
  };
  struct PublishStep {
    int64_t batch_id = 0;
  };
  using Step = std::variant<BeginStep, Rows, PublishStep, JoinedBatch>;

  Status Put(Step step, int64_t num_bytes);
  Status Take(std::vector<Step> steps, BatchOutput* output);
  Status WriteAll(std::vector<Rows>* rows);
  void NoteCommitted();

  PartitionPool* const writers_;
  ActivityRecorder* const activity_;
  int64_t running_batch_ = 0;  // Of Drain: the batch whose steps it takes.
  std::mutex mutex_;
  std::condition_variable has_room_;
  std::condition_variable has_steps_;
  std::vector<Step> steps_;  // Guarded by mutex_, as all below.
  int64_t num_bytes_ = 0;
  int num_batches_ = 0;
  bool closed_ = false;
  bool abandoned_ = false;
};

// Puts the rows for a sink in line. Only Write is for the joins to call.
class QueuedSink final : public Sink {
 public:
  // Borrows both.
  QueuedSink(Sink* sink, BatchQueue* queue) : sink_(sink), queue_(queue) {}

  std::string description() const override { return sink_->description(); }
  std::string location() const override { return sink_->location(); }
  bool takes_changes() const override { return sink_->takes_changes(); }
  Status Open(const SinkContext& /*context*/) override { return {}; }
  Status BeginBatch(int64_t /*batch_id*/) override { return {}; }
  Status Write(int partition, const RowBatch& rows) override {
    return queue_->Write({sink_, partition, rows});
  }
  Status PublishBatch(int64_t /*batch_id*/) override { return {}; }

 private:
  Sink* sink_;
  BatchQueue* queue_;
};

}  // namespace braid
