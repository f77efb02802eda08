// A table in memory that a program pushes rows into: the input of tests, ours and a user's, and a
// way to join rows that a program has at hand. It outlives the query and may be read again after a
// restart.
//
//   auto clicks = std::make_shared<MemoryStream>(schema, MemoryStream::Kind::kFinite);
//   engine.Sql(text).Source("clicks", clicks) …
//
// With Trigger::AvailableNow() a query takes what was pushed before it started.
// Offsets: {"batch":n,"row":m}: the first n pushed batches and m rows of the next one were given.
// All rows are kept for the life of the stream, so that any range can be replayed.
// Thread rule: any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "braid/error.h"
#include "braid/export.h"
#include "braid/row_batch.h"
#include "braid/schema.h"

namespace braid {

class BRAID_EXPORT MemoryStream {
 public:
  enum class Kind : uint8_t {
    kFinite,    // Ends once End was called and all was read.
    kInfinite,  // Never ends.
  };

  enum class Content : uint8_t {
    kInsertions,  // Rows that stay.
    kChangelog,   // Rows may be taken back: RowBatch::change_kind.
  };

  MemoryStream(Schema schema, Kind kind, Content content = Content::kInsertions);

  const Schema& schema() const { return *schema_; }
  const std::shared_ptr<const Schema>& shared_schema() const { return schema_; }
  bool is_finite() const { return kind_ == Kind::kFinite; }
  bool gives_changes() const { return content_ == Content::kChangelog; }

  // Rows that come after all that were pushed before. kInvalidInput if their types are not the
  // stream's, if a stream of insertions gets a row of another kind, or after End; then nothing is
  // pushed.
  Status Push(RowBatch rows);

  // No more rows will come.
  void End();

  int64_t num_batches() const;
  bool ended() const;
  // REQUIRES: index < num_batches().
  RowBatch batch(int64_t index) const;

 private:
  const std::shared_ptr<const Schema> schema_;
  const Kind kind_;
  const Content content_;
  mutable std::mutex mutex_;
  std::vector<RowBatch> batches_;
  bool ended_ = false;
};

}  // namespace braid
