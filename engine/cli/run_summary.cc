#include "engine/cli/run_summary.h"

#include <fmt/format.h>

#include <string_view>

#include "braid/value.h"
#include "engine/session/job.h"

namespace braid {

namespace {

// "1 row", "2 rows".
std::string Count(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string FormatTime(EventTime time) {
  return FormatValue({DataType::Timestamp(3), time.micros});
}

std::string FirstLine(const RunTotals& totals, double seconds) {
  std::string line = fmt::format("{} in, {} out", Count(totals.num_input_rows, "row"),
                                 Count(totals.num_output_rows, "row"));
  if (totals.num_padded_rows > 0) {
    line += fmt::format(" ({} of them padded)", totals.num_padded_rows);
  }
  line += fmt::format(
      " in {}, {:.2f} s",
      totals.num_batches == 1 ? "1 batch" : fmt::format("{} batches", totals.num_batches), seconds);
  if (seconds > 0 && totals.num_input_rows > 0) {
    line += fmt::format(", {:.0f} rows/s", static_cast<double>(totals.num_input_rows) / seconds);
  }
  return line + "\n";
}

std::string TableLine(const TableTotals& table, bool flushed) {
  std::string line = fmt::format("  {}: {}", table.table, Count(table.num_input_rows, "row"));
  if (table.watermark) line += ", watermark " + FormatWatermark(table.watermark);
  if (table.holds_back && !flushed) line += " (holds the query back)";
  if (table.num_late_rows > 0) line += fmt::format(", {} late", table.num_late_rows);
  if (table.num_future_rows > 0) {
    line += fmt::format(", {} too far ahead of the clock for the watermark", table.num_future_rows);
  }
  if (table.num_bad_records > 0) line += ", " + Count(table.num_bad_records, "bad record");
  return line + "\n";
}

std::string DroppedLines(const RunTotals& totals) {
  std::string lines;
  const auto add = [&lines](int64_t count, std::string_view noun, std::string_view what) {
    if (count > 0) lines += fmt::format("{} {}\n", Count(count, noun), what);
  };
  add(totals.num_late_rows, "late row", totals.num_late_rows == 1 ? "was dropped" : "were dropped");
  for (const TableTotals& table : totals.tables) {
    if (table.num_bad_records == 0) continue;
    lines += fmt::format("{} of {}, {}\n", Count(table.num_bad_records, "bad record"), table.table,
                         table.bad_records_location.empty()
                             ? "not kept: the table's 'bad-records-path' would"
                             : "kept in " + table.bad_records_location);
  }
  add(totals.num_null_time_rows, "row", "had a NULL time and could not match");
  add(totals.num_null_key_rows, "row", "had a NULL key and could not match");
  add(totals.num_row_errors, "row",
      totals.num_row_errors == 1 ? "was dropped for an error" : "were dropped for an error");
  return lines;
}

// Rows in a table beside the result.
std::string WrittenLine(int64_t count, std::string_view noun, const std::string& table) {
  if (table.empty()) return "";
  return fmt::format("{} {} written to {}\n", Count(count, noun), count == 1 ? "was" : "were",
                     table);
}

// "(now …, held back by clicks)"
std::string WatermarkNow(const WaitingRows& holder) {
  std::string now = FormatWatermark(holder.watermark);
  if (holder.held_back_by.empty()) return now;
  return holder.holder_has_row_time
             ? fmt::format("{}, held back by {}", now, holder.held_back_by)
             : fmt::format("{}: {} has shown no row time yet", now, holder.held_back_by);
}

std::string ReleaseLine(const RunEnd& end, const RunEnd::WaitingSide& side) {
  const std::string them = side.num_rows == 1 ? "it" : "them";
  if (end.stopped && !end.checkpoint) {
    return fmt::format("  the run was stopped and had no --checkpoint: this loses {}\n", them);
  }
  std::string line;
  if (side.needed) {
    const std::string& holder = end.holder.held_back_by;
    line = holder.empty()
               ? fmt::format("row times past {} in all tables let the oldest out",
                             FormatTime(AtMicros(*side.needed)))
               : fmt::format("a row of {} with time {} or later lets the oldest out", holder,
                             FormatTime(AtMicros(*side.needed) + end.holder.holder_delay));
  }
  if (!end.stopped) {
    if (!line.empty()) line += "; ";
    line += fmt::format(
        "to end the input for good and let {} all out: --set execution.end-of-input=flush (the "
        "checkpoint then takes no more)",
        them);
  }
  return line.empty() ? line : "  " + line + "\n";
}

std::string WaitingLines(const RunEnd& end) {
  std::string lines;
  for (const RunEnd::WaitingSide& side : end.waiting) {
    lines += fmt::format(
        "{} of {} {} in state for a match or for NULLs; the oldest leaves at watermark {} (now "
        "{})\n",
        Count(side.num_rows, "row"), side.table, side.num_rows == 1 ? "waits" : "wait",
        FormatWatermark(side.needed), WatermarkNow(end.holder));
    lines += ReleaseLine(end, side);
  }
  return lines;
}

}  // namespace

std::string FormatWatermark(const std::optional<Watermark>& watermark) {
  if (!watermark) return "unset";
  if (*watermark == Watermark::Infinity()) return "end of input";
  return FormatTime(AtMicros(*watermark));
}

RunEnd DescribeEnd(Job* job, double seconds) {
  RunEnd end;
  end.seconds = seconds;
  end.stopped = job->stop_requested();
  end.checkpoint = job->settings().checkpoint;
  const TriggeredQuery& query = job->running();
  end.last_batch = query.last_batch();
  end.flushed = query.is_flushed();
  const StreamPlan& stream_plan = job->plan();
  if (stream_plan.late_rows) end.late_rows_table = stream_plan.late_rows->table->name;
  if (stream_plan.unmatched_rows) {
    end.unmatched_rows_table = stream_plan.unmatched_rows->table->name;
  }
  // A query that has given all the rows it was asked for waits for nothing.
  if (!job->plan().join || query.limit_reached()) return end;
  end.holder = query.waiting();
  for (const Side side : {Side::kLeft, Side::kRight}) {
    const JoinSidePlan& plan = job->plan().join->side(side);
    const int64_t num_rows = end.holder.rows[Index(side)];
    if (!plan.pads || num_rows == 0) continue;
    end.waiting.push_back({plan.input.alias, num_rows, end.holder.needed[Index(side)]});
  }
  return end;
}

std::string FormatRunSummary(const RunTotals& totals, const RunEnd& end, bool details) {
  std::string text = FirstLine(totals, end.seconds);
  if (details) {
    for (const TableTotals& table : totals.tables) text += TableLine(table, totals.flushed);
  }
  text += DroppedLines(totals);
  if (!details) return text;
  text += WrittenLine(totals.num_late_rows_written, "late row", end.late_rows_table);
  text += WrittenLine(totals.num_unmatched_rows_written, "unmatched row", end.unmatched_rows_table);
  text += WaitingLines(end);
  if (end.checkpoint) {
    text += end.last_batch
                ? fmt::format("checkpoint: {}, at batch {}\n", *end.checkpoint, *end.last_batch)
                : fmt::format("checkpoint: {}, no batch yet\n", *end.checkpoint);
    if (end.flushed) {
      text +=
          "  the checkpoint takes no more rows: its input was ended with flush; to continue later, "
          "begin with --set execution.end-of-input=hold\n";
    }
  }
  return text;
}

}  // namespace braid
