// braid state --verify and --rollback, as a user calls them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/cli/command_runner.h"

namespace braid {
namespace {

using testing::CommandResult;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunBraid;
using testing::SortedOutputLines;
using testing::TemporaryDirectory;

class StateRepairTest : public ::testing::Test {
 protected:
  // Ten files, one a batch.
  void SetUp() override {
    for (int file = 0; file < 10; ++file) {
      directory_.Write(fmt::format("in/{}.csv", file), fmt::format("{}\n{}\n", file, file + 100));
    }
    job_ = directory_.Write(
        "job.sql",
        fmt::format("CREATE TABLE t (id BIGINT) WITH ('connector' = 'filesystem', 'path' = '{}', "
                    "'format' = 'csv', 'source.max-files-per-trigger' = '1');\n"
                    "CREATE TABLE o (id BIGINT) WITH ('connector' = 'filesystem', 'path' = '{}', "
                    "'format' = 'csv');\nINSERT INTO o SELECT id FROM t;\n",
                    directory_.File("in"), directory_.File("out")));
    ASSERT_EQ(Run().exit_code, 0);
    lines_ = SortedOutputLines(directory_.File("out"));
    ASSERT_EQ(lines_.size(), 20U);
  }

  CommandResult Run() const { return RunBraid({"run", job_, "--checkpoint", checkpoint()}); }
  CommandResult State(const std::vector<std::string>& options) const {
    std::vector<std::string> arguments = {"state", checkpoint()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return RunBraid(arguments);
  }
  std::string checkpoint() const { return directory_.File("checkpoint"); }

  TemporaryDirectory directory_;
  std::string job_;
  std::vector<std::string> lines_;
};

TEST_F(StateRepairTest, AWholeCheckpointIsWholeAndGoesBack) {
  const CommandResult verified = State({"--verify"});
  EXPECT_EQ(verified.exit_code, 0) << verified.output << verified.errors;
  EXPECT_THAT(verified.output, HasSubstr("is whole: 10 versions (0 to 9)"));
  EXPECT_THAT(verified.output, HasSubstr("10 input files listed"));

  const CommandResult back = State({"--rollback", "4"});
  EXPECT_EQ(back.exit_code, 0) << back.errors;
  EXPECT_THAT(back.output, HasSubstr("Version 4 is the newest one now; it was 9"));
  EXPECT_THAT(back.output, HasSubstr("table t: reads again from {\"done\":5"));
  const CommandResult again = State({"--rollback", "4"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.output, HasSubstr("nothing to do"));
  const CommandResult missing = State({"--rollback", "7"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.errors, HasSubstr("version 7 is not retained"));
  EXPECT_THAT(missing.errors, HasSubstr("the checkpoint has 0 to 4"));
  EXPECT_THAT(State({"--version", "7"}).errors, HasSubstr("the checkpoint has 0 to 4"));

  // The output of batches after it goes, and comes again.
  directory_.Write("out/part-00000008-000.csv", "what batch 8 never wrote\n");
  const CommandResult run = Run();
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(SortedOutputLines(directory_.File("out")), lines_);
}

TEST_F(StateRepairTest, ADamagedFileIsNamedWithWhatCanBeDone) {
  std::string log;
  for (const auto& entry : std::filesystem::directory_iterator(checkpoint() + "/state")) {
    if (entry.path().extension() == ".log") log = entry.path().string();
  }
  {
    std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-20, std::ios::end);
    file.put('\xee');
  }
  const CommandResult run = Run();
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.errors, HasSubstr(log));
  EXPECT_THAT(run.errors, HasSubstr("--verify"));
  const CommandResult verified = State({"--verify"});
  EXPECT_EQ(verified.exit_code, 1);
  EXPECT_THAT(verified.output, HasSubstr(log + ": damaged at byte"));
  EXPECT_THAT(verified.output, HasSubstr("--rollback 8"));
  const CommandResult back = State({"--rollback", "8"});
  EXPECT_EQ(back.exit_code, 0) << back.errors;
  EXPECT_EQ(State({"--verify"}).exit_code, 0);
  EXPECT_EQ(Run().exit_code, 0);
  EXPECT_EQ(SortedOutputLines(directory_.File("out")), lines_);
}

TEST_F(StateRepairTest, ADamagedMarkBesideAWholeStoreMayBeRemoved) {
  const std::string mark = checkpoint() + "/committed";
  std::ofstream(mark) << "what nobody wrote";
  EXPECT_EQ(Run().exit_code, 1);
  const CommandResult verified = State({"--verify"});
  EXPECT_EQ(verified.exit_code, 1);
  EXPECT_THAT(verified.output, HasSubstr(mark + " is damaged"));
  EXPECT_THAT(verified.output, HasSubstr("remove that file"));
  EXPECT_THAT(verified.output, Not(HasSubstr("--rollback")));
  std::filesystem::remove(mark);
  EXPECT_EQ(State({"--verify"}).exit_code, 0);
  EXPECT_EQ(Run().exit_code, 0);
  EXPECT_EQ(SortedOutputLines(directory_.File("out")), lines_);
}

TEST_F(StateRepairTest, WhatIsMissingIsNotBegunAnew) {
  std::filesystem::remove_all(checkpoint() + "/state");
  const CommandResult run = Run();
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.errors, HasSubstr(checkpoint() + "/state"));
  // All of it gone: the folder of the output knows whose it is.
  std::filesystem::remove_all(checkpoint());
  const CommandResult anew = Run();
  EXPECT_EQ(anew.exit_code, 3);
  EXPECT_THAT(anew.errors, HasSubstr("holds the output of another run"));
  EXPECT_EQ(SortedOutputLines(directory_.File("out")), lines_);
}

TEST_F(StateRepairTest, OptionsThatAskForTwoThingsAreRefusedAndNothingIsDone) {
  const std::vector<std::vector<std::string>> contradictions = {
      {"--rollback", "4", "--verify"},       {"--rollback", "4", "--stop"}, {"--verify", "--stop"},
      {"--version", "1", "--rollback", "3"}, {"--verify", "--json"},        {"--verify", "--rows"}};
  for (const std::vector<std::string>& options : contradictions) {
    const CommandResult result = State(options);
    EXPECT_EQ(result.exit_code, 2) << options[0] << result.output << result.errors;
  }
  const CommandResult negative = State({"--rollback", "-1"});
  EXPECT_EQ(negative.exit_code, 2);
  EXPECT_THAT(negative.errors, HasSubstr("'-1' is not a whole number from 0 on"));
  EXPECT_THAT(State({"--verify"}).output, HasSubstr("is whole: 10 versions (0 to 9)"));
}

TEST_F(StateRepairTest, AChangedOutputFileIsNotSoughtInTheCheckpoint) {
  std::string text = testing::ReadFile(job_);
  const std::string format = "'format' = 'csv');\nINSERT";
  text.replace(text.find(format), format.size(),
               "'format' = 'csv', 'sink.min-file-size' = '1 kb');\nINSERT");
  job_ = directory_.Write("shared.sql", text);
  std::filesystem::remove_all(directory_.File("out"));
  std::filesystem::remove_all(checkpoint());
  ASSERT_EQ(Run().exit_code, 0);
  for (const auto& entry : std::filesystem::directory_iterator(directory_.File("out"))) {
    if (entry.path().extension() == ".csv") std::ofstream(entry.path(), std::ios::app) << "junk\n";
  }
  const CommandResult run = Run();
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.errors, HasSubstr("cut it back to that if somebody else appended to it"));
  EXPECT_THAT(run.errors, Not(HasSubstr("--verify")));
}

TEST_F(StateRepairTest, BehindARollbackTheOutputStaysWhereItIsUntilItIsCleaned) {
  ASSERT_EQ(State({"--rollback", "4"}).exit_code, 0);
  const std::string as_it_was = job_;
  std::string text = testing::ReadFile(job_);
  const std::string path = "'" + directory_.File("out") + "'";
  text.replace(text.find(path), path.size(), "'" + directory_.File("moved") + "'");
  job_ = directory_.Write("moved.sql", text);
  const CommandResult moved = Run();
  EXPECT_EQ(moved.exit_code, 3) << moved.errors;
  EXPECT_THAT(moved.errors, HasSubstr("was rolled back to version 4"));
  EXPECT_FALSE(std::filesystem::exists(directory_.File("moved")));
  job_ = as_it_was;
  ASSERT_EQ(Run().exit_code, 0);
  EXPECT_EQ(SortedOutputLines(directory_.File("out")), lines_);
  job_ = directory_.File("moved.sql");
  EXPECT_EQ(Run().exit_code, 0);
  EXPECT_EQ(SortedOutputLines(directory_.File("out")), lines_);
}

// Listens on a checkpoint's socket as a query does that ends while it is asked: says `words`, and
// nothing more.
class EndingQuery {
 public:
  EndingQuery(const std::string& checkpoint, std::string words)
      : socket_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)), words_(std::move(words)) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    const std::string path = checkpoint + "/control.sock";
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    std::filesystem::remove(path);
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(listen(socket_, 1), 0);
    thread_ = std::thread([this] { Answer(); });
  }
  ~EndingQuery() {
    shutdown(socket_, SHUT_RDWR);
    thread_.join();
    close(socket_);
  }
  EndingQuery(const EndingQuery&) = delete;
  EndingQuery& operator=(const EndingQuery&) = delete;

 private:
  void Answer() {
    const int client = accept(socket_, nullptr, nullptr);
    if (client < 0) return;
    std::array<char, 256> request;
    EXPECT_GT(recv(client, request.data(), request.size(), 0), 0);
    EXPECT_EQ(send(client, words_.data(), words_.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(words_.size()));
    close(client);
  }

  const int socket_;
  const std::string words_;
  std::thread thread_;
};

