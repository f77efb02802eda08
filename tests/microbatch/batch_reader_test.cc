#include "engine/microbatch/batch_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "braid/column_builder.h"
#include "engine/session/job.h"

namespace braid {
namespace {

using ::testing::ElementsAre;

// A finite (or live) source of slices of rows with the given times; every slice counts 10 bytes.
class TimesSource final : public Source {
 public:
  TimesSource(std::vector<std::vector<int64_t>> seconds, int64_t slices_a_trigger, bool finite)
      : seconds_(std::move(seconds)), slices_a_trigger_(slices_a_trigger), finite_(finite) {}

  std::string description() const override { return "times"; }
  TriggerLimits trigger_limits() const override { return {slices_a_trigger_ * 10, 0}; }
  bool is_finite() const override { return finite_; }
  Status Open(const std::string&) override { return {}; }
  Status StopAtLatest() override { return {}; }
  Result<SourceNext> Next(const SliceLimits&) override {
    SourceNext next;
    if (at_ == seconds_.size()) {
      next.kind = finite_ ? SourceNext::Kind::kEnd : SourceNext::Kind::kNothing;
      return next;
    }
    ColumnBuilder times(DataType::Timestamp(3));
    for (const int64_t second : seconds_[at_]) times.Append(second * 1'000'000);
    std::vector<Column> columns;
    columns.push_back(times.Finish());
    static const auto schema =
        std::make_shared<const Schema>(Schema{{{"ts", DataType::Timestamp(3)}}});
    next.kind = SourceNext::Kind::kSlice;
    next.slice.rows = RowBatch(schema, std::move(columns), std::ssize(seconds_[at_]));
    next.slice.end = fmt::format("{}", ++at_);
    next.slice.num_bytes = 10;
    return next;
  }
  Status Replay(const std::string&, const std::string&, const std::string&,
                const std::function<Status(SourceSlice)>&) override {
    return {};
  }
  Status Commit(const std::string&) override { return {}; }

 private:
  std::vector<std::vector<int64_t>> seconds_;
  int64_t slices_a_trigger_;
  bool finite_;
  size_t at_ = 0;
};

// The stage of a table with the one column ts and a watermark on it.
ArrivalStage MakeStage() {
  auto table = std::make_shared<TableDefinition>();
  table->name = "t";
  ColumnDefinition& column = table->columns.emplace_back();
  column.name = "ts";
  column.type = DataType::Timestamp(3);
  table->watermark = WatermarkDefinition{0, Interval{0}, {}};
  InputPlan input;
  input.table = table;
  input.alias = "t";
  input.read_columns = {0};
  input.table_columns = {MakeColumn(0, DataType::Timestamp(3))};
  input.watermark = table->watermark;
  input.schema = table->schema();
  Result<ArrivalStage> stage = ArrivalStage::ForSingle(input);
  EXPECT_TRUE(stage.has_value());
  return std::move(*stage);
}

class BatchReaderTest : public ::testing::Test {
 protected:
  // Slices of single rows.
  void Add(const std::vector<int64_t>& seconds, int64_t slices_a_trigger, bool finite = true) {
    std::vector<std::vector<int64_t>> slices;
    for (const int64_t second : seconds) slices.push_back({second});
    AddSlices(std::move(slices), slices_a_trigger, finite);
  }

  void AddSlices(std::vector<std::vector<int64_t>> seconds, int64_t slices_a_trigger,
                 bool finite = true) {
    readers_.push_back(std::make_unique<SliceReader>(
        std::make_unique<TimesSource>(std::move(seconds), slices_a_trigger, finite), &stage_,
        EvaluationContext()));
    ASSERT_TRUE(readers_.back()->Start("", false).has_value());
  }

  BatchReader Reader() const {
    std::vector<BatchReader::Input> inputs;
    for (const std::unique_ptr<SliceReader>& reader : readers_) {
      inputs.push_back({reader.get(), true, std::nullopt});
    }
    return BatchReader(std::move(inputs));
  }

  // Slices of each table in each batch, until nothing comes any more: "2+1 2+0".
  std::string Batches() {
    BatchReader batches = Reader();
    std::string text;
    while (true) {
      const auto batch = batches.Collect(true);
      EXPECT_TRUE(batch.has_value());
      if (!batch || !*batch) return text;
      if (!text.empty()) text += " ";
      for (size_t table = 0; table < (*batch)->size(); ++table) {
        text += fmt::format("{}{}", table == 0 ? "" : "+", (**batch)[table].slices.size());
      }
    }
  }

  ArrivalStage stage_ = MakeStage();
  std::vector<std::unique_ptr<SliceReader>> readers_;
};

TEST_F(BatchReaderTest, ADenseTableWaitsForASparseOne) {
  // One row a second against one row every four seconds, four rows a trigger of each.
  Add({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 4);
  Add({0, 4, 8, 12}, 4);
  // 0 and 0, then 1, so that the sparse one is behind: 4; then 2, 3, and the dense one is full.
  EXPECT_EQ(Batches(), "4+2 4+1 4+1");
}

TEST_F(BatchReaderTest, SingleRowsFarOffDoNotSayWhereATableIs) {
  constexpr int64_t kHour = 3'600;
  AddSlices({{0, 1, kHour, 2}, {3, 4, 5, -kHour}, {6, 7, 8}}, 4);
  AddSlices({{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}}, 2);
  // To about 2 and 1 first, then to 3, so that the first table is behind: to 4. The second is full.
  EXPECT_EQ(Batches(), "2+2 1+2 0+1");
}

TEST_F(BatchReaderTest, ATableThatHasEndedHoldsNobodyBack) {
  Add({0, 1}, 4);
  Add({0, 1, 2, 3, 4, 5}, 4);
  EXPECT_EQ(Batches(), "2+4 0+2");
}

TEST_F(BatchReaderTest, ALiveTableGivesWhatItHasUpToItsLimit) {
  Add({100, 200, 300}, 2, false);
  EXPECT_EQ(Batches(), "2 1");
}

TEST_F(BatchReaderTest, OnlyALiveTableThatWasAskedToItsEndIsSilent) {
  Add({100, 200, 300}, 2, false);
  Add({0, 1, 2}, 2);
  Add({}, 2, false);
  BatchReader batches = Reader();
  const auto silent = [&batches] {
    return std::vector<bool>{batches.silent(0), batches.silent(1), batches.silent(2)};
  };
  EXPECT_THAT(silent(), ElementsAre(false, false, false)) << "nobody was asked";
  ASSERT_TRUE(batches.Collect(true).has_value());
  EXPECT_THAT(silent(), ElementsAre(false, false, true)) << "more waits in both";
  ASSERT_TRUE(batches.Collect(true).has_value());
  EXPECT_THAT(silent(), ElementsAre(true, false, true)) << "the second has ended";
}

}  // namespace
}  // namespace braid
