#include "engine/session/state_row_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

#include "braid/column_builder.h"

namespace braid {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kMicrosASecond = 1'000'000;

// Two flights, the second without a carrier.
StateRows Flights() {
  StateRows run;
  run.first_id = 100;
  run.num_rows = 2;
  run.words = {7, 8};
  ColumnBuilder times(DataType::BigInt());
  times.Append<int64_t>(kMicrosASecond / 2);
  times.AppendNull();
  run.times = times.Finish();
  ColumnBuilder carriers(DataType::String());
  carriers.AppendString("U\"A");
  carriers.AppendNull();
  run.payload = {carriers.Finish()};
  run.matched = {1, 0};
  return run;
}

SideLayout FlightLayout() {
  SideLayout layout;
  layout.name = "flights";
  layout.has_time = true;
  layout.key = {"number", DataType::Int()};
  layout.time = {"departed", DataType::Timestamp(3)};
  layout.payload.fields = {{"carrier", DataType::String()}};
  return layout;
}

std::vector<std::string> LinesOf(const SideLayout& layout, const StateRows& run,
                                 StateRowStyle style, const MatchedIds& matched = {}) {
  std::vector<std::string> lines;
  const StateRowLines writer(layout, matched, style);
  EXPECT_TRUE(writer.Write(run, run.num_rows, [&lines](const std::string& line) -> Status {
    lines.push_back(line);
    return {};
  }));
  return lines;
}

TEST(StateRowLinesTest, WritesJson) {
  EXPECT_THAT(
      LinesOf(FlightLayout(), Flights(), StateRowStyle::kJson),
      ElementsAre(R"({"side":"flights","time":"1970-01-01 00:00:00.500","matched":true,)"
                  R"("row":{"number":7,"departed":"1970-01-01 00:00:00.500","carrier":"U\"A"}})",
                  R"({"side":"flights","time":null,"matched":false,)"
                  R"("row":{"number":8,"departed":null,"carrier":null}})"));
}

TEST(StateRowLinesTest, WritesText) {
  EXPECT_THAT(
      LinesOf(FlightLayout(), Flights(), StateRowStyle::kText),
      ElementsAre(
          "flights      matched    number=7  departed=1970-01-01 00:00:00.500  carrier=U\"A",
          "flights      unmatched  number=8  departed=null  carrier=null"));
}

TEST(StateRowLinesTest, WritesTheFirstRowsOnly) {
  const SideLayout layout = FlightLayout();
  const MatchedIds matched;
  int lines = 0;
  const StateRowLines writer(layout, matched, StateRowStyle::kText);
  ASSERT_TRUE(writer.Write(Flights(), 1, [&lines](const std::string&) -> Status {
    ++lines;
    return {};
  }));
  EXPECT_EQ(lines, 1);
}

TEST(StateRowLinesTest, StopsAtAnErrorOfWhoTakesTheLines) {
  for (const StateRowStyle style : {StateRowStyle::kJson, StateRowStyle::kText}) {
    const SideLayout layout = FlightLayout();
    const MatchedIds matched;
    int lines = 0;
    const Status written = StateRowLines(layout, matched, style)
                               .Write(Flights(), 2, [&lines](const std::string&) -> Status {
                                 ++lines;
                                 return Fail(ErrorCode::kIo, "the pipe is closed");
                               });
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().message, "the pipe is closed");
    EXPECT_EQ(lines, 1);
  }
}

TEST(StateRowLinesTest, AWordIsAKeyOfItsType) {
  struct Case {
    const char* name;
    DataType type;
    uint64_t word;
    const char* expected;
  };
  for (const Case& one : {
           Case{"negative", DataType::BigInt(), ~uint64_t{4}, "k=-5"},
           Case{"double", DataType::Double(), std::bit_cast<uint64_t>(0.25), "k=0.25"},
           Case{"float, whose word is that of a double", DataType::Float(),
                std::bit_cast<uint64_t>(static_cast<double>(0.1f)), "k=0.1"},
           Case{"boolean", DataType::Boolean(), 1, "k=true"},
           Case{"date", DataType::Date(), 1, "k=1970-01-02"},
           Case{"decimal", DataType::Decimal(5, 2), 1'250, "k=12.50"},
       }) {
    SCOPED_TRACE(one.name);
    SideLayout layout;
    layout.name = "side";
    layout.key = {"k", one.type};
    StateRows run;
    run.num_rows = 2;
    run.words = {one.word, 0};
    run.linkable = {1, 0};
    EXPECT_THAT(LinesOf(layout, run, StateRowStyle::kText),
                ElementsAre(std::string("side         unmatched  ") + one.expected,
                            "side         unmatched  k=null"));
  }
}

TEST(StateRowLinesTest, AHashIsNotShown) {
  SideLayout layout = FlightLayout();
  layout.hashed_key = true;
  EXPECT_EQ(LinesOf(layout, Flights(), StateRowStyle::kText)[1],
            "flights      unmatched  departed=null  carrier=null");
}

TEST(StateRowLinesTest, WhatHasNoNameIsNoTime) {
  SideLayout layout = FlightLayout();
  layout.time.name.clear();
  EXPECT_EQ(LinesOf(layout, Flights(), StateRowStyle::kJson)[0],
            R"({"side":"flights","matched":true,"row":{"number":7,"carrier":"U\"A"}})");
}

TEST(StateRowLinesTest, AColumnThatIsStoredTwiceStandsOnce) {
  SideLayout layout = FlightLayout();
  layout.payload.fields[0].name = "number";
  EXPECT_EQ(LinesOf(layout, Flights(), StateRowStyle::kText)[0],
            "flights      matched    number=U\"A  departed=1970-01-01 00:00:00.500");
}

TEST(StateRowLinesTest, MatchesMayBeCountedElsewhere) {
  const std::vector<std::string> lines =
      LinesOf(FlightLayout(), Flights(), StateRowStyle::kText, {101});
  EXPECT_EQ(lines[1].substr(13, 9), "matched  ");
}

}  // namespace
}  // namespace braid
