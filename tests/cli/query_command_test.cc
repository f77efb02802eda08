// braid query, as a user types it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/cli/command_runner.h"
#include "tests/cli/terminal_command.h"

namespace braid {
namespace {

using testing::CommandResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::RunBraid;
using testing::TemporaryDirectory;
using testing::TerminalCommand;

class QueryCommandTest : public ::testing::Test {
 protected:
  QueryCommandTest() {
    a_ = directory_.Write("a.csv",
                          "id,ts,name\n1,2024-01-01 10:00:00,x\n2,2024-01-01 10:00:05,\"y,z\"\n");
    b_ = directory_.Write("b.csv",
                          "id;ts;price\n1;2024-01-01T10:00:30;1.5\n2;2024-01-01T09:00:00;2\n");
  }

  // Runs a line of the shell in which $BRAID is the command.
  CommandResult Shell(const std::string& line) const {
    const std::string script = directory_.Write("line.sh", line);
    const std::string output = directory_.File("output");
    const std::string errors = directory_.File("errors");
    const int status = std::system(  // NOLINT
        fmt::format("cd '{}' && BRAID='{}' bash -o pipefail '{}' >'{}' 2>'{}'", directory_.path(),
                    BRAID_BINARY, script, output, errors)
            .c_str());
    return {WEXITSTATUS(status), testing::ReadFile(output), testing::ReadFile(errors)};
  }

  TemporaryDirectory directory_;
  std::string a_;
  std::string b_;
};

TEST_F(QueryCommandTest, JoinsFilesThatNobodyDeclared) {
  const CommandResult result = Shell(
      "gzip b.csv\n"
      "$BRAID query \"SELECT a.id, a.name, b.price FROM 'a.csv' a LEFT JOIN 'b.csv.gz' b ON a.id = "
      "b.id AND b.ts BETWEEN a.ts AND a.ts + INTERVAL '60' SECOND\"");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.output, "id,name,price\n1,x,1.5\n2,\"y,z\",\n");
}

TEST_F(QueryCommandTest, OuterJoinsOfFilesNeedNoTimeBound) {
  for (const char* join :
       {"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"}) {
    const CommandResult result = RunBraid(
        {"query", fmt::format("SELECT a.id FROM '{}' a {} '{}' b ON a.id = b.id", a_, join, b_)});
    EXPECT_EQ(result.exit_code, 0) << join << ": " << result.errors;
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'),
              std::string(join) == "LEFT ANTI JOIN" ? 1 : 3)
        << join;
    EXPECT_THAT(result.errors, Not(HasSubstr("warning")));
  }
}

// The statements that were printed, with the query behind them, give the same.
TEST_F(QueryCommandTest, WhatIsPrintedOfTheGuessCanBePasted) {
  const std::string query = "SELECT a.id, b.price FROM {} a JOIN {} b ON a.id = b.id";
  const CommandResult guessed =
      RunBraid({"query", fmt::format(fmt::runtime(query), "'" + a_ + "'", "'" + b_ + "'")});
  ASSERT_EQ(guessed.exit_code, 0) << guessed.errors;
  const std::string statements = guessed.errors.substr(0, guessed.errors.rfind(");\n") + 3);
  EXPECT_THAT(statements, HasSubstr("-- guessed from " + a_ + " (2 records)\n"));
  EXPECT_THAT(statements, HasSubstr("CREATE TABLE a (\n  id BIGINT,\n  ts TIMESTAMP(3),\n  name "
                                    "STRING\n) WITH ('connector' = 'filesystem', 'path' = '" +
                                    a_ +
                                    "', 'format' = 'csv', 'csv.header' = 'true', "
                                    "'csv.null-literal' = '');\n"));
  const CommandResult pasted =
      RunBraid({"query", statements + fmt::format(fmt::runtime(query), "a", "b")});
  EXPECT_EQ(pasted.exit_code, 0) << pasted.errors;
  EXPECT_EQ(pasted.output, guessed.output);
  EXPECT_THAT(pasted.errors, Not(HasSubstr("guessed")));
}

TEST_F(QueryCommandTest, RunAndExplainReadFilesToo) {
  const std::string job =
      directory_.Write("job.sql", fmt::format("SELECT name FROM '{}' WHERE id = 1;\n", a_));
  EXPECT_EQ(RunBraid({"run", job}).output, "+I[x]\n");
  EXPECT_EQ(RunBraid({"run", job, "--output", "csv"}).output, "name\nx\n");
  const CommandResult explained = RunBraid({"explain", job});
  EXPECT_THAT(explained.output, HasSubstr("input: a\n"));
  EXPECT_THAT(explained.errors, HasSubstr("CREATE TABLE a ("));
}

