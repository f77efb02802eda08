// Where rows go. A batch becomes visible as a whole by Publish, and a batch that is run again after
// a crash replaces what its first attempt left: a sink is idempotent by batch id.
//
// Life: Open; then for each batch BeginBatch, Write (maybe never), PublishBatch.
// Thread rule: Write may be called at the same time for different partitions; Interrupt from any
// thread; all else by one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "braid/error.h"
#include "braid/export.h"
#include "braid/row_batch.h"

namespace braid {

struct SinkContext {
  std::string query_id = {};    // Owner of what is written; survives restarts.
  std::string query_name = {};  // pipeline.name
  int num_partitions = 1;
  int64_t first_batch = 0;  // Batches before this one are committed and stay as they are.
  // So many of the last batches may be taken back, when a checkpoint is rolled back.
  int64_t retained_batches = 10;
  bool durable = false;  // There is a checkpoint; else nothing needs to survive a crash.
};

class BRAID_EXPORT Sink {
 public:
  virtual ~Sink() = default;

  virtual std::string description() const = 0;

  // The folder that is written, as an absolute normalised path; empty for sinks without one.
  virtual std::string location() const { return {}; }

  // Whether it can take rows back: kinds other than +I (RowBatch::change_kind). A query whose
  // result may take rows back refuses any other sink before it starts.
  virtual bool takes_changes() const { return false; }

  virtual Status Open(const SinkContext& context) = 0;
  virtual Status BeginBatch(int64_t batch_id) = 0;
  // `rows` has the sink table's columns in order.
  virtual Status Write(int partition, const RowBatch& rows) = 0;
  // Makes the batch visible, durable if the context says so. May be repeated after a crash.
  virtual Status PublishBatch(int64_t batch_id) = 0;
  virtual Status Close() { return {}; }

  // Makes a call that waits for somebody else fail soon with kCancelled.
  virtual void Interrupt() {}
};

}  // namespace braid
