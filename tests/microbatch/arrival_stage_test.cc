#include "engine/microbatch/arrival_stage.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/sql/parser.h"
#include "state/rows/column_builder.h"

namespace braid {
namespace {

// The stage of a query over one table, with ids 1, 2, 3 as its slice.
struct SingleTable {
  explicit SingleTable(const std::string& text) {
    Result<Script> script = ParseScript(text, {});
    EXPECT_TRUE(script.has_value()) << script.error().ToString();
    plan = *MakeStreamPlan(*script->query, Mode::kMicroBatch);
    Result<ArrivalStage> created = ArrivalStage::ForSingle(*plan.single);
    EXPECT_TRUE(created.has_value()) << created.error().ToString();
    stage = std::make_unique<ArrivalStage>(std::move(*created));
    ColumnBuilder ids(DataType::BigInt());
    for (const int64_t id : {1, 2, 3}) ids.Append(id);
    std::vector<Column> columns;
    columns.push_back(ids.Finish());
    slice = RowBatch(std::make_shared<const Schema>(Schema{{{"id", DataType::BigInt()}}}),
                     std::move(columns), 3);
  }

  StreamPlan plan;
  std::unique_ptr<ArrivalStage> stage;
  RowBatch slice;
};

// A slice is read ahead of its batch, so PROCTIME() is known only when it arrives.
TEST(ArrivalStageTest, ProcessingTimeIsTheBatchesNotThatOfReadingAhead) {
  const SingleTable table(
      "CREATE TABLE t (id BIGINT, pt AS PROCTIME(), late AS CASE WHEN id >= 2 THEN PROCTIME() END) "
      "WITH ('connector' = 'memory');\n"
      "SELECT id, pt, late FROM t;\n");
  EvaluationContext reading;
  const ReadRows read = table.stage->Read(table.slice, reading);
  for (const int64_t micros : {5'000'000, 7'000'000}) {
    EvaluationContext running;
    running.processing_time = EventTime{micros};
    const Result<Arrivals> arrivals =
        table.stage->Arrive(read, std::nullopt, OnRowError::kFail, running);
    ASSERT_TRUE(arrivals.has_value()) << arrivals.error().ToString();
    ASSERT_EQ(arrivals->num_rows, 3);
    ASSERT_EQ(arrivals->columns.size(), 3U);
    for (int64_t row = 0; row < 3; ++row) {
      const size_t index = static_cast<size_t>(row);
      EXPECT_EQ(arrivals->columns[1].Values<int64_t>()[index], micros);
      EXPECT_EQ(arrivals->columns[2].IsNull(row), row == 0);
      if (row > 0) {
        EXPECT_EQ(arrivals->columns[2].Values<int64_t>()[index], micros);
      }
    }
  }
}

}  // namespace
}  // namespace braid