TEST_F(StateRepairTest, AQueryThatEndsWhileItIsAskedIsNotWaitedFor) {
  const CommandResult list = State({});
  ASSERT_EQ(list.exit_code, 0);
  {
    const EndingQuery query(checkpoint(), "");
    const CommandResult asked = State({});
    EXPECT_EQ(asked.exit_code, 0) << asked.errors;
    EXPECT_EQ(asked.output, list.output);
  }
  {
    const EndingQuery query(checkpoint(), "{\"version\":0}\n");
    const CommandResult asked = State({"--json"});
    EXPECT_EQ(asked.exit_code, 1);
    EXPECT_THAT(asked.errors, HasSubstr("ended while it answered"));
  }
  {
    const EndingQuery query(checkpoint(), "");
    const CommandResult asked = State({"--progress"});
    EXPECT_EQ(asked.exit_code, 1);
    EXPECT_THAT(asked.errors, HasSubstr("has just ended"));
  }
  {
    const EndingQuery query(checkpoint(), "");
    EXPECT_EQ(State({"--stop"}).exit_code, 0);
  }
  {
    const EndingQuery query(checkpoint(), "");
    EXPECT_EQ(RunBraid({"stop", checkpoint()}).exit_code, 0);
  }
}

// Batches up to 5 into one folder, later ones into another, and the rollback goes behind the move.
class MovedOutputTest : public ::testing::Test {
 protected:
  void WriteInput(int first, int last) {
    for (int file = first; file <= last; ++file) {
      const std::string name = fmt::format("{}.csv", file);
      const std::string row = fmt::format("{},2024-01-01 00:00:{:02}.000\n", file, file);
      directory_.Write("l/" + name, row);
      // Behind the watermark but for the first.
      directory_.Write("r/" + name, row + fmt::format("{},2023-12-31 00:00:00.000\n", file + 100));
    }
  }

