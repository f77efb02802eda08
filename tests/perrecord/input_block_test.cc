#include "engine/perrecord/input_block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "braid/column_builder.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

PositionedRows RowsAt(std::vector<int32_t> positions, std::vector<PositionedMark> marks,
                      int64_t first = 0) {
  PositionedRows rows;
  rows.rows.first = first;
  rows.rows.num_rows = std::ssize(positions);
  rows.positions = std::move(positions);
  rows.marks = std::move(marks);
  return rows;
}

// "position:step": l or r with the row, and its watermark if it has one; w for a watermark alone,
// with its side; c for the clock.
std::vector<std::string> Texts(const MergedSteps& merged) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < merged.positions.size(); ++i) {
    const RecordStep& step = merged.block.steps[i];
    const std::string side = step.side == Side::kLeft ? "l" : "r";
    std::string text = std::to_string(merged.positions[i]) + ":";
    switch (step.type) {
      case RecordStep::Type::kRow:
        text += side + std::to_string(step.row);
        if (step.millis != kUnsetMillis) text += " w" + std::to_string(step.millis);
        break;
      case RecordStep::Type::kWatermark:
        text += "w" + side + std::to_string(step.millis);
        break;
      case RecordStep::Type::kClock:
        text += "c" + std::to_string(step.millis);
        break;
    }
    texts.push_back(text);
  }
  return texts;
}

TEST(InputBlockTest, RowsOfBothSidesAreMergedByPosition) {
  const MergedSteps merged = MergeInputs(RowsAt({0, 3, 4}, {}), RowsAt({1, 2, 5}, {}), {});
  EXPECT_THAT(Texts(merged), ElementsAre("0:l0", "1:r0", "2:r1", "3:l1", "4:l2", "5:r2"));
  EXPECT_EQ(merged.block.sides[0].num_rows, 3);
  EXPECT_EQ(merged.block.sides[1].num_rows, 3);
}

TEST(InputBlockTest, AWatermarkFollowsTheLastRowOfItsPosition) {
  const MergedSteps merged =
      MergeInputs(RowsAt({2, 2, 2, 7}, {{2, 100}, {7, 200}}), RowsAt({3}, {}), {});
  EXPECT_THAT(Texts(merged), ElementsAre("2:l0", "2:l1", "2:l2 w100", "3:r0", "7:l3 w200"));
}

TEST(InputBlockTest, AWatermarkWithoutARowIsAStepOfItsOwn) {
  const MergedSteps merged =
      MergeInputs(RowsAt({4}, {{1, 10}, {4, 40}, {6, 60}}), RowsAt({}, {{5, 50}}), {});
  EXPECT_THAT(Texts(merged), ElementsAre("1:wl10", "4:l0 w40", "5:wr50", "6:wl60"));
}

TEST(InputBlockTest, FurtherWatermarksOfAPositionFollowEachOther) {
  const MergedSteps merged = MergeInputs(RowsAt({1, 1}, {{1, 10}, {1, 20}}), RowsAt({}, {}), {});
  EXPECT_THAT(Texts(merged), ElementsAre("1:l0", "1:l1 w10", "1:wl20"));
}

TEST(InputBlockTest, TheLeftInputComesFirstAtOnePosition) {
  const MergedSteps merged = MergeInputs(RowsAt({1}, {{1, 10}}), RowsAt({1}, {{1, 20}}), {});
  EXPECT_THAT(Texts(merged), ElementsAre("1:l0 w10", "1:r0 w20"));
}