TEST_F(QueryCommandTest, PrintsInTheFormatThatIsAskedFor) {
  const std::string query = fmt::format("SELECT id, name, id AS id FROM '{}' WHERE id = 2", a_);
  struct Case {
    const char* format;
    const char* output;
  };
  for (const Case& each : {
           Case{"csv", "id,name,id\n2,\"y,z\",2\n"},
           Case{"json", "{\"id\":2,\"name\":\"y,z\",\"id_1\":2}\n"},
           Case{"row", "+I[2, y,z, 2]\n"},
           Case{"table", "id | name | id\n---+------+---\n 2 | y,z  |  2\n"},
           Case{"auto", "id,name,id\n2,\"y,z\",2\n"},
       }) {
    EXPECT_EQ(RunBraid({"query", "--output", each.format, query}).output, each.output);
    EXPECT_EQ(RunBraid({"query", fmt::format("SET 'print.format' = '{}'; {}", each.format, query)})
                  .output,
              each.output);
  }
  EXPECT_EQ(RunBraid({"query", "--output", "xml", query}).exit_code, 2);
}

TEST_F(QueryCommandTest, ATerminalIsShownATableWithColours) {
  const std::string query = fmt::format("SELECT name FROM '{}' WHERE id = 1", a_);
  TerminalCommand colours({"query", query}, TerminalCommand::Output::kTerminal,
                          {{"TERM", "xterm"}, {"NO_COLOR", ""}});
  EXPECT_EQ(colours.Wait(), 0);
  EXPECT_THAT(colours.terminal_text(), HasSubstr("\x1b[1mname\x1b[0m\r\n----\r\nx\r\n"));
  TerminalCommand plain({"query", query}, TerminalCommand::Output::kTerminal,
                        {{"TERM", "xterm"}, {"NO_COLOR", "1"}});
  EXPECT_EQ(plain.Wait(), 0);
  EXPECT_THAT(plain.terminal_text(), HasSubstr("name\r\n----\r\nx\r\n"));
}

TEST_F(QueryCommandTest, AnEmptyResultIsItsHeader) {
  const std::string query = fmt::format("SELECT id FROM '{}' WHERE id > 7", a_);
  EXPECT_EQ(RunBraid({"query", query}).output, "id\n");
  EXPECT_EQ(RunBraid({"query", "--output", "table", query}).output, "id\n--\n");
  EXPECT_EQ(RunBraid({"query", "--output", "json", query}).output, "");
}

// A header alone would look like a result.
TEST_F(QueryCommandTest, ARunThatFailsBeforeItsFirstRowPrintsNothing) {
  directory_.Write("both/1.csv", "id,ts,name\n1,2024-01-01 10:00:00,x\n");
  directory_.Write("both/2.csv", "id,price\n1,2\n");
  for (const char* mode : {"micro-batch", "per-record"}) {
    const CommandResult columns =
        RunBraid({"query", "--mode", mode, "SELECT * FROM '" + directory_.File("both") + "'"});
    EXPECT_EQ(columns.exit_code, 1);
    EXPECT_THAT(columns.output, IsEmpty()) << mode;
    EXPECT_THAT(columns.errors, HasSubstr("the header has no column 'ts'"));

    const std::string job = directory_.Write(
        "job.sql", fmt::format("CREATE TABLE t (id INT) WITH ('connector' = 'filesystem', 'path' = "
                               "'{}', 'format' = 'csv'); SELECT id FROM t;",
                               directory_.File("none")));
    const CommandResult refused = RunBraid({"run", job, "--output", "csv", "--mode", mode});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.output, IsEmpty()) << mode;
    EXPECT_THAT(refused.errors, HasSubstr("No such file or directory"));
    EXPECT_THAT(refused.errors, Not(HasSubstr("state is in memory"))) << mode;
  }
}

TEST_F(QueryCommandTest, TheExamplesOfTheHelpWork) {
  const std::string help = RunBraid({"query", "--help"}).output;
  std::string examples = help.substr(help.find("Examples:\n") + 10);
  for (size_t at = 0; (at = examples.find("braid query", at)) != std::string::npos; at += 12) {
    examples.replace(at, 5, "$BRAID");
  }
  const CommandResult result =
      Shell(fmt::format("set -e\ncd '{}'\n{}", BRAID_SOURCE_DIR, examples));
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("\n2013-01-01 10:00:00.000,UA,1545,"));
  EXPECT_THAT(result.output, HasSubstr("\"dest\":\"HNL\""));
}

