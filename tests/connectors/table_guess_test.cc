#include "engine/connectors/table_guess.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/connectors/compressed_bytes.h"
#include "tests/connectors/temporary_folder.h"

namespace braid {
namespace {

using testing::HasSubstr;

class TableGuessTest : public testing::Test {
 protected:
  std::string Guessed(const std::string& path) const {
    const Result<TableGuess> guess = GuessTable(folder_ / path, nullptr);
    if (!guess) return guess.error().message;
    return fmt::format("{}: {} {}", guess->name, guess->schema.schema.ToString(),
                       guess->schema.options.at("format").value);
  }

  TemporaryFolder folder_;
};

TEST_F(TableGuessTest, TheNameOfTheFileSaysTheFormatAndTheTable) {
  const std::string csv = "id;v\n1;2\n";
  folder_.Write("a.csv", csv);
  folder_.Write("b.TXT", csv);
  folder_.Write("c.tsv", "id\tv;w\n1\t2;3\n");
  folder_.Write("d.jsonl", "{\"id\":1}\n");
  folder_.Write("e.ndjson", "{\"id\":1}\n");
  folder_.Write("f.2024-01-31.json", "[{\"id\":1}]\n");
  folder_.Write("g.log", "{\"id\":1}\n");
  folder_.Write("h", csv);
  folder_.Write("i.csv.gz", Compress(Compression::kGzip, csv));
  EXPECT_EQ(Guessed("a.csv"), "a: id BIGINT, v BIGINT csv");
  EXPECT_EQ(Guessed("b.TXT"), "b: id BIGINT, v BIGINT csv");
  EXPECT_EQ(Guessed("c.tsv"), "c: id BIGINT, v;w STRING csv");
  EXPECT_EQ(Guessed("d.jsonl"), "d: id BIGINT json");
  EXPECT_EQ(Guessed("e.ndjson"), "e: id BIGINT json");
  EXPECT_EQ(Guessed("f.2024-01-31.json"), "f.2024-01-31: id BIGINT json");
  EXPECT_EQ(Guessed("g.log"), "g.log: id BIGINT json");
  EXPECT_EQ(Guessed("h"), "h: id BIGINT, v BIGINT csv");
  EXPECT_EQ(Guessed("i.csv.gz"), "i: id BIGINT, v BIGINT csv");
}

TEST_F(TableGuessTest, FoldersAndPatternsAreNamedAfterTheFolder) {
  folder_.Write("in/1.csv", "");
  folder_.Write("in/2.csv", "id\n1\n");
  folder_.SetTime("in/1.csv", 1);
  EXPECT_EQ(Guessed("in"), "in: id BIGINT csv");
  EXPECT_EQ(Guessed("in/"), "in: id BIGINT csv");
  EXPECT_EQ(Guessed("in/*.csv"), "in: id BIGINT csv");
  const Result<TableGuess> guess = GuessTable(folder_ / "in/*.csv", nullptr);
  EXPECT_EQ(guess->schema.options.at("path").value, folder_ / "in/*.csv");
  EXPECT_EQ(guess->seen_in, folder_ / "in/2.csv");
}

TEST_F(TableGuessTest, WhatCannotBeGuessedIsAnErrorThatNamesTheFile) {
  folder_.Write("empty.csv", "");
  folder_.Write("bad.json", "{\"a\":1}\n7\n");
  EXPECT_EQ(Guessed("empty.csv"),
            "no record to guess the columns from; declare the table with CREATE TABLE");
  EXPECT_THAT(Guessed("none.csv"), HasSubstr("No such file or directory"));
  EXPECT_THAT(Guessed("*.none"), HasSubstr("no file matches"));
  const Result<TableGuess> bad = GuessTable(folder_ / "bad.json", nullptr);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().place.file, folder_ / "bad.json");
  EXPECT_EQ(bad.error().place.line, 2);
  EXPECT_EQ(GuessTable("", nullptr).error().message, "the path is empty");
  EXPECT_THAT(GuessTable("s3://bucket/a.csv", nullptr).error().message,
              HasSubstr("only local files"));
}

TEST_F(TableGuessTest, StandardInputStaysToBeRead) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string bytes = "{\"id\":1}\n";
  ASSERT_EQ(write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  close(ends[1]);
  StandardInput input(ends[0]);
  for (const char* path : {"/dev/stdin", "-"}) {
    EXPECT_EQ(GuessTable(path, &input)->schema.options.at("path").value, "-") << path;
  }
  EXPECT_FALSE(GuessTable("-", nullptr));
  const Result<TableGuess> guess = GuessTable("-", &input);
  ASSERT_TRUE(guess);
  EXPECT_EQ(guess->name, "stdin");
  EXPECT_EQ(guess->schema.schema.ToString(), "id BIGINT");
  EXPECT_EQ(input.Peek(100)->bytes, bytes);
  close(ends[0]);
}

}  // namespace
}  // namespace braid
