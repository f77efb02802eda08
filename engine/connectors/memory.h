// Tables in memory in a query: the source that reads a MemoryStream and the sink that writes a
// MemoryResult. MemoryConnector hands them to a query by table name.
//
//   auto memory = std::make_shared<MemoryConnector>();
//   memory->AddStream("clicks", clicks);
//   memory->AddResult("joined", output);
//   registry.Add("memory", memory);                      // 'connector' = 'memory'
//
// Thread rule: sources and sinks follow braid/source.h and braid/sink.h.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/connector.h"
#include "braid/error.h"
#include "braid/memory_result.h"
#include "braid/memory_stream.h"
#include "braid/row_batch.h"
#include "braid/sink.h"
#include "braid/source.h"
#include "engine/connectors/written_rows.h"

namespace braid {

// Reads a stream. A slice is one pushed batch, or the part of one that the limit allows.
class MemorySource final : public Source {
 public:
  // `read_columns`: which of the stream's columns the slices hold, rising.
  MemorySource(std::string name, std::shared_ptr<MemoryStream> stream,
               std::vector<int> read_columns);

  std::string description() const override;
  bool is_finite() const override { return stream_->is_finite(); }
  bool gives_changes() const override { return stream_->gives_changes(); }
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

// The source of `table` that reads `stream`. kInvalidQuery if their columns differ.
Result<std::unique_ptr<Source>> ReadStream(const TableDescription& table,
                                           const std::vector<int>& read_columns,
                                           std::shared_ptr<MemoryStream> stream);

// Writes a result.
class MemorySink final : public Sink {
 public:
  MemorySink(std::string name, std::shared_ptr<MemoryResult> result);

  std::string description() const override;
  bool takes_changes() const override { return true; }
  Status Open(const SinkContext& context) override;
  Status BeginBatch(int64_t batch_id) override;
  Status Write(int partition, const RowBatch& rows) override;
  Status PublishBatch(int64_t batch_id) override;

 private:
  std::string name_;
  std::shared_ptr<MemoryResult> result_;
  WrittenRows written_;
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
