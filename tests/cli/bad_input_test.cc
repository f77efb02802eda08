// What a user may get wrong: each time a clear message, a documented exit code, and nothing
// damaged.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/cli/command_runner.h"

namespace braid {
namespace {

using testing::CommandResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ReadFile;
using testing::RunBraid;
using testing::RunningCommand;
using ::testing::SizeIs;
using testing::SortedOutputLines;
using testing::TemporaryDirectory;

// Two small tables that join, in a folder of their own.
class BadInputTest : public ::testing::Test {
 protected:
  BadInputTest() {
    directory_.Write("l/1.csv", "1,2024-01-01 00:00:01.000,a\n2,2024-01-01 00:00:02.000,b\n");
    directory_.Write("r/1.csv", "1,2024-01-01 00:00:03.000,x\n");
  }

  std::string Table(const std::string& name, const std::string& column,
                    const std::string& options = "") const {
    return fmt::format(
        "CREATE TABLE {0} (id BIGINT, ts TIMESTAMP(3), {1} STRING, WATERMARK FOR ts AS ts - "
        "INTERVAL "
        "'1' SECOND) WITH ('connector' = 'filesystem', 'path' = '{2}', 'format' = 'csv'{3});\n",
        name, column, directory_.File(name), options);
  }

  std::string Sink(const std::string& options = "") const {
    return fmt::format(
        "CREATE TABLE o (id BIGINT, v STRING, w STRING) WITH ('connector' = 'filesystem', 'path' = "
        "'{}', 'format' = 'csv'{});\n",
        directory_.File("out"), options);
  }

  static std::string Insert(const std::string& select = "l.id, l.v, r.w",
                            const std::string& type = "LEFT") {
    return fmt::format(
        "INSERT INTO o SELECT {} FROM l {} JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + "
        "INTERVAL '5' SECOND;\n",
        select, type);
  }

  std::string Job(const std::string& text) const { return directory_.Write("job.sql", text); }
  std::string GoodJob() const { return Job(Table("l", "v") + Table("r", "w") + Sink() + Insert()); }
  std::string Checkpoint() const { return directory_.File("checkpoint"); }
  std::vector<std::string> Output() const { return SortedOutputLines(directory_.File("out")); }

  CommandResult Run(const std::string& job, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"run", job};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunBraid(arguments);
  }

  // The version that the refusal of new input behind a flush says to go back to.
  std::optional<std::string> AdvisedVersion(const CommandResult& refused) const {
    const std::string advice = fmt::format("`braid state {} --rollback ", Checkpoint());
    const size_t found = refused.errors.find(advice);
    if (found == std::string::npos) return std::nullopt;
    const size_t number = found + advice.size();
    return refused.errors.substr(number, refused.errors.find('`', number) - number);
  }

