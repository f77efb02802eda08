// Tables in memory: for tests of a whole query, ours and a user's. A MemoryStream is what a test
// pushes rows into, a MemoryResult what it finds the output in; both outlive the query and may be
// used again after a restart. MemoryConnector hands them to the query by table name.
//
//   auto clicks = std::make_shared<MemoryStream>(schema, MemoryStream::Kind::kFinite);
//   auto output = std::make_shared<MemoryResult>();
//   auto memory = std::make_shared<MemoryConnector>();
//   memory->AddStream("clicks", clicks);
//   memory->AddResult("joined", output);
//   registry.Add("memory", memory);                      // 'connector' = 'memory'
//
// Offsets: {"batch":n,"row":m}: the first n pushed batches and m rows of the next one were given.
// All rows are kept for the life of the stream, so that any range can be replayed.
// Thread rule: MemoryStream and MemoryResult may be used by any number of threads; sources and
// sinks follow source.h and sink.h.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/row_batch.h"
#include "engine/connectors/connector.h"
#include "engine/connectors/sink.h"
#include "engine/connectors/source.h"

namespace braid {

class MemoryStream {
 public:
  enum class Kind : uint8_t {
    kFinite,    // Ends once End was called and all was read.
    kInfinite,  // Never ends.
  };

  MemoryStream(Schema schema, Kind kind);

  const Schema& schema() const { return *schema_; }
  bool is_finite() const { return kind_ == Kind::kFinite; }

  // REQUIRES: the columns have the stream's types; End was not called.
  void Push(RowBatch rows);

  // No more rows will come.
  void End();

  int64_t num_batches() const;
  bool ended() const;
  // REQUIRES: index < num_batches().
  RowBatch batch(int64_t index) const;

 private:
  const std::shared_ptr<const Schema> schema_;
  const Kind kind_;
  mutable std::mutex mutex_;
  std::vector<RowBatch> batches_;
  bool ended_ = false;
};

// Reads a stream. A slice is one pushed batch, or the part of one that the limit allows.
class MemorySource final : public Source {
 public:
  // `read_columns`: which of the stream's columns the slices hold, rising.
  MemorySource(std::string name, std::shared_ptr<MemoryStream> stream,
               std::vector<int> read_columns);

  std::string description() const override;
  bool is_finite() const override { return stream_->is_finite(); }
  Status Open(const std::string& start) override;
  Status StopAtLatest() override;
  Result<SourceNext> Next(const SliceLimits& limits) override;
  Status Replay(const std::string& start, const std::string& end, const std::string& replay,
                const std::function<Status(SourceSlice)>& consumer) override;
  Status Commit(const std::string& end) override;
  std::string latest_offset() const override;

 private:
  struct Position {
    int64_t batch = 0;
    int64_t row = 0;
  };

  static Result<Position> ParsePosition(const std::string& offset);
  static std::string FormatPosition(Position position);
  // The slice from `position`, which moves behind it; `last` = where it must stop at the latest.
  SourceSlice Cut(Position* position, std::optional<Position> last, int64_t bytes_max) const;

  std::string name_;
  std::shared_ptr<MemoryStream> stream_;
  std::vector<int> read_columns_;
  std::shared_ptr<const Schema> read_schema_;
  Position position_;
  std::optional<int64_t> stop_at_batch_;
};

// What a query has published: rows by batch id, every batch once.
class MemoryResult {
 public:
  // Ids of the published batches, rising; empty batches count.
  std::vector<int64_t> batch_ids() const;

  // The rows of a batch by partition, then in the order written; empty if it is not published.
  std::vector<RowBatch> Batch(int64_t batch_id) const;

  // All rows, in the order of their batches.
  std::vector<RowBatch> Rows() const;

  // Waits until the batch is published; false if that takes longer than `timeout`.
  bool AwaitBatch(int64_t batch_id, std::chrono::milliseconds timeout) const;

 private:
  friend class MemorySink;

  mutable std::mutex mutex_;
  mutable std::condition_variable published_;
  std::map<int64_t, std::vector<RowBatch>> batches_;
};

class MemorySink final : public Sink {
 public:
  MemorySink(std::string name, std::shared_ptr<MemoryResult> result);

  std::string description() const override;
  Status Open(const SinkContext& context) override;
  Status BeginBatch(int64_t batch_id) override;
  Status Write(int partition, const RowBatch& rows) override;
  Status PublishBatch(int64_t batch_id) override;

 private:
  std::string name_;
  std::shared_ptr<MemoryResult> result_;
  // One list a partition: each is written by one thread at a time.
  std::vector<std::vector<RowBatch>> written_;
};

// 'connector' = 'memory': streams and results by the name of the table.
class MemoryConnector final : public Connector {
 public:
  void AddStream(std::string table, std::shared_ptr<MemoryStream> stream);
  void AddResult(std::string table, std::shared_ptr<MemoryResult> result);

  // kNotFound if no stream of the table's name was added; kInvalidQuery if its columns differ.
  Result<std::unique_ptr<Source>> NewSource(const TableDescription& table,
                                            const std::vector<int>& read_columns,
                                            std::vector<std::string>* notes) const override;
  // kNotFound if no result of the table's name was added.
  Result<std::unique_ptr<Sink>> NewSink(const TableDescription& table,
                                        std::vector<std::string>* notes) const override;

 private:
  std::map<std::string, std::shared_ptr<MemoryStream>, std::less<>> streams_;
  std::map<std::string, std::shared_ptr<MemoryResult>, std::less<>> results_;
};

}  // namespace braid
