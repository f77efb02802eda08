// Prints rows as a table that a person reads:
//
//   id | name  | ts
//   ---+-------+------------------------
//    1 | Zoë   | 2024-01-01 00:00:00.000
//    2 | <NULL> | …
//
// The widths of the columns are those of the first rows: of the first batch that has any, at most
// kRowsMeasured of it. A later cell that is wider is printed whole and moves its line. So a result
// of any length is printed as it comes, in constant memory.
//
// Rows that have kinds (RowBatch::change_kind) have a first column 'op' that shows them. If a query
// prints its first such rows only later, the table begins again there, with a header of its own.
//
// Numbers stand to the right. NULL is <NULL>; control characters are escaped (terminal_text.h).
// Thread rule: as sink.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/schema.h"
#include "braid/sink.h"
#include "engine/connectors/console_stream.h"
#include "engine/connectors/format/changelog_column.h"
#include "engine/connectors/terminal_text.h"

namespace braid {

class TablePrintSink final : public Sink {
 public:
  static constexpr size_t kRowsMeasured = 1'000;

  // `stream` is borrowed: stdout or stderr. `colours`: the header bold, NULL dim. `changelog`: the
  // column that shows the kinds instead, of all rows.
  TablePrintSink(const Schema& schema, std::FILE* stream, bool colours,
                 const std::optional<ChangelogColumn>& changelog = std::nullopt);

  std::string description() const override { return "PrintSink"; }
  bool takes_changes() const override { return true; }
  Status Open(const SinkContext& /*context*/) override { return {}; }
  Status BeginBatch(int64_t /*batch_id*/) override { return {}; }
  Status Write(int partition, const RowBatch& rows) override;
  Status PublishBatch(int64_t batch_id) override;
  // Prints the header of a table without rows.
  Status Close() override;

 private:
  struct Cell {
    ShownText shown;
    bool is_null = false;
  };
  using Cells = std::vector<Cell>;

  // Under mutex_, as all below.
  Cells CellsOf(const RowBatch& rows, int64_t row) const;
  // From here on each row shows its kind; the table begins again.
  void BeginToShowKinds();
  // Fixes the widths and prints the header and the rows that wait for it.
  void Begin(std::string* text);
  void AppendHeader(std::string* text) const;
  void AppendRow(const Cells& cells, std::string* text) const;
  void AppendCell(size_t column, const ShownText& shown, const char* style,
                  std::string* text) const;

  const std::optional<ChangelogColumn> changelog_;
  const bool colours_;
  ConsoleStream stream_;
  std::mutex mutex_;
  Schema schema_;             // Of the table that is printed.
  bool shows_kinds_ = false;  // In a first column that the rows do not have.
  std::vector<Cells> waiting_;
  std::vector<int> widths_;  // Empty until they are fixed.
};

}  // namespace braid
