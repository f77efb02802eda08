#include "engine/cli/run_summary.h"

#include <gtest/gtest.h>

#include <string>

namespace braid {
namespace {

// 2024-01-01 00:00:00 and so many seconds.
constexpr Watermark At(int64_t seconds) { return {1'704'067'200'000 + seconds * 1000}; }

BatchProgress Batch(int64_t left_rows, int64_t right_rows) {
  BatchProgress progress;
  progress.num_input_rows = left_rows + right_rows;
  progress.num_output_rows = 3;
  progress.state.emplace();
  progress.state->num_padded_rows = 1;
  for (const auto& [table, rows] : {std::pair{"shows", left_rows}, {"clicks", right_rows}}) {
    SourceProgress source;
    source.table = table;
    source.num_input_rows = rows;
    source.watermark = At(rows);
    progress.sources.push_back(source);
  }
  progress.sources[1].holds_back = true;
  return progress;
}

TEST(RunSummaryTest, AddsUpTheBatches) {
  RunTotals totals;
  totals.Add(Batch(10, 5));
  totals.Add(Batch(20, 15));
  RunEnd end;
  end.seconds = 2;
  EXPECT_EQ(FormatRunSummary(totals, end, true),
            "50 rows in, 6 rows out (2 of them padded) in 2 batches, 2.00 s, 25 rows/s\n"
            "  shows: 30 rows, watermark 2024-01-01 00:00:20.000\n"
            "  clicks: 20 rows, watermark 2024-01-01 00:00:15.000 (holds the query back)\n");
}

TEST(RunSummaryTest, SaysNothingOfPaddedRowsWhereThereAreNone) {
  BatchProgress batch = Batch(10, 5);
  batch.state->num_padded_rows = 0;
  RunTotals totals;
  totals.Add(batch);
  RunEnd end;
  end.seconds = 1;
  EXPECT_TRUE(FormatRunSummary(totals, end, true)
                  .starts_with("15 rows in, 3 rows out in 1 batch, 1.00 s, 15 rows/s\n"));
}

TEST(RunSummaryTest, NamesNoHolderOnceAllRowsWereLetOut) {
  RunTotals totals;
  BatchProgress flush = Batch(0, 0);
  flush.flush = true;
  totals.Add(flush);
  EXPECT_EQ(FormatRunSummary(totals, {}, true).find("holds"), std::string::npos);
}

TEST(RunSummaryTest, SaysWhatWasDroppedAndWhy) {
  BatchProgress batch = Batch(10, 5);
  batch.num_row_errors = 1;
  batch.state->rows_null_time = 2;
  batch.state->rows_null_key = 1;
  batch.sources[0].num_late_rows = 3;
  batch.sources[0].num_bad_records = 1;
  batch.sources[1].num_bad_records = 2;
  batch.sources[1].bad_records_location = "/data/bad/clicks.json";
  RunTotals totals;
  totals.Add(batch);
  RunEnd end;
  end.seconds = 1;
  EXPECT_EQ(FormatRunSummary(totals, end, false),
            "15 rows in, 3 rows out (1 of them padded) in 1 batch, 1.00 s, 15 rows/s\n"
            "3 late rows were dropped\n"
            "1 bad record of shows, not kept: the table's 'bad-records-path' would\n"
            "2 bad records of clicks, kept in /data/bad/clicks.json\n"
            "2 rows had a NULL time and could not match\n"
            "1 row had a NULL key and could not match\n"
            "1 row was dropped for an error\n");
}

TEST(RunSummaryTest, CountsTheRowsOfBadClocks) {
  BatchProgress batch = Batch(10, 5);
  batch.sources[0].num_future_rows = 2;
  RunTotals totals;
  totals.Add(batch);
  totals.Add(batch);
  const std::string text = FormatRunSummary(totals, {}, true);
  EXPECT_NE(text.find("  shows: 20 rows, watermark 2024-01-01 00:00:10.000, 4 too far ahead of the "
                      "clock for the watermark\n"),
            std::string::npos)
      << text;
}

TEST(RunSummaryTest, SaysHowManyRowsTheTablesBesideTheResultGot) {
  BatchProgress batch = Batch(0, 0);
  batch.num_late_rows_written = 0;
  batch.num_unmatched_rows_written = 1;
  RunTotals totals;
  totals.Add(batch);
  totals.Add(batch);
  RunEnd end;
  end.unmatched_rows_table = "lost_rows";
  const std::string text = FormatRunSummary(totals, end, true);
  EXPECT_NE(text.find("\n2 unmatched rows were written to lost_rows\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("late"), std::string::npos) << text;
  end.late_rows_table = "late_rows";
  EXPECT_NE(FormatRunSummary(totals, end, true).find("\n0 late rows were written to late_rows\n"),
            std::string::npos);
}

TEST(RunSummaryTest, SaysThatACheckpointTakesNoMore) {
  RunEnd end;
  end.checkpoint = "checkpoint";
  end.last_batch = 7;
  EXPECT_EQ(FormatRunSummary({}, end, true).find("no more"), std::string::npos);
  end.flushed = true;
  const std::string text = FormatRunSummary({}, end, true);
  EXPECT_TRUE(
      text.ends_with("checkpoint: checkpoint, at batch 7\n"
                     "  the checkpoint takes no more rows: its input was ended with flush; "
                     "to continue later, begin with --set execution.end-of-input=hold\n"))
      << text;
  end.checkpoint.reset();
  EXPECT_EQ(FormatRunSummary({}, end, true).find("no more"), std::string::npos);
}

TEST(RunSummaryTest, SaysWhatWaitsAndWhatLetsItOut) {
  RunEnd held;
  held.checkpoint = "checkpoint";
  held.last_batch = 7;
  held.waiting = {{"s", 2, At(70)}};
  held.holder.watermark = At(55);
  held.holder.held_back_by = "clicks";
  held.holder.holder_has_row_time = true;
  held.holder.holder_delay = Seconds(5);
  const std::string wait =
      "2 rows of s wait in state for a match or for NULLs; the oldest leaves at watermark "
      "2024-01-01 00:01:10.000 (now 2024-01-01 00:00:55.000, held back by clicks)\n"
      "  a row of clicks with time 2024-01-01 00:01:15.000 or later lets the oldest out";
  const std::string flush =
      "; to end the input for good and let them all out: --set execution.end-of-input=flush (the "
      "checkpoint then takes no more)\n";

  RunEnd stopped = held;
  stopped.stopped = true;
  RunEnd lost = stopped;
  lost.checkpoint.reset();
  RunEnd agreed = held;
  agreed.holder.held_back_by = "";
  RunEnd unset = held;
  unset.holder.watermark.reset();
  unset.holder.holder_has_row_time = false;

  const std::string checkpoint = "checkpoint: checkpoint, at batch 7\n";
  struct Case {
    const char* name;
    RunEnd end;
    std::string text;
  };
  for (const Case& c : {
           Case{"held", held, wait + flush + checkpoint},
           Case{"stopped", stopped, wait + "\n" + checkpoint},
           Case{"stopped without a checkpoint", lost,
                wait.substr(0, wait.find("  a row")) +
                    "  the run was stopped and had no --checkpoint: this loses them\n"},
           Case{"no single holder", agreed,
                "2 rows of s wait in state for a match or for NULLs; the oldest leaves at "
                "watermark 2024-01-01 00:01:10.000 (now 2024-01-01 00:00:55.000)\n"
                "  row times past 2024-01-01 00:01:10.000 in all tables let the oldest out" +
                    flush + checkpoint},
           Case{"a table without rows", unset,
                "2 rows of s wait in state for a match or for NULLs; the oldest leaves at "
                "watermark 2024-01-01 00:01:10.000 (now unset: clicks has shown no row time yet)\n"
                "  a row of clicks with time 2024-01-01 00:01:15.000 or later lets the oldest out" +
                    flush + checkpoint},
       }) {
    const std::string text = FormatRunSummary({}, c.end, true);
    EXPECT_EQ(text.substr(text.find('\n') + 1), c.text) << c.name;
  }
}

}  // namespace
}  // namespace braid
