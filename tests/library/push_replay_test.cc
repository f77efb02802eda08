// Replays the recorded cases of the per-record operators through the push API: the job as text, its
// events as calls. What comes of each call must be exactly what was recorded for its event.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "braid/braid.h"
#include "tests/cases/case_file.h"
#include "tests/cases/case_values.h"
#include "tests/library/two_streams.h"

namespace braid {
namespace {

using nlohmann::json;
using testing::CreateTable;
using testing::QueryOf;
using testing::RowToJson;

class Replay {
 public:
  explicit Replay(const json& file)
      : options_(file.at("options")),
        events_(file.at("perrecord").at("events")),
        wanted_(file.contains("braid") ? file.at("braid") : file.at("perrecord")),
        reports_late_(wanted_.contains("late_l") && options_.value("late_side_output", true)) {
    std::string late_columns = "table_name STRING";
    for (const auto& [name, table] : file.at("tables").items()) {
      text_ += CreateTable({name, table});
      for (const json& column : table.at("columns")) {
        const std::string column_name = column.at(0).get<std::string>();
        if (late_columns.find("`" + column_name + "`") != std::string::npos) continue;
        late_columns += fmt::format(", `{}` {}", column_name, column.at(1).get<std::string>());
      }
    }
    if (reports_late_) {
      text_ += "CREATE TABLE late (" + late_columns + ");\nSET 'late-rows.table' = 'late';\n";
    }
    text_ += QueryOf(file);
    is_refused_ = wanted_.contains("error") || file.at("perrecord").contains("error");
  }

  void Run() {
    Result<PushQuery> query = Start();
    if (!query) {
      EXPECT_TRUE(is_refused_) << query.error().ToString();
      return;
    }
    for (size_t event = 0; event < events_.size(); ++event) {
      got_.clear();
      late_.clear();
      num_calls_ = 0;
      const Status played = Play(&*query, events_.at(event));
      if (!played) {
        EXPECT_TRUE(is_refused_) << "event " << event << ": " << played.error().ToString();
        return;
      }
      EXPECT_LE(num_calls_, 1);
      if (wanted_.contains("outputs")) Compare(*query, event);
      if (::testing::Test::HasFailure()) return;
    }
    EXPECT_FALSE(is_refused_) << "the run must fail, but did not";
  }

 private:
  Result<PushQuery> Start() {
    QueryBuilder builder = engine_.Sql(text_).Mode(Mode::kPerRecord);
    if (options_.at("family") == "datastream-interval") {
      builder.Set("per-record.interval-join", "datastream");
    }
    for (const auto& [field, key] :
         {std::pair{"allowed_lateness_ms", "table.exec.interval-join.allowed-lateness"},
          std::pair{"min_cleanup_interval_ms", "table.exec.interval-join.min-cleanup-interval"}}) {
      const int64_t millis = options_.value(field, int64_t{0});
      if (millis != 0) builder.Set(key, fmt::format("{} ms", millis));
    }
    PushOptions options;
    options.watermarks_by_hand = true;
    if (reports_late_) {
      options.late_rows = [this](const RowBatch& rows) {
        for (int64_t row = 0; row < rows.num_rows(); ++row) late_.push_back(RowToJson(rows, row));
      };
    }
    return builder.Push(
        [this](const RowBatch& rows) {
          ++num_calls_;
          for (int64_t row = 0; row < rows.num_rows(); ++row) {
            const json change = {ChangeKindText(rows.change_kind(row)), RowToJson(rows, row)};
            got_.push_back(change.dump());
          }
        },
        std::move(options));
  }