  TemporaryDirectory directory_;
};

TEST_F(BadInputTest, AnUnknownCommandNamesTheNearest) {
  const CommandResult mistyped = RunBraid({"rnu", "job.sql"});
  EXPECT_EQ(mistyped.exit_code, 2);
  EXPECT_THAT(mistyped.errors, HasSubstr("there is no command 'rnu'; did you mean run?"));
  const CommandResult help = RunBraid({"help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.output, HasSubstr("Usage: braid"));
}

TEST_F(BadInputTest, ATriggerHasAUnit) {
  const CommandResult result = Run(GoodJob(), {"--trigger", "10"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("'10' is no trigger: write once, available-now, asap, or"));
}

TEST_F(BadInputTest, AGoodJobRuns) {
  const CommandResult result = Run(GoodJob());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(Output(), ElementsAre("1,a,x", "2,b,"));
}

TEST_F(BadInputTest, QueriesThatAreWrongNameThePlace) {
  struct Case {
    const char* name;
    std::string text;
    std::vector<std::string> messages;
  };
  const std::string tables = Table("l", "v") + Table("r", "w") + Sink();
  const std::vector<Case> cases = {
      {"unknown column", tables + Insert("l.idd, l.v, r.w"), {"job.sql:4:", "idd", "id"}},
      {"syntax error", tables + "INSERT INTO o SELEC l.id FROM l;\n", {"job.sql:4:15", "SELEC"}},
      {"wrong type", tables + Insert("l.id, l.v, l.ts - r.ts"), {"job.sql:4:", "w", "STRING"}},
      {"unknown option",
       Table("l", "v", ", 'csv.hedder' = 'true'") + Table("r", "w") + Sink() + Insert(),
       {"job.sql:1:", "csv.hedder", "csv.header"}},
      {"unknown setting",
       "SET 'paralelism' = '2';\n" + tables + Insert(),
       {"job.sql:1:", "paralelism", "parallelism"}},
      {"nothing to run", tables, {"job.sql", "INSERT"}},
      {"unbounded outer join",
       tables + "INSERT INTO o SELECT l.id, l.v, r.w FROM l LEFT JOIN r ON l.id = r.id;\n",
       {"job.sql:4:", "never", "INTERVAL"}},
  };
  for (const Case& c : cases) {
    const CommandResult result = Run(Job(c.text));
    EXPECT_EQ(result.exit_code, 2) << c.name << ": " << result.errors;
    for (const std::string& message : c.messages) {
      EXPECT_THAT(result.errors, HasSubstr(message)) << c.name;
    }
    EXPECT_FALSE(std::filesystem::exists(directory_.File("out"))) << c.name;
  }
}

TEST_F(BadInputTest, AMissingFileIsNamed) {
  std::filesystem::remove_all(directory_.File("r"));
  const CommandResult result = Run(GoodJob());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr(directory_.File("r")));
  EXPECT_THAT(result.errors, HasSubstr("not found: table r: cannot read"));
  EXPECT_THAT(result.errors, HasSubstr("job.sql:"));
  const CommandResult no_job = RunBraid({"run", directory_.File("nothing.sql")});
  EXPECT_NE(no_job.exit_code, 0);
  EXPECT_THAT(no_job.errors, HasSubstr("nothing.sql"));
}

TEST_F(BadInputTest, ACheckpointWithoutAVersionSaysSo) {
  std::filesystem::remove_all(directory_.File("r"));
  ASSERT_EQ(Run(GoodJob(), {"--checkpoint", Checkpoint()}).exit_code, 1);
  const CommandResult list = RunBraid({"state", Checkpoint()});
  EXPECT_EQ(list.exit_code, 0) << list.errors;
  EXPECT_EQ(list.output, "no version yet\n");
  const CommandResult json = RunBraid({"state", Checkpoint(), "--json"});
  EXPECT_EQ(json.exit_code, 0) << json.errors;
  EXPECT_EQ(json.output, "");
  // An error is no empty list.
  const CommandResult none = RunBraid({"state", directory_.File("none")});
  EXPECT_NE(none.exit_code, 0);
  EXPECT_EQ(none.output, "");
}

TEST_F(BadInputTest, AFolderThatIsMisspeltIsNamedAlsoAfterItsFilesWereRead) {
  const std::string rest = Table("r", "w") + Sink() + Insert();
  for (const char* mode : {"micro-batch", "per-record"}) {
    std::filesystem::remove_all(Checkpoint());
    std::filesystem::remove_all(directory_.File("out"));
    const std::vector<std::string> more = {
        "--checkpoint", Checkpoint(), "--mode", mode, "--set", "execution.end-of-input=hold"};
    ASSERT_EQ(Run(GoodJob(), more).exit_code, 0) << mode;
    for (const char* options : {"", ", 'source.monitor-interval' = '1 s'"}) {
      std::string table = Table("l", "v", options);
      table.replace(table.find("/l'") + 1, 1, "lost");
      const CommandResult result = Run(Job(table + rest), more);
      EXPECT_EQ(result.exit_code, 1) << mode << options;
      EXPECT_THAT(result.errors, HasSubstr("/lost': No such file or directory")) << mode << options;
    }
    std::filesystem::remove(directory_.File("l/1.csv"));
    EXPECT_EQ(Run(GoodJob(), more).exit_code, 0) << mode;
    directory_.Write("l/1.csv", "1,2024-01-01 00:00:01.000,a\n2,2024-01-01 00:00:02.000,b\n");
  }
}

TEST_F(BadInputTest, ABadRowDoesWhatTheOptionSays) {
  directory_.Write("l/2.csv", "3,2024-01-01 00:00:03.000,c\nfour,2024-01-01 00:00:04.000,d\n5\n");
  const std::string kept = directory_.File("bad");
  struct Case {
    const char* option;
    int exit_code;
    std::vector<std::string> output;
  };
  for (const Case& c : {Case{"fail", 1, {}}, Case{"drop", 0, {"1,a,x", "2,b,", "3,c,"}},
                        Case{"null", 0, {",d,", "1,a,x", "2,b,", "3,c,", "5,,"}}}) {
    std::filesystem::remove_all(directory_.File("out"));
    std::filesystem::remove_all(kept);
    const std::string options =
        fmt::format(", 'bad-records' = '{}', 'bad-records-path' = '{}'", c.option, kept);
    const CommandResult result =
        Run(Job(Table("l", "v", options) + Table("r", "w") + Sink() + Insert()));
    EXPECT_EQ(result.exit_code, c.exit_code) << c.option << ": " << result.errors;
    EXPECT_EQ(Output(), c.output) << c.option;
    if (c.exit_code != 0) {
      EXPECT_THAT(result.errors, HasSubstr("2.csv:2")) << c.option;
    } else {
      EXPECT_THAT(result.errors, HasSubstr("2 bad records")) << c.option;
      std::string records;
      for (const auto& entry : std::filesystem::recursive_directory_iterator(kept)) {
        if (entry.is_regular_file()) records += ReadFile(entry.path().string());
      }
      EXPECT_THAT(records, HasSubstr("four")) << c.option;
      EXPECT_THAT(records, HasSubstr("2.csv")) << c.option;
    }
  }
}

TEST_F(BadInputTest, ACheckpointOfAnotherQueryIsRefusedAndStaysWhole) {
  ASSERT_EQ(Run(GoodJob(), {"--checkpoint", Checkpoint()}).exit_code, 0);
  const std::vector<std::string> output = Output();
  struct Case {
    const char* name;
    std::string text;
    std::string message;
  };
  std::string other_type = Table("l", "v");
  other_type.replace(other_type.find("id BIGINT"), 9, "id INT");
  const std::vector<Case> cases = {
      {"join type", Table("l", "v") + Table("r", "w") + Sink() + Insert("l.id, l.v, r.w", "FULL"),
       "LEFT OUTER"},
      {"column type", other_type + Table("r", "w") + Sink() + Insert(), "INT"},
  };
  for (const Case& c : cases) {
    const CommandResult result = Run(Job(c.text), {"--checkpoint", Checkpoint()});
    EXPECT_EQ(result.exit_code, 3) << c.name << ": " << result.errors;
    EXPECT_THAT(result.errors, HasSubstr("another query")) << c.name;
    EXPECT_THAT(result.errors, HasSubstr(c.message)) << c.name;
  }
  EXPECT_EQ(Output(), output);
  EXPECT_EQ(Run(GoodJob(), {"--checkpoint", Checkpoint()}).exit_code, 0);
  EXPECT_EQ(Output(), output);
}

TEST_F(BadInputTest, ASecondProcessOnOneCheckpointIsRefused) {
  const std::string job = Job(Table("l", "v", ", 'source.monitor-interval' = '1 s'") +
                              Table("r", "w", ", 'source.monitor-interval' = '1 s'") + Sink() +
                              Insert("l.id, l.v, r.w", "INNER"));
  RunningCommand first({"run", job, "--checkpoint", Checkpoint()});
  while (Output().empty() && !first.has_ended()) std::this_thread::yield();
  const CommandResult second = Run(job, {"--checkpoint", Checkpoint()});
  EXPECT_EQ(second.exit_code, 3) << second.errors;
  EXPECT_THAT(second.errors, HasSubstr(Checkpoint()));

  // The first one can be looked at meanwhile, and stops when it is asked to.
  const CommandResult versions = RunBraid({"state", Checkpoint()});
  EXPECT_EQ(versions.exit_code, 0) << versions.errors;
  EXPECT_THAT(versions.output, HasSubstr("watermark"));
  const CommandResult rows = RunBraid({"state", Checkpoint(), "--rows", "--json"});
  EXPECT_THAT(rows.output, HasSubstr("\"side\":\"l\""));
  first.Signal(SIGTERM);
  const CommandResult ended = first.Wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_THAT(Output(), ElementsAre("1,a,x"));

  // And without the process the store itself is read.
  const CommandResult later = RunBraid({"state", Checkpoint(), "--rows", "--json"});
  EXPECT_EQ(later.exit_code, 0) << later.errors;
  EXPECT_EQ(later.output, rows.output);
}

TEST_F(BadInputTest, AForeignOutputFolderIsRefusedUnlessToldToOverwrite) {
  directory_.Write("out/theirs.csv", "keep me\n");
  const CommandResult refused = Run(GoodJob());
  EXPECT_EQ(refused.exit_code, 3) << refused.errors;
  EXPECT_THAT(refused.errors, HasSubstr("sink.existing"));
  EXPECT_EQ(Output(), std::vector<std::string>{"keep me"});

  std::filesystem::remove_all(directory_.File("out"));
  ASSERT_EQ(Run(GoodJob()).exit_code, 0);
  // Another run, without a checkpoint, is another query.
  EXPECT_EQ(Run(GoodJob()).exit_code, 3);
  const CommandResult overwritten = Run(
      Job(Table("l", "v") + Table("r", "w") + Sink(", 'sink.existing' = 'overwrite'") + Insert()));
  EXPECT_EQ(overwritten.exit_code, 0) << overwritten.errors;
  EXPECT_THAT(Output(), ElementsAre("1,a,x", "2,b,"));
}

TEST_F(BadInputTest, ATruncatedGzIsNamedAndNothingOfItIsCommittedTwice) {
  std::string rows;
  for (int i = 0; i < 50'000; ++i) rows += fmt::format("{},2024-01-01 00:00:05.000,z\n", i);
  const std::string path = directory_.Write("l/2.csv", rows);
  ASSERT_EQ(std::system(("gzip " + path).c_str()), 0);
  const std::string packed = ReadFile(path + ".gz");
  directory_.Write("l/2.csv.gz", packed.substr(0, packed.size() / 2));
  const CommandResult result = Run(GoodJob(), {"--checkpoint", Checkpoint()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("2.csv.gz"));

  // The whole file in its place: the run goes on, every row once.
  directory_.Write("l/2.csv.gz", packed);
  const CommandResult again =
      Run(GoodJob(), {"--checkpoint", Checkpoint(), "--set", "execution.end-of-input=flush"});
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_THAT(Output(), SizeIs(50'002));
}

TEST_F(BadInputTest, TheCommandLineIsExplained) {
  EXPECT_EQ(RunBraid({"--version"}).output.rfind("braid 0.", 0), 0U);
  EXPECT_EQ(RunBraid({}).exit_code, 2);
  EXPECT_EQ(RunBraid({"run"}).exit_code, 2);
  const CommandResult trigger = Run(GoodJob(), {"--trigger", "soon"});
  EXPECT_EQ(trigger.exit_code, 2);
  EXPECT_THAT(trigger.errors, HasSubstr("available-now"));
  const CommandResult mode = Run(GoodJob(), {"--mode", "per-batch"});
  EXPECT_EQ(mode.exit_code, 2);
  EXPECT_THAT(mode.errors, HasSubstr("per-record"));
}

TEST_F(BadInputTest, AHeldRunSaysWhatWaitsAndForWhom) {
  const CommandResult result = Run(GoodJob(), {"--checkpoint", Checkpoint()});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors,
              HasSubstr("2 rows of l wait in state for a match or for NULLs; the oldest leaves at "
                        "watermark 2024-01-01 00:00:06.001 (now 2024-01-01 00:00:01.000, held back "
                        "by l)"));
  directory_.Write("r/1.csv", "");
  std::filesystem::remove_all(directory_.File("out"));
  const CommandResult unset = Run(GoodJob(), {"--checkpoint", directory_.File("other"), "--set",
                                              "execution.end-of-input=hold"});
  EXPECT_THAT(unset.errors, HasSubstr("(now unset: r has shown no row time yet)"));
}

TEST_F(BadInputTest, AFlushedCheckpointSaysSoAndHowToGoOn) {
  const char* no_more = "the checkpoint takes no more rows";
  for (const char* mode : {"micro-batch", "per-record"}) {
    for (const bool holds_first : {true, false}) {
      std::filesystem::remove_all(Checkpoint());
      std::filesystem::remove_all(directory_.File("out"));
      std::filesystem::remove(directory_.File("l/2.csv"));
      const auto run = [&](const char* end) {
        return Run(GoodJob(), {"--checkpoint", Checkpoint(), "--mode", mode, "--set",
                               fmt::format("execution.end-of-input={}", end)});
      };
      if (holds_first) {
        const CommandResult held = run("hold");
        ASSERT_EQ(held.exit_code, 0) << held.errors;
        EXPECT_THAT(held.errors, Not(HasSubstr(no_more)));
      }
      for (const char* which : {"it flushes", "a finished run without new input ends at once"}) {
        const CommandResult flushed = run("flush");
        ASSERT_EQ(flushed.exit_code, 0) << which;
        EXPECT_THAT(flushed.errors, HasSubstr(no_more)) << which;
      }
      directory_.Write("l/2.csv", "9,2024-01-01 00:00:09.000,z\n");
      const CommandResult refused = run("flush");
      EXPECT_EQ(refused.exit_code, 3) << refused.errors;
      EXPECT_THAT(refused.errors, HasSubstr("use hold to continue"));
      // Micro-batches of a first run have versions of their own before the flush.
      const std::optional<std::string> version = AdvisedVersion(refused);
      if (!holds_first && std::string_view(mode) == "per-record") {
        EXPECT_THAT(refused.errors,
                    HasSubstr("No version from before any table had ended is kept"));
        EXPECT_EQ(version, std::nullopt);
        continue;
      }
      ASSERT_TRUE(version.has_value()) << refused.errors;
      const CommandResult back = RunBraid({"state", Checkpoint(), "--rollback", *version});
      EXPECT_EQ(back.exit_code, 0) << back.errors;
      const CommandResult again = run("hold");
      EXPECT_EQ(again.exit_code, 0) << again.errors;
      EXPECT_THAT(again.errors, Not(HasSubstr(no_more)));
      EXPECT_THAT(Output(), ElementsAre("1,a,x")) << "what the flush padded waits again";
    }
  }
}

// A table that ends first is not waited for under flush: at versions behind its end, further rows
// of it would be late.
TEST_F(BadInputTest, FromWhereTheRefusalOfAFlushedCheckpointLeadsNoRowIsLate) {
  const auto write = [&](const std::string& name, int first, int last) {
    std::string rows;
    for (int second = first; second < last; second += 5) {
      rows += fmt::format("1,2024-01-01 00:{:02}:{:02}.000\n", second / 60, second % 60);
    }
    directory_.Write(name, rows);
  };
  std::string script;
  for (const char* table : {"l", "r"}) {
    script += fmt::format(
        "CREATE TABLE {0} (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' "
        "SECOND) WITH ('connector' = "
        "'filesystem', 'path' = '{1}/{0}', 'format' = 'csv', 'source.max-files-per-trigger' = "
        "'1');\n",
        table, directory_.path());
  }
  script += fmt::format(
      "CREATE TABLE o (l TIMESTAMP(3), r TIMESTAMP(3)) WITH ('connector' = 'filesystem', 'path' = "
      "'{}', 'format' = 'csv');\nSET 'state.retain-versions' = '100';\n"
      "SET 'execution.checkpointing.interval' = '1 us';\n"
      "INSERT INTO o SELECT l.ts, r.ts FROM l JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts "
      "+ INTERVAL '10' SECOND;\n",
      directory_.File("out"));
  const std::string job = directory_.Write("uneven.sql", script);
  for (const char* mode : {"micro-batch", "per-record"}) {
    SCOPED_TRACE(mode);
    const auto run = [&](const char* end) {
      return Run(job, {"--checkpoint", Checkpoint(), "--mode", mode, "--set",
                       fmt::format("execution.end-of-input={}", end)});
    };
    std::vector<std::string> expected;
    for (const bool flushes : {false, true}) {
      for (const char* name : {"checkpoint", "out", "l", "r"}) {
        std::filesystem::remove_all(directory_.File(name));
      }
      write("l/1.csv", 0, 30);
      write("l/2.csv", 30, 60);
      for (int minute = 0; minute < 5; ++minute) {
        write(fmt::format("r/{}.csv", minute), 60 * minute, 60 * (minute + 1));
      }
      const CommandResult first = run(flushes ? "flush" : "hold");
      ASSERT_EQ(first.exit_code, 0) << first.errors;
      write("l/3.csv", 60, 120);
      if (!flushes) {
        ASSERT_EQ(run("hold").exit_code, 0);
        expected = Output();
        continue;
      }
      const CommandResult refused = run("flush");
      EXPECT_EQ(refused.exit_code, 3) << refused.errors;
      const std::optional<std::string> version = AdvisedVersion(refused);
      if (!version) {
        EXPECT_THAT(refused.errors, HasSubstr("No version from before any table had ended"));
        continue;
      }
      ASSERT_EQ(RunBraid({"state", Checkpoint(), "--rollback", *version}).exit_code, 0);
      const CommandResult again = run("hold");
      ASSERT_EQ(again.exit_code, 0) << again.errors;
      EXPECT_THAT(again.errors, Not(HasSubstr("late")));
      EXPECT_EQ(Output(), expected);
    }
  }
}

}  // namespace
}  // namespace braid
