#include "tests/library/two_streams.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace braid {

namespace {

constexpr int64_t kMicrosPerSecond = 1'000'000;

Schema KeyAndTime() { return {{{"k", DataType::BigInt()}, {"ts", DataType::Timestamp(3)}}}; }

}  // namespace

TwoStreams::TwoStreams(MemoryStream::Kind kind)
    : left(std::make_shared<MemoryStream>(KeyAndTime(), kind)),
      right(std::make_shared<MemoryStream>(KeyAndTime(), kind)) {}

void TwoStreams::Push(MemoryStream* stream, const std::vector<KeyAndSecond>& rows) {
  RowBatchBuilder builder(stream->shared_schema());
  for (const auto& [key, second] : rows) {
    builder.Append(key, EventTime{second * kMicrosPerSecond});
  }
  EXPECT_TRUE(stream->Push(builder.Finish()));
}

void TwoStreams::PushLeft(const std::vector<KeyAndSecond>& rows) { Push(left.get(), rows); }
void TwoStreams::PushRight(const std::vector<KeyAndSecond>& rows) { Push(right.get(), rows); }

void TwoStreams::End() {
  left->End();
  right->End();
}

std::string TwoStreams::Sql() {
  return "CREATE TABLE l (k BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts);\n"
         "CREATE TABLE r (k BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts);\n"
         "SELECT l.k, l.ts, CAST(r.ts AS TIMESTAMP(3)) AS rts FROM l LEFT JOIN r\n"
         "  ON l.k = r.k AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '5' SECOND";
}

QueryBuilder TwoStreams::Bind(QueryBuilder builder) const {
  return builder.Source("l", left).Source("r", right).Sink(result);
}

std::vector<std::string> TwoStreams::TextsOf(const std::vector<RowBatch>& batches) {
  std::vector<std::string> texts;
  for (const RowBatch& rows : batches) {
    for (int64_t row = 0; row < rows.num_rows(); ++row) {
      std::string text;
      for (int column = 0; column < rows.num_columns(); ++column) {
        const int64_t unit =
            rows.column(column).type().is_timestamp() ? kMicrosPerSecond : int64_t{1};
        text += column == 0 ? "" : " ";
        text += rows.IsNull(column, row) ? "-" : std::to_string(rows.Int64(column, row) / unit);
      }
      texts.push_back(text);
    }
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

Engine MustCreate(EngineOptions options) {
  Result<Engine> engine = Engine::Create(std::move(options));
  EXPECT_TRUE(engine) << engine.error().ToString();
  return *engine;
}

Query MustStart(const QueryBuilder& builder) {
  Result<Query> query = builder.Start();
  EXPECT_TRUE(query) << query.error().ToString();
  return std::move(*query);
}

}  // namespace braid