  CommandResult Run(const std::string& output, const std::string& late, const std::string& more) {
    std::string script;
    for (const char* table : {"l", "r"}) {
      script += fmt::format(
          "CREATE TABLE {0} (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' "
          "= 'filesystem', 'path' = '{1}', 'format' = 'csv', 'source.max-files-per-trigger' = "
          "'1');\n",
          table, directory_.File(table));
    }
    const auto add_output = [&](const char* table, const std::string& folder) {
      script += fmt::format(
          "CREATE TABLE {} (id BIGINT, ts TIMESTAMP(3)) WITH ('connector' = 'filesystem', 'path' = "
          "'{}', 'format' = 'csv'{});\n",
          table, directory_.File(folder), more);
    };
    add_output("o", output);
    if (!late.empty()) {
      add_output("lost", late);
      script += "SET 'late-rows.table' = 'lost';\n";
    }
    script +=
        "INSERT INTO o SELECT l.id, l.ts FROM l JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND "
        "l.ts + INTERVAL '5' SECOND;\n";
    return RunBraid({"run", directory_.Write("job.sql", script), "--checkpoint", checkpoint()});
  }
  CommandResult RollBack(int64_t version) const {
    return RunBraid({"state", checkpoint(), "--rollback", fmt::format("{}", version)});
  }
  int64_t newest() const {
    const std::string list = RunBraid({"state", checkpoint()}).output;
    return std::stoll(list.substr(list.rfind('\n', list.size() - 2) + 1));
  }
  std::string checkpoint() const { return directory_.File("checkpoint"); }
  std::vector<std::string> Lines(const std::vector<std::string>& folders) const {
    std::vector<std::string> lines;
    for (const std::string& folder : folders) {
      const std::vector<std::string> more = SortedOutputLines(directory_.File(folder));
      lines.insert(lines.end(), more.begin(), more.end());
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  TemporaryDirectory directory_;
};

TEST_F(MovedOutputTest, ARollbackBehindTheMoveTakesBackWhatIsInTheFormerFolders) {
  for (const std::string more : {"", ", 'sink.min-file-size' = '1 kb'"}) {
    for (const bool keeps_late_rows : {true, false}) {
      SCOPED_TRACE(fmt::format("more options{} late rows {}", more, keeps_late_rows));
      std::filesystem::remove_all(directory_.path());
      WriteInput(0, 4);
      ASSERT_EQ(Run("out", "late", more).exit_code, 0);
      const int64_t moved_behind = newest();
      WriteInput(5, 6);
      const std::string late = keeps_late_rows ? "late2" : "";
      ASSERT_EQ(Run("out2", late, more).exit_code, 0);
      const std::vector<std::string> rows = Lines({"out", "out2"});
      ASSERT_EQ(rows.size(), 7U);
      const std::vector<std::string> late_rows = Lines({"late", "late2"});
      ASSERT_GE(late_rows.size(), keeps_late_rows ? 6U : 4U);

      const CommandResult back = RollBack(moved_behind - 3);
      ASSERT_EQ(back.exit_code, 0) << back.errors;
      EXPECT_THAT(back.output, HasSubstr(directory_.File("out")));
      EXPECT_THAT(back.output, HasSubstr(directory_.File("late")));
      const CommandResult run = Run("out2", late, more);
      ASSERT_EQ(run.exit_code, 0) << run.errors;
      EXPECT_EQ(Lines({"out", "out2"}), rows);
      if (keeps_late_rows) {
        EXPECT_EQ(Lines({"late", "late2"}), late_rows);
      } else {
        EXPECT_LT(Lines({"late"}).size(), late_rows.size());
      }
    }
  }
}

}  // namespace
}  // namespace braid