TEST_F(QueryCommandTest, ReadsStandardInputAndWritesStandardOutput) {
  const CommandResult guessed = Shell("$BRAID query \"SELECT id FROM '-' WHERE id > 1\" < a.csv");
  EXPECT_EQ(guessed.output, "id\n2\n") << guessed.errors;
  EXPECT_THAT(guessed.errors, HasSubstr("CREATE TABLE stdin ("));
  const CommandResult json = Shell(
      "echo '{\"v\": 1}' | $BRAID query \"CREATE TABLE o (v BIGINT) WITH ('connector' = "
      "'filesystem', 'path' = '-', 'format' = 'json'); INSERT INTO o SELECT v + 1 FROM '-'\"");
  EXPECT_EQ(json.output, "{\"v\":2}\n") << json.errors;
  const CommandResult declared = Shell(
      "seq 3 | $BRAID query \"CREATE TABLE i (v BIGINT) WITH ('connector' = 'filesystem', 'path' = "
      "'-', 'format' = 'csv'); SELECT x.v FROM i x JOIN 'a.csv' ON x.v = a.id\"");
  EXPECT_EQ(declared.output, "v\n1\n2\n") << declared.errors;
}

TEST_F(QueryCommandTest, StandardInputCannotBeReadTwiceOrFromACheckpoint) {
  const CommandResult twice = Shell(
      "seq 3 | $BRAID query \"SELECT a.column0 FROM '-' a JOIN '-' b ON a.column0 = b.column0\"");
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.errors, HasSubstr("standard input can be read once, by one table"));
  const CommandResult checkpoint =
      Shell("seq 3 | $BRAID query --checkpoint cp \"SELECT column0 FROM '-'\"; ls cp");
  EXPECT_THAT(checkpoint.errors, HasSubstr("cannot be read again after a crash"));
  EXPECT_THAT(checkpoint.errors, HasSubstr("cannot access 'cp'"));
}

TEST_F(QueryCommandTest, ALaterValueThatDoesNotFitNamesItsPlaceAndTheGuess) {
  const CommandResult result =
      Shell("(seq 1500; echo abc) > n.csv; $BRAID query \"SELECT column0 FROM 'n.csv'\"");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("first 1000 records of n.csv"));
  EXPECT_THAT(result.errors,
              HasSubstr("n.csv:1501: invalid input: bad record: column column0: 'abc' is not a "
                        "BIGINT ('bad-records' = 'drop' leaves such records out); the columns of n "
                        "were guessed from the beginning of the input: "
                        "declare the table"));
}

TEST_F(QueryCommandTest, EmptyTextsOfAFileAreNullAndMatchNothing) {
  const CommandResult result = Shell(
      "printf 'k,v\\na,1\\n,2\\n' > e.csv; $BRAID query --output csv "
      "\"SELECT x.v, y.v FROM 'e.csv' x JOIN 'e.csv' y ON x.k = y.k\"");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("1,1\n"));
  EXPECT_THAT(result.output, Not(HasSubstr("2,2")));
}

TEST_F(QueryCommandTest, MistakesNameTheirPlaceInTheStatement) {
  struct Case {
    std::string statement;
    std::string error;
  };
  for (const Case& each : {
           Case{"SELECT x FROM '" + a_ + "'", "1:8: invalid query: there is no column x"},
           Case{"SELECT id FROM 'none.csv'", "1:16: invalid query: cannot read 'none.csv'"},
           Case{"SELECT id FROM", "1:15: invalid query: found the end of the text"},
           Case{"SET 'parallelism' = '1'", "there is nothing to run"},
       }) {
    const CommandResult result = RunBraid({"query", each.statement});
    EXPECT_EQ(result.exit_code, 2) << each.statement;
    EXPECT_THAT(result.errors, HasSubstr(each.error));
    EXPECT_THAT(result.output, IsEmpty());
  }
}

TEST_F(QueryCommandTest, TheEndOfAReaderIsAQuietEnd) {
  for (const char* format : {"csv", "json", "row", "table"}) {
    const CommandResult result =
        Shell(fmt::format("seq 500000 | $BRAID query --progress none --output {} \"SELECT column0 "
                          "FROM '-'\" | head -1 "
                          "> first; echo ${{PIPESTATUS[1]}}; wc -l < first",
                          format));
    EXPECT_EQ(result.output, "0\n1\n") << format << result.errors;
    EXPECT_THAT(result.errors, Not(HasSubstr("braid:"))) << format;
  }
}

}  // namespace
}  // namespace braid
