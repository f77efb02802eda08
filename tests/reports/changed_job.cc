#include "tests/reports/changed_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "braid/value.h"
#include "engine/connectors/connector_registry.h"
#include "engine/connectors/memory.h"
#include "engine/session/job.h"

namespace braid::testing {

namespace {

// Fails to publish after so many batches, as a disk does that is full.
class FailingSink final : public Sink {
 public:
  FailingSink(std::unique_ptr<Sink> sink, int published_max)
      : sink_(std::move(sink)), published_left_(published_max) {}
  std::string description() const override { return sink_->description(); }
  bool takes_changes() const override { return true; }
  Status Open(const SinkContext& context) override { return sink_->Open(context); }
  Status BeginBatch(int64_t batch_id) override { return sink_->BeginBatch(batch_id); }
  Status Write(int partition, const RowBatch& rows) override {
    return sink_->Write(partition, rows);
  }
  Status PublishBatch(int64_t batch_id) override {
    if (published_left_ == 0) return Fail(ErrorCode::kIo, "the sink has failed");
    if (published_left_ > 0) --published_left_;
    return sink_->PublishBatch(batch_id);
  }

 private:
  std::unique_ptr<Sink> sink_;
  int published_left_;
};

std::string JsonOf(const std::string& cell) {
  const size_t sign = cell.find('=');
  const std::string name = cell.substr(0, sign);
  const std::string value = cell.substr(sign + 1);
  if (value == "-") return fmt::format("\"{}\":null", name);
  if (name.starts_with("ts")) {
    const int seconds = std::stoi(value);
    return fmt::format("\"{}\":\"1970-01-01 00:{:02}:{:02}\"", name, seconds / 60, seconds % 60);
  }
  const bool is_number = value.find_first_not_of("0123456789.-") == std::string::npos;
  return is_number ? fmt::format("\"{}\":{}", name, value)
                   : fmt::format("\"{}\":\"{}\"", name, value);
}

std::string TextOf(const Value& value) {
  if (value.is_null()) return "-";
  if (value.type.is_timestamp()) {
    return fmt::format("{}", static_cast<double>(value.integer()) / 1e6);
  }
  if (value.type.is_floating()) return fmt::format("{}", value.floating());
  if (value.type.is_variable_width()) return value.text();
  return fmt::format("{}", value.integer());
}

}  // namespace

void ChangedJob::Write(const std::string& table, const std::string& rows) {
  std::string text;
  std::istringstream stream(rows);
  for (std::string row; std::getline(stream, row, ',');) {
    std::string json;
    std::istringstream cells(row);
    for (std::string cell; cells >> cell;) json += (json.empty() ? "" : ",") + JsonOf(cell);
    text += "{" + json + "}\n";
  }
  directory_.Write(fmt::format("{}/{:03}.json", table, num_files_++), text);
}

std::string ChangedJob::ScriptOf(const JobText& text) const {
  std::string script = fmt::format(
      "SET 'execution.checkpoint' = '{}';\nSET 'execution.end-of-input' = 'hold';\nSET "
      "'execution.trigger' = 'available-now';\n",
      File("checkpoint"));
  for (const auto& [key, value] : text.settings) {
    script += fmt::format("SET '{}' = '{}';\n", key, value);
  }
  const auto table = [&](const std::string& name, const std::string& columns,
                         const std::string& path, const std::string& options) {
    return fmt::format(
        "CREATE TABLE {} ({}) WITH ('connector' = 'filesystem', 'path' = '{}', 'format' = "
        "'json'{});\n",
        name, columns, File(path), options);
  };
  return script + table(text.left_name, text.left, text.left_path, text.left_options) +
         table("r", text.right, "r", "") + text.more + text.select + ";\n";
}

Status ChangedJob::Run(const JobText& text, int published_max) {
  const ConnectorRegistry connectors = BuiltInConnectors();
  JobOptions options;
  options.connectors = &connectors;
  options.clock = &clock_;
  options.sink = [&](const TableDescription& table) -> Result<std::unique_ptr<Sink>> {
    return std::make_unique<FailingSink>(std::make_unique<MemorySink>(table.name, result_),
                                         published_max);
  };
  Result<std::unique_ptr<Job>> job = Job::Prepare(ScriptOf(text), options);
  if (!job) return tl::unexpected(job.error());
  if (Status opened = (*job)->Open(); !opened) return opened;
  return (*job)->Run();
}

std::string ChangedJob::Rows() const {
  std::vector<std::string> rows;
  for (const RowBatch& batch : result_->Rows()) {
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      std::string text;
      for (const Column& column : batch.columns()) {
        text += (text.empty() ? "" : " ") + TextOf(ValueAt(column, row));
      }
      const ChangeKind kind = batch.change_kind(row);
      rows.push_back(kind == ChangeKind::kInsert ? text : ChangeKindText(kind) + (" " + text));
    }
  }
  std::sort(rows.begin(), rows.end());
  return fmt::format("{}", fmt::join(rows, ", "));
}

}  // namespace braid::testing
