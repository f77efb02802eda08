// A job's unit test without threads, files or waiting: rows, watermarks and the end of the input
// are pushed into a per-record query, and what each call gives is there when it returns.
//
//   push_join
#include <braid/braid.h>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>

namespace {

// As `braid run --mode per-record` would take it; the connectors are not used here.
constexpr const char* kJob = R"sql(
  CREATE TABLE impressions (
    ad_id BIGINT, ts TIMESTAMP(3), campaign STRING,
    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
  ) WITH ('connector' = 'filesystem', 'path' = 'impressions', 'format' = 'csv');

  CREATE TABLE clicks (
    ad_id BIGINT, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
  ) WITH ('connector' = 'filesystem', 'path' = 'clicks', 'format' = 'csv');

  SELECT i.ad_id, i.campaign, c.ts AS clicked
  FROM impressions AS i LEFT JOIN clicks AS c
    ON i.ad_id = c.ad_id AND c.ts BETWEEN i.ts AND i.ts + INTERVAL '60' SECOND
)sql";

// 12:00:00 and so many seconds.
braid::EventTime At(int64_t second) {
  using std::chrono::sys_days;
  const sys_days day(std::chrono::year(2026) / 11 / 29);
  return braid::ToEventTime(day + std::chrono::hours(12)) + braid::Seconds(second);
}

class JobTest {
 public:
  explicit JobTest(braid::PushQuery join, std::string* seen)
      : join_(std::move(join)), seen_(seen) {}

  // Holds what has come since the last call against what must have come.
  void Expect(const braid::Status& status, const char* step, const std::string& wanted) {
    const std::string came = std::exchange(*seen_, {});
    const bool good = status && came == wanted;
    failures_ += good ? 0 : 1;
    std::cout << (good ? "ok      " : "FAILED  ") << step << ": "
              << (came.empty() ? "nothing" : came) << '\n';
    if (!status) std::cout << "        " << status.error().ToString() << '\n';
  }

  int Run() {
    Expect(join_.PushLeftRow(1, At(0), "spring"), "ad 1 is shown", "");
    Expect(join_.PushLeftRow(2, At(1), "spring"), "ad 2 is shown", "");
    Expect(join_.PushRightRow(1, At(7)), "ad 1 is clicked", "+I 1 spring clicked");
    Expect(join_.PushRightRow(2, At(62)), "ad 2 is clicked, too late", "");
    // No click before 12:01:10 will come any more.
    Expect(join_.AdvanceWatermark(braid::WatermarkAfter(At(70), {})), "time goes on",
           "+I 2 spring not clicked");
    Expect(join_.EndOfInput(), "the input ends", "");
    return failures_;
  }

 private:
  braid::PushQuery join_;
  std::string* seen_;
  int failures_ = 0;
};

}  // namespace

int main() {
  auto engine = braid::Engine::Create();
  std::string seen;
  const auto note = [&seen](const braid::RowBatch& rows) {
    for (int64_t row = 0; row < rows.num_rows(); ++row) {
      seen += seen.empty() ? "" : ", ";
      seen += braid::ChangeKindText(rows.change_kind(row));
      seen += " " + std::to_string(rows.Int64(0, row)) + " " + std::string(rows.String(1, row));
      seen += rows.IsNull(2, row) ? " not clicked" : " clicked";
    }
  };
  if (!engine) return 1;
  auto join = engine->Sql(kJob).Mode(braid::Mode::kPerRecord).Push(note);
  if (!join) {
    std::cerr << join.error().ToString() << '\n';
    return 1;
  }
  return JobTest(std::move(*join), &seen).Run();
}
