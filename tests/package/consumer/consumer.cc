// A program of a user: joins rows of its own by SQL and by the builder, and prints what comes out.
#include <braid/braid.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

using braid::Col;
using braid::DataType;
using braid::MemoryStream;

std::shared_ptr<MemoryStream> StreamOf(const braid::Schema& schema, std::int64_t first_micros) {
  auto stream = std::make_shared<MemoryStream>(schema, MemoryStream::Kind::kFinite);
  braid::RowBatchBuilder rows(stream->shared_schema());
  for (std::int64_t id = 1; id <= 3; ++id) {
    rows.Append(id, braid::EventTime{first_micros + id * 1'000'000});
  }
  if (!stream->Push(rows.Finish())) return nullptr;
  stream->End();
  return stream;
}

int Fail(const braid::Error& error) {
  std::fprintf(stderr, "%s\n", error.ToString().c_str());
  return 1;
}

void Print(const braid::RowBatch& rows, const braid::BatchInfo& /*batch*/) {
  for (std::int64_t row = 0; row < rows.num_rows(); ++row) {
    std::printf("%lld %s\n", static_cast<long long>(rows.Int64(0, row)),
                braid::FormatValue(braid::ValueAt(rows.column(1), row)).c_str());
  }
}

}  // namespace

int main() {
  auto engine = braid::Engine::Create();
  if (!engine) return Fail(engine.error());
  const braid::Schema schema{{{"id", DataType::BigInt()}, {"ts", DataType::Timestamp(3)}}};
  const auto left = StreamOf(schema, 0);
  const auto right = StreamOf(schema, 2'000'000);

  auto by_sql = engine
                    ->Sql(
                        "CREATE TABLE l (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts);"
                        "CREATE TABLE r (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts);"
                        "SELECT l.id, r.ts FROM l JOIN r ON l.id = r.id AND "
                        "r.ts BETWEEN l.ts AND l.ts + INTERVAL '5' SECOND")
                    .Source("l", left)
                    .Source("r", right)
                    .ForEachBatch(Print)
                    .Start();
  if (!by_sql) return Fail(by_sql.error());
  if (const braid::Status status = by_sql->AwaitTermination(); !status) return Fail(status.error());

  braid::Table l("l");
  l.Columns(schema).Watermark("ts").From(left);
  braid::Table r("r");
  r.Columns(schema).Watermark("ts").From(right);
  auto throwing = engine->From(l)
                      .LeftJoin(r)
                      .On(Col("l.id") == Col("r.id") && Col("r.ts") >= Col("l.ts") &&
                          Col("r.ts") <= Col("l.ts") + braid::Seconds(1))
                      .Select({Col("l.id"), Col("r.ts")})
                      .ForEachBatch([](const braid::RowBatch&, const braid::BatchInfo&) {
                        throw std::runtime_error("caught inside the library");
                      })
                      .Start();
  if (!throwing) return Fail(throwing.error());
  const braid::Status status = throwing->AwaitTermination();
  std::printf("%s\n", status ? "no error" : status.error().ToString().c_str());
  std::printf("headers %s, library %s\n", BRAID_VERSION, braid::Version());
  return 0;
}
