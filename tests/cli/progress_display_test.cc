#include "engine/cli/progress_display.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/cli/screen.h"

namespace braid {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::Screen;
using ::testing::SizeIs;
using ::testing::StartsWith;

class ScreenTerminal final : public Terminal {
 public:
  void Write(std::string_view bytes) override {
    screen.Write(bytes);
    all += bytes;
    ++num_writes;
  }
  TerminalSize size() const override { return window; }

  Screen screen;
  std::string all;
  int num_writes = 0;
  TerminalSize window;
};

constexpr Watermark At(int64_t seconds) { return {1'704'067'200'000 + seconds * 1000}; }

class ProgressDisplayTest : public ::testing::Test {
 protected:
  void Begin(ProgressStyle style = ProgressStyle::kBlock) {
    ProgressDisplay::Options options;
    options.style = style;
    options.look = look_;
    options.pads = {true, false};
    options.activity = [this] { return activity_; };
    options.started = now_;
    display_.Begin(options);
  }
  void After(milliseconds time) {
    now_ += time;
    display_.Tick(now_);
  }
  std::vector<std::string> rows() const { return terminal_.screen.rows(); }

  static BatchProgress Batch(int64_t id, int64_t rows) {
    BatchProgress batch;
    batch.batch_id = id;
    batch.num_input_rows = rows;
    batch.num_output_rows = rows / 10;
    batch.state.emplace();
    batch.state->num_left_rows = 12'000;
    batch.state->num_right_rows = 345;
    batch.state->num_rows_total = 12'345;
    batch.state->memory_used_bytes = 1'234'567;
    SourceProgress shows;
    shows.table = "shows";
    shows.watermark = At(135);
    SourceProgress clicks;
    clicks.table = "clicks";
    clicks.watermark = At(12);
    clicks.holds_back = true;
    batch.sources = {shows, clicks};
    return batch;
  }
  void Run(BatchPhase phase, int64_t batch, int64_t done = 0, int64_t total = 0) {
    activity_.phase = phase;
    activity_.batch_id = batch;
    activity_.done = done;
    activity_.total = total;
  }

