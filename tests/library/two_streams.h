// Two streams to join and a result, for tests of the C++ API: l(k BIGINT, ts TIMESTAMP(3)) and r
// alike; times in seconds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "braid/braid.h"

namespace braid {

using KeyAndSecond = std::pair<int64_t, int64_t>;

class TwoStreams {
 public:
  explicit TwoStreams(MemoryStream::Kind kind = MemoryStream::Kind::kInfinite);

  void PushLeft(const std::vector<KeyAndSecond>& rows);
  void PushRight(const std::vector<KeyAndSecond>& rows);
  void End();

  // CREATE TABLE l and r, delay 0, and l LEFT JOIN r, r within 5 s after l; columns k, l.ts, r.ts.
  static std::string Sql();
  // Bound to the streams and the result.
  QueryBuilder Bind(QueryBuilder builder) const;
  QueryBuilder Query(const Engine& engine) const { return Bind(engine.Sql(Sql())); }

  // The result's rows as "1 10 12" or "1 10 -", sorted.
  std::vector<std::string> Rows() const { return TextsOf(result->Rows()); }
  static std::vector<std::string> TextsOf(const std::vector<RowBatch>& batches);

  std::shared_ptr<MemoryStream> left;
  std::shared_ptr<MemoryStream> right;
  std::shared_ptr<MemoryResult> result = std::make_shared<MemoryResult>();

 private:
  static void Push(MemoryStream* stream, const std::vector<KeyAndSecond>& rows);
};

// An engine that can be made.
Engine MustCreate(EngineOptions options = {});
// A query that starts.
Query MustStart(const QueryBuilder& builder);

}  // namespace braid
