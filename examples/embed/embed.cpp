// Joins inside a program: a job in SQL over files, with a checkpoint; a query built without SQL
// text over rows in memory; and what an error looks like.
//
//   embed [FOLDER]     FOLDER holds impressions.csv and clicks.csv; examples/embed unless given
#include <braid/braid.h>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

namespace {

// ${FOLDER} is given by QueryBuilder::Define. There is no INSERT: the rows go to the program.
constexpr const char* kJob = R"sql(
  CREATE TABLE impressions (
    ad_id BIGINT, ts TIMESTAMP(3), campaign STRING,
    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
  ) WITH ('connector' = 'filesystem', 'path' = '${FOLDER}/impressions.csv',
          'format' = 'csv', 'csv.header' = 'true');

  CREATE TABLE clicks (
    ad_id BIGINT, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
  ) WITH ('connector' = 'filesystem', 'path' = '${FOLDER}/clicks.csv',
          'format' = 'csv', 'csv.header' = 'true');

  SELECT i.ad_id, i.campaign, c.ts AS clicked
  FROM impressions AS i LEFT JOIN clicks AS c
    ON i.ad_id = c.ad_id AND c.ts BETWEEN i.ts AND i.ts + INTERVAL '60' SECOND
)sql";

int Report(const braid::Error& error) {
  std::cerr << error.ToString() << '\n';
  return 1;
}

// Reads single cells. Whole columns come without copying: rows.column(0).Values<int64_t>().
void PrintRows(const braid::RowBatch& rows, const braid::BatchInfo& batch) {
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    std::cout << "  batch " << batch.id << ": ad " << rows.Int64(0, row) << " of "
              << rows.String(1, row);
    if (rows.IsNull(2, row)) {
      std::cout << " was not clicked\n";
    } else {
      // A cell on its own, as the csv format writes it. rows.Time(2, row) gives the microseconds.
      std::cout << " was clicked at " << braid::FormatValue(braid::ValueAt(rows.column(2), row))
                << '\n';
    }
  }
}

// Hears of each batch after its commit, on the query's thread.
class Counter final : public braid::QueryListener {
 public:
  void OnProgress(const braid::BatchProgress& progress) override {
    rows_in_ += progress.num_input_rows;
    rows_out_ += progress.num_output_rows;
  }
  void OnTerminated(const Identity& query, const std::optional<braid::Error>& error) override {
    std::cout << "  " << query.name << " has " << (error ? "failed" : "ended") << ": " << rows_in_
              << " rows in, " << rows_out_ << " rows out\n";
  }

 private:
  int64_t rows_in_ = 0;
  int64_t rows_out_ = 0;
};

// A job in SQL. Its state and offsets are kept in the checkpoint directory: a run that is killed
// goes on after its last committed batch, and a run after a finished one finds nothing left to do.
braid::Status RunSqlJob(const std::string& folder) {
  std::cout << "SQL over files:\n";
  auto engine = braid::Engine::Create(
      {.checkpoint_directory = "checkpoint/embed",
       .parallelism = 2,
       // With a checkpoint, rows that still wait are kept for a later run unless this is set.
       .settings = {{"execution.end-of-input", "flush"}}});
  if (!engine) return tl::unexpected(engine.error());
  auto query = engine->Sql(kJob)
                   .Name("attributed")
                   .Define("FOLDER", folder)
                   .ForEachBatch(PrintRows)
                   .Listener(std::make_shared<Counter>())
                   .Trigger(braid::Trigger::Every(std::chrono::seconds(10)))
                   .Start();
  if (!query) return tl::unexpected(query.error());
  // The files end, and the query with them. One whose inputs never end runs until query->Stop().
  return query->AwaitTermination();
}

// A program's own rows. Both streams end with them.
braid::Status PushRows(const std::shared_ptr<braid::MemoryStream>& shown,
                       const std::shared_ptr<braid::MemoryStream>& clicked) {
  using std::chrono::hours;
  using std::chrono::sys_days;
  const braid::EventTime noon =
      braid::ToEventTime(sys_days(std::chrono::year(2026) / 11 / 29) + hours(12));
  braid::RowBatchBuilder impressions(shown->shared_schema());
  impressions.Append(7, "winter", noon);
  impressions.Append(8, "winter", noon + braid::Seconds(30));
  if (braid::Status pushed = shown->Push(impressions.Finish()); !pushed) return pushed;
  braid::RowBatchBuilder clicks(clicked->shared_schema());
  clicks.Append(8, noon + braid::Seconds(31));
  if (braid::Status pushed = clicked->Push(clicks.Finish()); !pushed) return pushed;
  shown->End();
  clicked->End();
  return {};
}

// The same join without SQL text, over rows that the program has at hand, without a checkpoint.
braid::Status RunBuiltQuery() {
  using braid::Col;
  std::cout << "Built, over rows in memory:\n";
  using Type = braid::DataType;
  const auto finite = braid::MemoryStream::Kind::kFinite;
  const braid::Schema shown{
      {{"ad_id", Type::BigInt()}, {"campaign", Type::String()}, {"ts", Type::Timestamp(3)}}};
  const braid::Schema clicked{{{"ad_id", Type::BigInt()}, {"ts", Type::Timestamp(3)}}};
  const auto shown_stream = std::make_shared<braid::MemoryStream>(shown, finite);
  const auto clicked_stream = std::make_shared<braid::MemoryStream>(clicked, finite);
  if (braid::Status pushed = PushRows(shown_stream, clicked_stream); !pushed) return pushed;

  braid::Table impressions("impressions");
  impressions.Columns(shown).Watermark("ts", braid::Seconds(5)).From(shown_stream);
  braid::Table clicks("clicks");
  clicks.Columns(clicked).Watermark("ts", braid::Seconds(5)).From(clicked_stream);

  auto engine = braid::Engine::Create();
  if (!engine) return tl::unexpected(engine.error());
  auto query = engine->From(impressions, "i")
                   .LeftJoin(clicks, "c")
                   .On(Col("i.ad_id") == Col("c.ad_id") &&
                       Col("c.ts").Between(Col("i.ts"), Col("i.ts") + braid::Seconds(60)))
                   .Select({Col("i.ad_id"), Col("i.campaign"), Col("c.ts").As("clicked")})
                   .ForEachBatch(PrintRows)
                   .Start();
  if (!query) return tl::unexpected(query.error());
  return query->AwaitTermination();
}

// Nothing throws: Start gives the error, with the place in the text.
void ShowAnError() {
  std::cout << "An error:\n";
  auto engine = braid::Engine::Create();
  if (!engine) return;
  auto query = engine
                   ->Sql(
                       "CREATE TABLE clicks (ad_id BIGINT) WITH ('connector' = 'datagen');\n"
                       "SELECT adid FROM clicks;")
                   .Start();
  if (query) return;
  std::cout << "  " << query.error().ToString() << '\n';
  // error().code says what the caller can do about it, error().place.line where.
  if (query.error().code == braid::ErrorCode::kInvalidQuery) {
    std::cout << "  line " << query.error().place.line << " of the text wants mending\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "examples/embed";
  if (braid::Status ran = RunSqlJob(folder); !ran) return Report(ran.error());
  if (braid::Status ran = RunBuiltQuery(); !ran) return Report(ran.error());
  ShowAnError();
  return 0;
}