  TerminalLook look_ = {/*moves_cursor=*/true, /*utf8=*/false, /*colors=*/false};
  ScreenTerminal terminal_;
  ProgressDisplay display_{&terminal_};
  QueryActivity activity_;
  ProgressDisplay::TimePoint now_{std::chrono::hours(1)};
};

TEST_F(ProgressDisplayTest, DrawsABlockInPlace) {
  Begin();
  display_.Show(Batch(3, 1'234'567));
  Run(BatchPhase::kIdle, 4);
  After(milliseconds(1000));
  const std::vector<std::string> block = {
      "waiting  batch 4 is next", "1,234,567 rows in  123,456 out  1.0 s",
      "  shows   watermark 2024-01-01 00:02:15.000",
      "> clicks  watermark 2024-01-01 00:00:12.000  holds back, 2 min 3 s behind shows",
      "  state 12,345 rows, 1.2 MB; 12,000 wait for a match or NULLs"};
  EXPECT_EQ(rows(), block);
  display_.Show(Batch(4, 33));
  After(milliseconds(100));
  EXPECT_THAT(rows(), SizeIs(5));
  EXPECT_THAT(rows()[1], StartsWith("1,234,600 rows in"));
}

TEST_F(ProgressDisplayTest, DrawsAtMostTenTimesASecondAndOnlyWhatIsNew) {
  Begin();
  After(milliseconds(299));
  EXPECT_EQ(terminal_.num_writes, 0) << "a short run shows nothing";
  After(milliseconds(1));
  EXPECT_EQ(terminal_.num_writes, 1);
  display_.Show(Batch(0, 10));
  After(milliseconds(99));
  EXPECT_EQ(terminal_.num_writes, 1);
  After(milliseconds(1));
  EXPECT_EQ(terminal_.num_writes, 2);
  // The time of the run is shown in tenths of a second.
  now_ += std::chrono::minutes(2);
  display_.Tick(now_);
  const int drawn = terminal_.num_writes;
  After(milliseconds(100));
  EXPECT_EQ(terminal_.num_writes, drawn);
}

TEST_F(ProgressDisplayTest, ShowsTheBarOfALongBatch) {
  Begin();
  activity_.num_input_rows = 1000;
  Run(BatchPhase::kJoining, 7, 250, 1000);
  After(milliseconds(300));
  EXPECT_EQ(rows()[0], "batch 7");
  After(milliseconds(499));
  EXPECT_EQ(rows()[0], "batch 7");
  After(milliseconds(101));
  EXPECT_EQ(rows()[0],
            "batch 7  joining     [#####---------------]  25 %  250 of 1,000 rows  0.6 s");
  activity_.unit = ProgressUnit::kBytes;
  Run(BatchPhase::kReading, 7, 1'500'000, 0);
  After(milliseconds(100));
  EXPECT_EQ(rows()[0], "batch 7  reading     1.5 MB  0.7 s");
  Run(BatchPhase::kCommitting, 7);
  After(milliseconds(100));
  EXPECT_EQ(rows()[0], "batch 7  committing    0.8 s");
  Run(BatchPhase::kJoining, 8, 1, 2);
  After(milliseconds(100));
  EXPECT_EQ(rows()[0], "batch 8") << "the next one has only begun";
}

TEST_F(ProgressDisplayTest, MeasuresTheRateOverTheLastSeconds) {
  Begin();
  for (int batch = 0; batch < 100; ++batch) {
    display_.Show(Batch(batch, 1000));
    Run(BatchPhase::kIdle, batch + 1);
    After(milliseconds(100));
  }
  EXPECT_THAT(rows()[1], HasSubstr(" rows in, 10,000 a second  "));
  // A batch of 100,000 rows is half joined: the rows count as they go, and once.
  activity_.num_input_rows = 100'000;
  Run(BatchPhase::kJoining, 100, 50'000, 100'000);
  After(milliseconds(1000));
  EXPECT_THAT(rows()[1],
              AllOf(StartsWith("200,000 rows in"), HasSubstr(" rows in, 18,000 a second  ")));
  display_.Show(Batch(100, 100'000));
  Run(BatchPhase::kCommitting, 100);
  After(milliseconds(1000));
  EXPECT_THAT(rows()[1],
              AllOf(StartsWith("200,000 rows in"), HasSubstr(" rows in, 26,000 a second  ")));
  for (int second = 0; second < 6; ++second) After(milliseconds(1000));
  EXPECT_THAT(rows()[1], HasSubstr(" rows in, 0 a second  "));
}

TEST_F(ProgressDisplayTest, OtherLinesComeToStandAboveTheBlock) {
  Begin();
  display_.PrintAbove("before\n");
  Run(BatchPhase::kIdle, 0);
  After(milliseconds(300));
  terminal_.Write("^C");  // The echo of a key.
  display_.PrintAbove("warning: one\nwarning: two\n");
  EXPECT_THAT(rows(), ElementsAre("before", "warning: one", "warning: two",
                                  "waiting  batch 0 is next", "0 rows in  0 out  0.3 s"));
  After(milliseconds(100));
  EXPECT_THAT(rows(), SizeIs(5));
  display_.End();
  EXPECT_THAT(rows(), ElementsAre("before", "warning: one", "warning: two"));
  After(milliseconds(1000));
  display_.PrintAbove("after\n");
  EXPECT_THAT(rows(), ElementsAre("before", "warning: one", "warning: two", "after"));
}

TEST_F(ProgressDisplayTest, CutsTheBlockToTheWindow) {
  terminal_.window = {40, 4};
  Begin();
  display_.Show(Batch(3, 10));
  Run(BatchPhase::kIdle, 4);
  After(milliseconds(300));
  ASSERT_THAT(rows(), SizeIs(3));
  for (const std::string& row : rows()) EXPECT_LT(row.size(), 40U);
  terminal_.window = {100, 30};
  After(milliseconds(100));
  EXPECT_THAT(rows(), SizeIs(5));
  EXPECT_THAT(rows()[3], HasSubstr("behind shows"));
}

TEST_F(ProgressDisplayTest, GoesUpOverTheRowsThatANarrowerWindowFoldedTheBlockInto) {
  Begin();
  Run(BatchPhase::kIdle, 4);
  After(milliseconds(300));
  terminal_.all.clear();
  terminal_.window = {10, 30};  // 24 and 22 columns were drawn: three rows each.
  After(milliseconds(100));
  EXPECT_THAT(terminal_.all, StartsWith("\r\x1b[6A"));
}

TEST_F(ProgressDisplayTest, LooksAsTheTerminalCan) {
  struct Case {
    const char* name;
    bool utf8;
    bool colors;
    const char* bar;
    const char* holder;
  };
  for (const Case& c : {Case{"plain", false, false, "[##########----------]", "> clicks"},
                        Case{"UTF-8", true, false, "██████████░░░░░░░░░░", "▶ clicks"},
                        Case{"colours", false, true, "[##########----------]", "> clicks"}}) {
    SCOPED_TRACE(c.name);
    ScreenTerminal terminal;
    ProgressDisplay display(&terminal);
    ProgressDisplay::Options options;
    options.style = ProgressStyle::kBlock;
    options.look = {true, c.utf8, c.colors};
    options.activity = [this] { return activity_; };
    options.started = now_;
    display.Begin(options);
    display.Show(Batch(0, 10));
    Run(BatchPhase::kJoining, 1, 5, 10);
    display.Tick(now_ += milliseconds(500));
    display.Tick(now_ += milliseconds(500));
    EXPECT_THAT(terminal.screen.rows()[0], HasSubstr(c.bar));
    EXPECT_THAT(terminal.screen.rows()[3], StartsWith(c.holder));
    EXPECT_EQ(terminal.screen.has_styles(), c.colors);
  }
}

TEST_F(ProgressDisplayTest, SaysWhatWasDropped) {
  Begin();
  BatchProgress batch = Batch(0, 10);
  batch.sources[0].num_late_rows = 1'500;
  batch.sources[1].num_bad_records = 2;
  batch.num_row_errors = 3;
  display_.Show(batch);
  After(milliseconds(300));
  EXPECT_EQ(rows().back(), "  dropped 1,500 late, 2 bad, 3 with an error");
}

TEST_F(ProgressDisplayTest, NamesTheTableThatHoldsBack) {
  struct Case {
    const char* name;
    std::optional<Watermark> left;
    std::optional<Watermark> right;
    const char* text;
  };
  for (const Case& c : {
           Case{"behind", At(100), At(99), "holds back, 1.0 s behind shows"},
           Case{"without a row", At(100), std::nullopt,
                "> clicks  watermark unset  holds back: no row time yet"},
           Case{"the other has ended without rows", std::nullopt, At(99), "holds back"},
       }) {
    SCOPED_TRACE(c.name);
    ProgressView view;
    view.last = Batch(0, 10);
    view.last->sources[0].watermark = c.left;
    view.last->sources[1].watermark = c.right;
    EXPECT_THAT(DrawProgress(view, false)[3].Render(80, false), HasSubstr(c.text));
  }
}

TEST_F(ProgressDisplayTest, SaysThatASilentTableIsNotWaitedForOnceItIsIdle) {
  ProgressView view;
  view.last = Batch(0, 10);
  SourceProgress& shows = view.last->sources[0];
  shows.idle_ms = 12'000;
  EXPECT_THAT(DrawProgress(view, false)[2].Render(80, false), EndsWith("  idle 12 s"));
  shows.idle = true;
  EXPECT_THAT(DrawProgress(view, false)[2].Render(80, false),
              EndsWith("  idle 12 s, not waited for"));
}

TEST_F(ProgressDisplayTest, PrintsOneLineOfJsonABatch) {
  Begin(ProgressStyle::kJson);
  display_.Show(Batch(0, 10));
  display_.Show(Batch(1, 10));
  After(milliseconds(1000));
  ASSERT_THAT(rows(), SizeIs(2));
  EXPECT_THAT(rows()[1], AllOf(StartsWith("{\"id\":"), HasSubstr("\"batchId\":1")));
  EXPECT_THAT(terminal_.all, Not(HasSubstr("\x1b")));
}

TEST_F(ProgressDisplayTest, ShowsNothingIfToldSo) {
  Begin(ProgressStyle::kNone);
  display_.Show(Batch(0, 10));
  After(milliseconds(1000));
  display_.End();
  EXPECT_THAT(terminal_.all, IsEmpty());
  EXPECT_EQ(display_.totals().num_input_rows, 10);
}

TEST(TerminalTest, LooksAtTheEnvironment) {
  struct Case {
    const char* name;
    std::map<std::string, std::string> variables;
    TerminalLook look;
  };
  for (const Case& c : {
           Case{"nothing", {}, {false, false, false}},
           Case{"dumb", {{"TERM", "dumb"}, {"LANG", "C.UTF-8"}}, {false, true, false}},
           Case{"usual", {{"TERM", "xterm"}, {"LANG", "de_DE.utf8"}}, {true, true, true}},
           Case{"no colours", {{"TERM", "xterm"}, {"NO_COLOR", "1"}}, {true, false, false}},
           Case{"empty NO_COLOR", {{"TERM", "xterm"}, {"NO_COLOR", ""}}, {true, false, true}},
           Case{"LC_ALL wins",
                {{"TERM", "xterm"}, {"LC_ALL", "C"}, {"LANG", "C.UTF-8"}},
                {true, false, true}},
       }) {
    const TerminalLook look = LookOfTerminal([&c](const char* name) -> const char* {
      const auto found = c.variables.find(name);
      return found == c.variables.end() ? nullptr : found->second.c_str();
    });
    EXPECT_EQ(look.moves_cursor, c.look.moves_cursor) << c.name;
    EXPECT_EQ(look.utf8, c.look.utf8) << c.name;
    EXPECT_EQ(look.colors, c.look.colors) << c.name;
  }
}

TEST(TerminalTest, TheBlockIsForTerminalsThatMoveTheirCursor) {
  struct Case {
    const char* text;
    bool is_terminal;
    bool moves_cursor;
    ProgressStyle style;
  };
  for (const Case& c : {Case{"auto", true, true, ProgressStyle::kBlock},
                        Case{"auto", true, false, ProgressStyle::kNone},
                        Case{"auto", false, true, ProgressStyle::kNone},
                        Case{"json", true, true, ProgressStyle::kJson},
                        Case{"none", true, true, ProgressStyle::kNone}}) {
    EXPECT_EQ(ParseProgressStyle(c.text, c.is_terminal, {c.moves_cursor, false, false}), c.style);
  }
  EXPECT_FALSE(ParseProgressStyle("line", true, {}));
}

TEST(TerminalLineTest, CutsAtColumnsNotAtBytes) {
  struct Case {
    const char* text;
    int columns;
    const char* shown;
  };
  for (const Case& c : {Case{"abc", 2, "ab"}, Case{"größe", 3, "grö"}, Case{"表名", 3, "表"},
                        Case{"表名", 4, "表名"}, Case{"a\x1b[1mb\tc", 9, "a?[1mb?c"},
                        Case{"a\xff\xc3", 9, "a??"}}) {
    TerminalLine line;
    line.Add(c.text);
    EXPECT_EQ(line.Render(c.columns, false), c.shown);
  }
  TerminalLine line;
  line.Add("ab", TextStyle::kWarning).Add("cd");
  EXPECT_EQ(line.Render(3, true), "\x1b[33mab\x1b[0mc");
}

TEST(ProgressBlockTest, WritesNumbersForPeople) {
  EXPECT_EQ(GroupDigits(0), "0");
  EXPECT_EQ(GroupDigits(999), "999");
  EXPECT_EQ(GroupDigits(1'000), "1,000");
  EXPECT_EQ(GroupDigits(1'234'567), "1,234,567");
  EXPECT_EQ(GroupDigits(-123'456), "-123,456");
  EXPECT_EQ(FormatLength(milliseconds(3'210)), "3.2 s");
  EXPECT_EQ(FormatLength(milliseconds(59'999)), "59 s");
  EXPECT_EQ(FormatLength(milliseconds(123'000)), "2 min 3 s");
  EXPECT_EQ(FormatLength(std::chrono::minutes(192)), "3 h 12 min");
  EXPECT_EQ(FormatLength(std::chrono::hours(51)), "2 d 3 h");
  EXPECT_EQ(FormatBytes(999), "999 B");
  EXPECT_EQ(FormatBytes(1'234'567), "1.2 MB");
  EXPECT_EQ(FormatBytes(999'960), "1.0 MB");
  EXPECT_EQ(FormatBytes(5'000'000'000'000), "5.0 TB");
}

}  // namespace
}  // namespace braid
