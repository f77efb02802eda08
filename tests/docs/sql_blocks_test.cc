// Every SQL block of the documents runs to the end over generated rows.
#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "braid/clock.h"
#include "engine/session/job.h"
#include "engine/sql/parser.h"
#include "tests/connectors/temporary_folder.h"
#include "tests/docs/document.h"
#include "tests/docs/example_tables.h"

namespace braid {
namespace {

// Prepares and runs a job; gives how many rows it read.
Result<int64_t> RunText(const std::string& text) {
  const TemporaryFolder folder;
  ExampleTables tables(folder.path());
  SystemClock clock;
  JobOptions options;
  options.connectors = &tables.connectors();
  options.clock = &clock;
  options.settings = {{"execution.trigger", Option{"available-now", {}}}};
  Result<std::unique_ptr<Job>> job = Job::Prepare(text, options);
  if (!job) return tl::unexpected(job.error());
  if ((*job)->Explain().empty()) return Fail(ErrorCode::kInternal, "nothing is explained");
  if (Status opened = (*job)->Open(); !opened) return tl::unexpected(opened.error());
  int64_t rows = 0;
  (*job)->running().SetProgressListener(
      [&rows](const BatchProgress& progress) { rows += progress.num_input_rows; });
  if (Status run = (*job)->Run(); !run) return tl::unexpected(run.error());
  return rows;
}

// The texts of the jobs that show a block: the block itself, or, if it has no query, one that reads
// each of its tables.
Result<std::vector<std::string>> JobsOf(const SqlBlock& block) {
  const std::string text = block.context + block.text;
  const Result<Script> script = ParseScript(text, {});
  if (!script) return tl::unexpected(script.error());
  if (script->query) return std::vector<std::string>{text};
  std::vector<std::string> jobs;
  for (const TablePtr& table : script->tables) {
    jobs.push_back(text + "SELECT * FROM `" + table->name + "`;\n");
  }
  return jobs;
}

TEST(SqlBlocksTest, EveryBlockRunsUnlessItSaysRefused) {
  const std::vector<SqlBlock> blocks = SqlBlocks();
  ASSERT_GT(blocks.size(), 10U);
  for (const SqlBlock& block : blocks) {
    SCOPED_TRACE(block.page + ":" + std::to_string(block.line) + "\n" + block.text);
    const Result<std::vector<std::string>> jobs = JobsOf(block);
    if (block.is_refused()) {
      EXPECT_FALSE(jobs.has_value());
      continue;
    }
    ASSERT_TRUE(jobs.has_value()) << jobs.error().ToString();
    EXPECT_FALSE(jobs->empty());
    for (const std::string& job : *jobs) {
      testing::internal::CaptureStdout();
      const Result<int64_t> rows = RunText(job);
      testing::internal::GetCapturedStdout();
      ASSERT_TRUE(rows.has_value()) << rows.error().ToString();
      EXPECT_GT(*rows, 0);
    }
  }
}

}  // namespace
}  // namespace braid
