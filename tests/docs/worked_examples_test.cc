// The examples of docs/semantics.md, record by record: each line of their tables is a step of a
// query.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/docs/document.h"
#include "tests/reports/text_query.h"

namespace braid {
namespace {

using testing::PerRecord;
using testing::QueryText;
using testing::TextQuery;

constexpr const char* kPage = "docs/semantics.md";

// The cells of a line "| a | b |".
std::vector<std::string> CellsOf(const std::string& line) {
  std::vector<std::string> cells;
  size_t begin = 1;
  for (size_t end = line.find('|', 1); end != std::string::npos; end = line.find('|', begin)) {
    std::string cell = line.substr(begin, end - begin);
    cell.erase(0, std::min(cell.find_first_not_of(' '), cell.size()));
    cell.erase(cell.find_last_not_of(' ') + 1);
    cells.push_back(cell);
    begin = end + 1;
  }
  return cells;
}

// The lines of the table that has this head.
std::vector<std::vector<std::string>> TableBehind(const std::string& head) {
  const std::vector<std::string> lines = DocumentLines(kPage);
  std::vector<std::vector<std::string>> table;
  auto line = std::find(lines.begin(), lines.end(), head);
  if (line == lines.end()) ADD_FAILURE() << "no table " << head;
  for (line += line == lines.end() ? 0 : 2; line != lines.end() && line->starts_with("|"); ++line) {
    table.push_back(CellsOf(*line));
  }
  return table;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// "1@10 + 1@12, -D 3@20 + NULLs" in the words of TextQuery.
std::string RowsOf(const std::string& cell) {
  std::vector<std::string> rows;
  for (std::string rest = cell; !rest.empty();) {
    const size_t comma = rest.find(", ");
    std::string row = rest.substr(0, comma);
    rest = comma == std::string::npos ? "" : rest.substr(comma + 2);
    row = Replaced(Replaced(Replaced(row, "+I ", ""), "@", " "), " + ", " ");
    rows.push_back(Replaced(row, "NULLs", "- -"));
  }
  std::sort(rows.begin(), rows.end());
  return fmt::format("{}", fmt::join(rows, ", "));
}

std::string WatermarkText(TextQuery& query) {
  const std::optional<Watermark> watermark = query.job().running().waiting().watermark;
  if (!watermark) return "unset";
  if (*watermark >= Watermark::Infinity()) return "infinity";
  return fmt::format("{}", watermark->millis / 1000);
}

QueryText Example(const std::string& bounds) {
  return PerRecord(
      {.select =
           "SELECT l.id, l.ts, r.id AS rid, r.ts AS rts FROM l LEFT JOIN r ON l.id = r.id" + bounds,
       .left = "id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND",
       .right = "id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND",
       .settings = {{"execution.end-of-input", "flush"}}});
}

// What the step of a cell "l 1@10" or "end of l" gives.
std::string RunCell(const std::string& cell, TextQuery* query) {
  if (cell.starts_with("end of ")) {
    query->EndInput(cell.substr(7));
    const std::string rows = query->Trigger();
    return rows == "!" ? "" : rows;
  }
  return query->Step(cell.substr(0, 1) + ":" + Replaced(cell.substr(1), "@", " "));
}

TEST(WorkedExamplesTest, TheIntervalJoinGoesAsThePageSays) {
  TextQuery query(
      Example(" AND r.ts BETWEEN l.ts - INTERVAL '10' SECOND AND l.ts + INTERVAL '10' SECOND"));
  std::string before = "unset";
  const auto table = TableBehind("| record | wm before | what happens | emitted | wm after |");
  EXPECT_EQ(table.size(), 15U);
  for (const std::vector<std::string>& cells : table) {
    SCOPED_TRACE(cells[0]);
    EXPECT_EQ(cells[1], before);
    EXPECT_EQ(RunCell(cells[0], &query), RowsOf(cells[3]));
    before = WatermarkText(query);
    EXPECT_EQ(cells[4], before);
  }
  EXPECT_EQ(query.state_rows(), 0);
}

TEST(WorkedExamplesTest, TheRegularJoinGoesAsThePageSays) {
  TextQuery query(Example(""));
  const auto table = TableBehind("| record | emitted |");
  EXPECT_EQ(table.size(), 13U);
  for (const std::vector<std::string>& cells : table) {
    SCOPED_TRACE(cells[0]);
    EXPECT_EQ(RunCell(cells[0], &query), RowsOf(cells[1]));
  }
}

}  // namespace
}  // namespace braid
