#include "braid/column_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <optional>
#include <string>
#include <vector>

namespace braid {
namespace {

using testing::ElementsAre;

std::shared_ptr<const Schema> MakeSchema(std::vector<Field> fields) {
  return std::make_shared<const Schema>(Schema{std::move(fields)});
}

std::vector<std::string> Texts(const Column& column) {
  std::vector<std::string> texts;
  for (int64_t row = 0; row < column.length(); ++row) {
    texts.push_back(FormatValue(ValueAt(column, row)));
  }
  return texts;
}

Column Strings(const std::vector<std::optional<std::string>>& values) {
  ColumnBuilder builder(DataType::String());
  for (const auto& value : values) {
    if (value) {
      builder.AppendString(*value);
    } else {
      builder.AppendNull();
    }
  }
  return builder.Finish();
}

Column BigInts(const std::vector<std::optional<int64_t>>& values) {
  ColumnBuilder builder(DataType::BigInt());
  for (const auto& value : values) {
    if (value) {
      builder.Append(*value);
    } else {
      builder.AppendNull();
    }
  }
  return builder.Finish();
}

TEST(ColumnBuilderTest, AColumnWithoutNullsHasNoValidityBitmap) {
  const Column column = BigInts({1, 2, 3});
  EXPECT_EQ(column.validity(), nullptr);
  EXPECT_THAT(column.Values<int64_t>(), ElementsAre(1, 2, 3));
  EXPECT_EQ(column.byte_size(), 24);
}

TEST(ColumnBuilderTest, TheFirstNullMayComeAtAnyRow) {
  for (int64_t position = 0; position < 200; ++position) {
    ColumnBuilder builder(DataType::Int());
    for (int64_t row = 0; row < 200; ++row) {
      if (row == position) {
        builder.AppendNull();
      } else {
        builder.Append(static_cast<int32_t>(row));
      }
    }
    const Column column = builder.Finish();
    ASSERT_EQ(column.null_count(), 1);
    for (int64_t row = 0; row < 200; ++row) {
      ASSERT_EQ(column.IsNull(row), row == position) << position;
      if (row != position) {
        ASSERT_EQ(column.Values<int32_t>()[static_cast<size_t>(row)], row);
      }
    }
  }
}

TEST(ColumnBuilderTest, FinishLeavesTheBuilderEmptyAndUsable) {
  ColumnBuilder builder(DataType::String());
  builder.AppendString("one");
  builder.AppendNull();
  const Column first = builder.Finish();
  EXPECT_EQ(builder.length(), 0);
  builder.AppendString("two");
  const Column second = builder.Finish();
  EXPECT_THAT(Texts(first), ElementsAre("one", "NULL"));
  EXPECT_THAT(Texts(second), ElementsAre("two"));
  EXPECT_EQ(second.null_count(), 0);
}

TEST(ColumnBuilderTest, EmptyColumnsCanBeReadAndGathered) {
  for (const DataType& type : {DataType::String(), DataType::BigInt(), DataType::Boolean()}) {
    const Column column = ColumnBuilder(type).Finish();
    EXPECT_EQ(column.length(), 0);
    EXPECT_EQ(Gather(column, {}).length(), 0);
    const std::vector<int32_t> absent = {-1, -1};
    EXPECT_EQ(Gather(column, absent).null_count(), 2) << type.ToString();
  }
}

TEST(ColumnBuilderTest, SetNullCountsAValueOnce) {
  ColumnBuilder builder(DataType::BigInt());
  int64_t* values = builder.AppendUninitialized<int64_t>(3);
  values[0] = 10;
  values[1] = 11;
  values[2] = 12;
  builder.SetNull(1);
  builder.SetNull(1);
  EXPECT_EQ(builder.null_count(), 1);
  EXPECT_THAT(Texts(builder.Finish()), ElementsAre("10", "NULL", "12"));
}

TEST(ColumnBuilderTest, GatherRepeatsReordersAndPads) {
  const std::vector<int32_t> rows = {2, -1, 0, 1, 2};
  EXPECT_THAT(Texts(Gather(Strings({"a", std::nullopt, "c"}), rows)),
              ElementsAre("c", "NULL", "a", "NULL", "c"));
  EXPECT_THAT(Texts(Gather(BigInts({1, std::nullopt, 3}), rows)),
              ElementsAre("3", "NULL", "1", "NULL", "3"));
}

TEST(ColumnBuilderTest, GatherOfPresentRowsKeepsTheAbsenceOfNulls) {
  const std::vector<int32_t> rows = {1, 0};
  EXPECT_EQ(Gather(BigInts({1, 2}), rows).validity(), nullptr);
}

TEST(ColumnBuilderTest, ConcatenateKeepsTheOrderOfBatchesAndTheirNulls) {
  const auto schema = MakeSchema({{"id", DataType::BigInt()}, {"name", DataType::String()}});
  const RowBatch first(schema, {BigInts({1, std::nullopt}), Strings({"a", "b"})}, 2);
  const RowBatch none(schema, {BigInts({}), Strings({})}, 0);
  const RowBatch second(schema, {BigInts({3}), Strings({std::nullopt})}, 1);
  const std::vector<RowBatch> batches = {first, none, second};
  const RowBatch all = Concatenate(batches);
  EXPECT_EQ(all.num_rows(), 3);
  EXPECT_THAT(Texts(all.column(0)), ElementsAre("1", "NULL", "3"));
  EXPECT_THAT(Texts(all.column(1)), ElementsAre("a", "b", "NULL"));
}

TEST(ColumnBuilderTest, GatherRowsTakesTheSameRowsOfEveryColumn) {
  const auto schema = MakeSchema({{"id", DataType::BigInt()}, {"name", DataType::String()}});
  const RowBatch batch(schema, {BigInts({1, 2, 3}), Strings({"a", "b", "c"})}, 3);
  const std::vector<int32_t> rows = {2, 0};
  const RowBatch gathered = GatherRows(batch, rows);
  EXPECT_EQ(gathered.shared_schema(), schema);
  EXPECT_EQ(gathered.Int64(0, 0), 3);
  EXPECT_EQ(gathered.String(1, 1), "a");
}

TEST(ColumnBuilderTest, RowsKeepTheirKindsWhereverTheyGo) {
  const auto schema = MakeSchema({{"id", DataType::BigInt()}});
  const RowBatch changes(schema, {BigInts({1, 2})},
                         {ChangeKind::kUpdateBefore, ChangeKind::kUpdateAfter});
  const RowBatch insertions(schema, {BigInts({3})}, 1);
  const auto kinds = [](const RowBatch& rows) {
    std::vector<std::string> texts;
    for (int64_t row = 0; row < rows.num_rows(); ++row) {
      texts.emplace_back(ChangeKindText(rows.change_kind(row)));
    }
    return texts;
  };
  const std::vector<RowBatch> batches = {insertions, changes};
  EXPECT_THAT(kinds(Concatenate(batches)), ElementsAre("+I", "-U", "+U"));
  const std::vector<int32_t> rows = {1, -1, 0, 1};
  EXPECT_THAT(kinds(GatherRows(changes, rows)), ElementsAre("+U", "+I", "-U", "+U"));
  EXPECT_THAT(kinds(changes.WithColumns(schema, {BigInts({7, 8})})), ElementsAre("-U", "+U"));
  EXPECT_FALSE(GatherRows(insertions, std::vector<int32_t>{0}).has_change_kinds());
  EXPECT_FALSE(Concatenate(std::vector<RowBatch>{insertions, insertions}).has_change_kinds());
}

TEST(ColumnBuilderTest, AnyStringsComeBackThroughGatherAndConcatenate) {
  const bool holds =
      rc::check([](const std::vector<std::string>& texts, const std::vector<bool>& nulls) {
        std::vector<std::optional<std::string>> values;
        std::vector<int32_t> backwards;
        for (size_t i = 0; i < texts.size(); ++i) {
          const bool null = i < nulls.size() && nulls[i];
          values.push_back(null ? std::nullopt : std::optional(texts[i]));
          backwards.push_back(static_cast<int32_t>(texts.size() - 1 - i));
        }
        const Column column = Strings(values);
        ColumnBuilder builder(DataType::String());
        builder.AppendGather(column, backwards);
        builder.AppendColumn(column);
        const Column twice = builder.Finish();
        RC_ASSERT(twice.null_count() == 2 * column.null_count());
        for (size_t i = 0; i < values.size(); ++i) {
          for (const size_t row : {values.size() - 1 - i, values.size() + i}) {
            const int64_t at = static_cast<int64_t>(row);
            RC_ASSERT(twice.IsNull(at) == !values[i].has_value());
            if (values[i]) RC_ASSERT(twice.String(at) == *values[i]);
          }
        }
      });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace braid
