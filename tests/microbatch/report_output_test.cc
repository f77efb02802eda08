#include "engine/microbatch/report_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "braid/column_builder.h"
#include "braid/memory_result.h"
#include "engine/connectors/memory.h"
#include "engine/plan/stream_plan.h"
#include "engine/sql/parser.h"

namespace braid {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Late rows of t(id BIGINT, ts TIMESTAMP(3)), with the columns of a table `late`.
class Fixture {
 public:
  explicit Fixture(const std::string& columns, OnRowError on_error = OnRowError::kFail,
                   const std::string& watermark = ", WATERMARK FOR ts AS ts") {
    Result<Script> script =
        ParseScript("CREATE TABLE t (id BIGINT, ts TIMESTAMP(3)" + watermark +
                        ") WITH ('connector' = 'memory');\nCREATE TABLE late (" + columns +
                        ") WITH ('connector' = 'memory');\nSELECT id FROM t",
                    {});
    EXPECT_TRUE(script.has_value()) << script.error().ToString();
    plan_ = *MakeStreamPlan(*script->query, Mode::kMicroBatch, RowTimeJoin::kSql,
                            {.late_rows = script->tables[1]});
    EXPECT_TRUE(sink_.Open({}).has_value());
    EXPECT_TRUE(sink_.BeginBatch(0).has_value());
    Result<std::unique_ptr<ReportOutput>> output =
        ReportOutput::Create(*plan_.late_rows, &sink_, on_error);
    EXPECT_TRUE(output.has_value()) << output.error().ToString();
    output_ = std::move(*output);
    output_->BeginBatch();
    for (const auto& [id, seconds] : {std::pair{7, 10}, {12'345, 11}}) {
      ids_.Append(static_cast<int64_t>(id));
      times_.Append(int64_t{seconds} * 1'000'000);
    }
    columns_ = {ids_.Finish(), times_.Finish()};
    rows_.columns = columns_;
    rows_.num_rows = 2;
  }

  ReportOutput& output() { return *output_; }
  ReportedRows& rows() { return rows_; }
  Status Write() { return output_->Write(0, rows_, {}); }

  // Cells between blanks, times in milliseconds.
  std::vector<std::string> Written() {
    EXPECT_TRUE(sink_.PublishBatch(0).has_value());
    std::vector<std::string> texts;
    for (const RowBatch& batch : result_->Rows()) {
      for (int64_t row = 0; row < batch.num_rows(); ++row) {
        std::string text;
        for (const Column& column : batch.columns()) {
          const Value value = ValueAt(column, row);
          if (!text.empty()) text += " ";
          if (value.is_null()) {
            text += "-";
          } else if (value.type.is_variable_width()) {
            text += value.text();
          } else {
            text += std::to_string(value.integer() / (value.type.is_timestamp() ? 1000 : 1));
          }
        }
        texts.push_back(text);
      }
    }
    return texts;
  }

 private:
  StreamPlan plan_;
  std::shared_ptr<MemoryResult> result_ = std::make_shared<MemoryResult>();
  MemorySink sink_{"late", result_};
  std::unique_ptr<ReportOutput> output_;
  ColumnBuilder ids_{DataType::BigInt()};
  ColumnBuilder times_{DataType::Timestamp(3)};
  std::vector<Column> columns_;
  ReportedRows rows_;
};

TEST(ReportOutputTest, MakesTheColumnsFromTheRowAndWhatIsKnownOfIt) {
  Fixture fixture(
      "batch_id BIGINT, id BIGINT, row_time TIMESTAMP(3), watermark TIMESTAMP(3), table_name "
      "STRING");
  fixture.rows().watermark = Watermark{15'000};
  fixture.rows().batch_id = 4;
  ASSERT_TRUE(fixture.Write());
  EXPECT_EQ(fixture.output().num_rows(), 2);
  EXPECT_THAT(fixture.Written(), ElementsAre("4 7 10000 15000 t", "4 12345 11000 15000 t"));
}

TEST(ReportOutputTest, WhatIsNotKnownIsNull) {
  for (const std::optional<Watermark>& watermark :
       {std::optional<Watermark>(), std::optional(Watermark::Infinity())}) {
    Fixture fixture("batch_id BIGINT, watermark TIMESTAMP(3), row_time TIMESTAMP(3)",
                    OnRowError::kFail, "");
    fixture.rows().watermark = watermark;
    ASSERT_TRUE(fixture.Write());
    EXPECT_THAT(fixture.Written(), ElementsAre("- - -", "- - -"));
  }
}

TEST(ReportOutputTest, RowTimesMayBeGiven) {
  Fixture fixture("row_time TIMESTAMP(3)", OnRowError::kFail, "");
  ColumnBuilder times(DataType::Timestamp(6));
  for (const int64_t micros : {1'000'000, 2'000'000}) times.Append(micros);
  const Column column = times.Finish();
  fixture.rows().row_times = &column;
  ASSERT_TRUE(fixture.Write());
  EXPECT_THAT(fixture.Written(), ElementsAre("1000", "2000"));
}

TEST(ReportOutputTest, AValueThatDoesNotFitFailsOrDropsItsRow) {
  const std::string columns = "id DECIMAL(3, 0)";
  Fixture failing(columns);
  const Status failed = failing.Write();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(failed.error().message, HasSubstr("in a row for the table late"));

  Fixture dropping(columns, OnRowError::kDrop);
  ASSERT_TRUE(dropping.Write());
  EXPECT_THAT(dropping.Written(), ElementsAre("7"));
  EXPECT_EQ(dropping.output().num_rows(), 1);
  EXPECT_EQ(dropping.output().num_row_errors(), 1);
  dropping.output().BeginBatch();
  EXPECT_EQ(dropping.output().num_rows(), 0);
  EXPECT_EQ(dropping.output().num_row_errors(), 0);
}

TEST(ReportOutputTest, NoRowsAreNotWritten) {
  Fixture fixture("id BIGINT");
  fixture.rows().num_rows = 0;
  fixture.rows().columns = {};
  ASSERT_TRUE(fixture.Write());
  EXPECT_THAT(fixture.Written(), IsEmpty());
}

}  // namespace
}  // namespace braid