  static Status PushEvent(PushQuery* query, const json& event) {
    const bool is_left = event.at(0) == "l";
    const auto schema = is_left ? query->left_schema() : query->right_schema();
    if (!schema) return tl::unexpected(schema.error());
    std::vector<Column> columns;
    for (int index = 0; index < (*schema)->num_columns(); ++index) {
      const DataType type = (*schema)->fields[static_cast<size_t>(index)].type;
      const json& cell = event.at(1).at(static_cast<size_t>(index));
      ColumnBuilder builder(type);
      if (cell.is_null()) {
        builder.AppendValue(Value::Null(type));
      } else if (type.is_variable_width()) {
        builder.AppendValue({type, cell.get<std::string>()});
      } else {
        builder.AppendValue({type, cell.get<int64_t>() * (type.is_timestamp() ? 1000 : 1)});
      }
      columns.push_back(builder.Finish());
    }
    ChangeKind kind = ChangeKind::kInsert;
    if (event.size() > 2) kind = *ParseChangeKind(event.at(2).get<std::string>());
    const RowBatch row(*schema, std::move(columns), std::vector<ChangeKind>{kind});
    return is_left ? query->PushLeft(row) : query->PushRight(row);
  }

  static Status Play(PushQuery* query, const json& event) {
    const std::string type = event.at(0).get<std::string>();
    if (type == "l" || type == "r") return PushEvent(query, event);
    const Watermark watermark =
        event.at(1).is_string() ? Watermark::Infinity() : Watermark{event.at(1).get<int64_t>()};
    if (type == "proctime") return query->AdvanceClock(AtMicros(watermark));
    if (type == "watermark_l") return query->AdvanceLeftWatermark(watermark);
    if (type == "watermark_r") return query->AdvanceRightWatermark(watermark);
    return query->AdvanceWatermark(watermark);
  }

  void Compare(const PushQuery& query, size_t event) {
    const std::string where = fmt::format("event {}: {}", event, events_.at(event).dump());
    std::vector<std::string> rows;
    for (const json& row : wanted_.at("outputs").at(event)) rows.push_back(row.dump());
    std::sort(rows.begin(), rows.end());
    std::sort(got_.begin(), got_.end());
    EXPECT_EQ(got_, rows) << where;
    const json& state = wanted_.at("state").at(event);
    for (const auto& [field, stored] : {std::pair{"rows_l", query.num_left_rows()},
                                        std::pair{"rows_r", query.num_right_rows()}}) {
      if (state.contains(field)) {
        EXPECT_EQ(stored, state.at(field)) << where;
      }
    }
    if (state.contains("timer_times")) {
      EXPECT_EQ(json(query.timer_millis()), state.at("timer_times")) << where;
    }
    if (wanted_.contains("watermarks_out")) {
      const json& moved = wanted_.at("watermarks_out").at(event);
      if (!moved.is_null()) watermark_ = moved;
      const std::optional<Watermark> watermark = query.watermark();
      EXPECT_EQ(watermark ? json(watermark->millis) : json(nullptr), watermark_) << where;
    }
    if (!reports_late_) return;
    const size_t num_late =
        wanted_.at("late_l").at(event).size() + wanted_.at("late_r").at(event).size();
    EXPECT_EQ(late_.size(), num_late > 0 ? 1U : 0U) << where;
    for (const json& row : late_) {
      EXPECT_EQ(row.at(0), events_.at(event).at(0)) << where;
      EXPECT_EQ(row.at(1), events_.at(event).at(1).at(0)) << where;
      EXPECT_EQ(row.at(2), events_.at(event).at(1).at(1)) << where;
    }
  }

  const Engine engine_ = MustCreate();
  const json options_;
  const json events_;
  const json wanted_;
  const bool reports_late_;
  bool is_refused_ = false;
  std::string text_;
  std::vector<std::string> got_;
  std::vector<json> late_;
  int num_calls_ = 0;
  json watermark_;
};

TEST(PushReplayTest, EveryRecordedCaseGivesItsRowsEventByEvent) {
  std::vector<std::string> paths;
  for (const char* folder : {"flink", "extra"}) {
    const std::string path = std::string(BRAID_SOURCE_DIR "/tests/cases/") + folder;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      if (entry.path().extension() == ".json") paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  int num_cases = 0;
  for (const std::string& path : paths) {
    std::ifstream stream(path);
    const json file = json::parse(stream, nullptr, /*allow_exceptions=*/false);
    ASSERT_FALSE(file.is_discarded()) << path;
    if (!file.contains("perrecord")) continue;
    SCOPED_TRACE(path);
    Replay(file).Run();
    if (HasFailure()) return;
    ++num_cases;
  }
  EXPECT_GT(num_cases, 150);
}

}  // namespace
}  // namespace braid