TEST(InputBlockTest, TheClockStepsBeforeTheRecordsBehindIt) {
  const MergedSteps merged =
      MergeInputs(RowsAt({1, 3}, {}), RowsAt({}, {}), {{0, 1'000}, {2, 2'000}, {4, 3'000}});
  EXPECT_THAT(Texts(merged), ElementsAre("0:c1000", "1:l0", "2:c2000", "3:l1", "4:c3000"));
  const MergedSteps same = MergeInputs(RowsAt({1}, {}), RowsAt({1}, {}), {{1, 9}});
  EXPECT_THAT(Texts(same), ElementsAre("1:c9", "1:l0", "1:r0"));
}

TEST(InputBlockTest, RowsOfASliceKeepTheirPlaceInItsArrays) {
  const MergedSteps merged = MergeInputs(RowsAt({0, 1}, {}, /*first=*/40), RowsAt({}, {}), {});
  EXPECT_THAT(Texts(merged), ElementsAre("0:l40", "1:l41"));
}

TEST(InputBlockTest, KindsGoWithTheirRows) {
  PositionedRows left = RowsAt({0, 1, 1}, {});
  left.kinds = {ChangeKind::kInsert, ChangeKind::kUpdateBefore, ChangeKind::kUpdateAfter};
  const MergedSteps merged = MergeInputs(std::move(left), RowsAt({1}, {}), {});
  std::vector<ChangeKind> kinds;
  for (const RecordStep& step : merged.block.steps) kinds.push_back(step.kind);
  EXPECT_THAT(kinds, ElementsAre(ChangeKind::kInsert, ChangeKind::kUpdateBefore,
                                 ChangeKind::kUpdateAfter, ChangeKind::kInsert));
}

TEST(InputBlockTest, NothingGivesNoSteps) {
  EXPECT_THAT(Texts(MergeInputs(RowsAt({}, {}), RowsAt({}, {}), {})), IsEmpty());
}

// Rows [first, first + positions) of a slice of six rows, of which those of `arrived` go on.
TableRows RowsOfSlice(int32_t first, std::vector<int32_t> positions, std::vector<int32_t> arrived,
                      std::vector<ChangeKind> kinds = {}) {
  auto slice = std::make_shared<ArrivedSlice>();
  slice->read.num_rows = 6;
  ColumnBuilder values(DataType::BigInt());
  for (int64_t i = 0; i < 6; ++i) values.Append(i);
  auto schema = std::make_shared<Schema>();
  schema->fields.push_back({"v", DataType::BigInt()});
  slice->read.source = kinds.empty() ? RowBatch(schema, {values.Finish()}, 6)
                                     : RowBatch(schema, {values.Finish()}, std::move(kinds));
  slice->arrivals.num_rows = std::ssize(arrived);
  if (arrived.size() < 6) slice->arrivals.rows = std::move(arrived);
  TableRows table;
  table.slice = std::move(slice);
  table.first = first;
  table.positions = std::move(positions);
  return table;
}

TEST(InputBlockTest, RowsThatGoOnKeepThePositionsTheyWereReadAt) {
  struct Case {
    std::string name;
    std::vector<int32_t> arrived;
    int64_t first;
    std::vector<int32_t> positions;
  };
  const std::vector<Case> cases = {
      {"all", {0, 1, 2, 3, 4, 5}, 2, {10, 12, 17}},
      {"some, from the middle of the slice", {0, 2, 4, 5}, 1, {10, 17}},
      {"none of this part", {0, 1, 5}, 2, {}},
      {"none of the slice", {}, 0, {}},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.name);
    TableRows table = RowsOfSlice(2, {10, 12, 17}, test.arrived);
    table.marks = {{12, 5}};
    const PositionedRows rows = ArrivedRows(table);
    EXPECT_EQ(rows.rows.first, test.first);
    EXPECT_EQ(rows.rows.num_rows, std::ssize(test.positions));
    EXPECT_EQ(rows.positions, test.positions);
    EXPECT_THAT(rows.kinds, IsEmpty());
    ASSERT_EQ(rows.marks.size(), 1U) << "rows that do not go on move the watermark all the same";
    EXPECT_EQ(rows.marks[0].position, 12);
  }
}

TEST(InputBlockTest, ChangeKindsAreThoseOfTheRowsThatGoOn) {
  const std::vector<ChangeKind> kinds = {ChangeKind::kInsert,      ChangeKind::kInsert,
                                         ChangeKind::kDelete,      ChangeKind::kUpdateBefore,
                                         ChangeKind::kUpdateAfter, ChangeKind::kInsert};
  EXPECT_THAT(ArrivedRows(RowsOfSlice(2, {0, 1, 2}, {0, 2, 4}, kinds)).kinds,
              ElementsAre(ChangeKind::kDelete, ChangeKind::kUpdateAfter));
  EXPECT_THAT(
      ArrivedRows(RowsOfSlice(2, {0, 1, 2}, {0, 1, 2, 3, 4, 5}, kinds)).kinds,
      ElementsAre(ChangeKind::kDelete, ChangeKind::kUpdateBefore, ChangeKind::kUpdateAfter));
}

TEST(InputBlockTest, ATableWithoutASliceHasItsWatermarksAlone) {
  TableRows table;
  table.marks = {{3, 7}};
  const PositionedRows rows = ArrivedRows(table);
  EXPECT_EQ(rows.rows.num_rows, 0);
  ASSERT_EQ(rows.marks.size(), 1U);
  EXPECT_EQ(rows.marks[0].millis, 7);
}

}  // namespace
}  // namespace braid
