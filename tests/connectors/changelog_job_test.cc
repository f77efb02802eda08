// Whole jobs that write a changelog: what the SQL, the plan and the sink make of its column
// together.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "braid/clock.h"
#include "engine/connectors/connector_registry.h"
#include "engine/session/job.h"
#include "tests/connectors/temporary_folder.h"

namespace braid {
namespace {

class ChangelogJobTest : public testing::Test {
 protected:
  // Runs a job to its end; its error, or nothing.
  std::string Run(const std::string& text) {
    SystemClock clock;
    const ConnectorRegistry connectors = BuiltInConnectors();
    JobOptions options;
    options.connectors = &connectors;
    options.clock = &clock;
    Result<std::unique_ptr<Job>> job = Job::Prepare(text, options);
    if (!job) return job.error().ToString();
    if (Status opened = (*job)->Open(); !opened) return opened.error().ToString();
    if (Status run = (*job)->Run(); !run) return run.error().ToString();
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(ChangelogJobTest, AnInsertGivesTheOtherColumnsAndTheSinkTheKind) {
  struct Case {
    const char* columns;
    const char* options;
    const char* file;
    const char* text;
  };
  const Case cases[] = {
      {"id BIGINT, op STRING NOT NULL, name STRING",
       "'format' = 'csv', 'csv.header' = 'true', 'changelog.column' = 'op'", "csv",
       "id,op,name\n1,+I,a\n2,+I,b\n"},
      {"id BIGINT, name STRING", "'format' = 'csv', 'changelog.column' = 'op'", "csv",
       "+I,1,a\n+I,2,b\n"},
      {"id BIGINT, name STRING", "'format' = 'json', 'changelog.column' = 'op'", "json",
       "{\"op\":\"+I\",\"id\":1,\"name\":\"a\"}\n{\"op\":\"+I\",\"id\":2,\"name\":\"b\"}\n"},
      {"id BIGINT, name STRING", "'format' = 'debezium-json'", "json",
       "{\"before\":null,\"after\":{\"id\":1,\"name\":\"a\"},\"op\":\"c\"}\n"
       "{\"before\":null,\"after\":{\"id\":2,\"name\":\"b\"},\"op\":\"c\"}\n"},
  };
  folder_.Write("in.csv", "1,a\n2,b\n");
  int number = 0;
  for (const Case& one : cases) {
    SCOPED_TRACE(one.options);
    const std::string out = fmt::format("out{}", ++number);
    EXPECT_EQ(Run(fmt::format(
                  "CREATE TABLE i (id BIGINT, name STRING) WITH ('connector' = 'filesystem', "
                  "'path' = '{}', 'format' = 'csv');\n"
                  "CREATE TABLE o ({}) WITH ('connector' = 'filesystem', 'path' = '{}', {});\n"
                  "INSERT INTO o SELECT id, name FROM i",
                  folder_ / "in.csv", one.columns, folder_ / out, one.options)),
              "");
    EXPECT_EQ(folder_.Read(fmt::format("{}/part-00000000-000.{}", out, one.file)), one.text);
  }
}

TEST_F(ChangelogJobTest, AColumnThatCannotHoldKindsIsRefusedBeforeTheJobRuns) {
  folder_.Write("in.csv", "1,a\n");
  EXPECT_THAT(
      Run(fmt::format("CREATE TABLE i (id BIGINT, name STRING) WITH ('connector' = 'filesystem', "
                      "'path' = '{}', 'format' = 'csv');\n"
                      "CREATE TABLE o (op INT, id BIGINT) WITH ('connector' = 'filesystem', "
                      "'path' = '{}', 'format' = 'csv', 'changelog.column' = 'op');\n"
                      "INSERT INTO o SELECT id FROM i",
                      folder_ / "in.csv", folder_ / "out")),
      testing::HasSubstr("the column op is INT; it holds +I, -U, +U or -D"));
}

}  // namespace
}  // namespace braid
