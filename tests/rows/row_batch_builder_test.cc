#include "braid/row_batch_builder.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "braid/value.h"

namespace braid {
namespace {

std::string RowText(const RowBatch& rows, int64_t row) {
  std::string text;
  for (const Column& column : rows.columns()) {
    text += (text.empty() ? "" : "|") + FormatValue(ValueAt(column, row));
  }
  return text;
}

TEST(RowBatchBuilderTest, EveryKindTakesItsValues) {
  RowBatchBuilder rows(Schema{{{"b", DataType::Boolean()},
                               {"i8", DataType::TinyInt()},
                               {"i16", DataType::SmallInt()},
                               {"i32", DataType::Int()},
                               {"i64", DataType::BigInt()},
                               {"f", DataType::Float()},
                               {"d", DataType::Double()},
                               {"n", DataType::Decimal(10, 2)},
                               {"s", DataType::String()},
                               {"day", DataType::Date()},
                               {"ts", DataType::Timestamp(3)}}});
  rows.Append(true, -8, 16, 32, int64_t{64}, 0.5F, 2, 1250, "text", 1, EventTime{1'500'000});
  rows.Append(std::nullopt, std::optional<int>(), std::optional<int>(3), std::nullopt, std::nullopt,
              std::nullopt, std::optional<double>(0.25), std::nullopt, std::string("other"),
              std::nullopt, std::nullopt);
  const RowBatch batch = rows.Finish();
  ASSERT_EQ(batch.num_rows(), 2);
  EXPECT_EQ(RowText(batch, 0),
            "true|-8|16|32|64|0.5|2.0|12.50|text|1970-01-02|1970-01-01 00:00:01.500");
  EXPECT_EQ(RowText(batch, 1), "NULL|NULL|3|NULL|NULL|NULL|0.25|NULL|other|NULL|NULL");
  EXPECT_EQ(rows.num_rows(), 0);  // Empty and usable again.
}

TEST(RowBatchBuilderTest, ColumnsCanBeFilledInBulk) {
  RowBatchBuilder rows(Schema{{{"k", DataType::BigInt()}}});
  int64_t* values = rows.column(0).AppendUninitialized<int64_t>(1'000);
  for (int64_t row = 0; row < 1'000; ++row) values[row] = row * row;
  const RowBatch batch = rows.Finish();
  EXPECT_EQ(batch.num_rows(), 1'000);
  EXPECT_EQ(batch.column(0).Values<int64_t>()[999], 998'001);
}

TEST(RowBatchBuilderTest, ChangesKeepTheirKindsAmongInsertions) {
  RowBatchBuilder rows(Schema{{{"k", DataType::BigInt()}}});
  rows.Append(1);
  rows.AppendChange(ChangeKind::kDelete, 1);
  rows.Append(2);
  const RowBatch batch = rows.Finish();
  ASSERT_TRUE(batch.has_change_kinds());
  EXPECT_EQ(batch.change_kind(0), ChangeKind::kInsert);
  EXPECT_EQ(batch.change_kind(1), ChangeKind::kDelete);
  EXPECT_EQ(batch.change_kind(2), ChangeKind::kInsert);
  rows.Append(3);
  EXPECT_FALSE(rows.Finish().has_change_kinds());
}

using RowBatchBuilderDeathTest = testing::Test;

TEST(RowBatchBuilderDeathTest, AValueOfAnotherKindIsAFaultOfTheProgram) {
  RowBatchBuilder rows(Schema{{{"k", DataType::BigInt()}, {"s", DataType::String()}}});
  EXPECT_DEATH(rows.Append(1), "a row has one value a column");
  EXPECT_DEATH(rows.Append("text", "text"), "text for a column of another kind");
  EXPECT_DEATH(rows.Append(1.5, "text"), "a floating point number for a column of another kind");
  EXPECT_DEATH(rows.Append(1, 1), "an integer for a column of another kind");
}

}  // namespace
}  // namespace braid
