#include "engine/connectors/standard_input_source.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "engine/connectors/filesystem_connector.h"
#include "tests/connectors/row_texts.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A pipe as standard input, and the table that reads it.
class StandardInputSourceTest : public testing::Test {
 protected:
  StandardInputSourceTest() {
    EXPECT_EQ(pipe(ends_), 0);
    input_ = std::make_shared<StandardInput>(ends_[0]);
  }
  ~StandardInputSourceTest() override {
    close(ends_[0]);
    CloseWriter();
  }

  void Write(std::string_view bytes) {
    EXPECT_EQ(write(ends_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void CloseWriter() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }
  // For a thread of its own: more than a pipe takes waits for the reader.
  void WriteAllAndClose(const std::string& bytes) {
    size_t written = 0;
    while (written < bytes.size()) {
      const ssize_t count = write(ends_[1], bytes.data() + written, bytes.size() - written);
      if (count <= 0) break;
      written += static_cast<size_t>(count);
    }
    CloseWriter();
  }

  Result<std::unique_ptr<Source>> NewSource(const Options& options = {}) {
    TableDescription table;
    table.name = "t";
    table.schema = IdAndName();
    table.not_null.assign(table.schema.fields.size(), 0);
    table.options = {
        {"connector", {"filesystem", {}}}, {"path", {"-", {}}}, {"format", {"csv", {}}}};
    for (const auto& [key, option] : options) table.options[key] = option;
    return FilesystemConnector(input_).NewSource(table, {0, 1}, nullptr);
  }

  // The rows up to the end or to when nothing comes; an error as the last one.
  static std::vector<std::string> Rows(Source* source, bool to_the_end) {
    std::vector<std::string> rows;
    for (;;) {
      Result<SourceNext> next = source->Next({});
      if (!next) {
        rows.push_back(next.error().ToString());
        return rows;
      }
      if (next->kind == SourceNext::Kind::kEnd) return rows;
      if (next->kind == SourceNext::Kind::kNothing && !to_the_end) return rows;
      for (std::string& row : RowTexts(next->slice.rows)) rows.push_back(std::move(row));
    }
  }

  int ends_[2] = {-1, -1};
  std::shared_ptr<StandardInput> input_;
};

TEST_F(StandardInputSourceTest, RowsComeAsTheyAreWritten) {
  const Result<std::unique_ptr<Source>> source = NewSource();
  ASSERT_TRUE(source) << source.error().message;
  ASSERT_TRUE((*source)->Open(""));
  EXPECT_TRUE((*source)->is_finite());
  EXPECT_FALSE((*source)->can_replay());
  Write("1,a\n2,");
  EXPECT_EQ(Rows(source->get(), false).size(), 1U);
  Write("b\n3,c");
  EXPECT_EQ(Rows(source->get(), false).size(), 1U);
  CloseWriter();
  EXPECT_EQ(Rows(source->get(), true).size(), 1U);
  EXPECT_EQ(Rows(source->get(), true).size(), 0U);
}

TEST_F(StandardInputSourceTest, AChangelogKeepsItsKinds) {
  const Result<std::unique_ptr<Source>> source = NewSource({{"changelog.column", {"op", {}}}});
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_TRUE((*source)->gives_changes());
  ASSERT_TRUE((*source)->Open(""));
  Write("+I,1,a\n-D,1,a\n");
  CloseWriter();
  EXPECT_THAT(Rows(source->get(), true), ElementsAre("+I 1,a", "-D 1,a"));
}

TEST_F(StandardInputSourceTest, WhatWasLookedAtIsReadToo) {
  Write("id,name\n1,a\n2,b\n");
  CloseWriter();
  const Result<StandardInput::Beginning> beginning = input_->Peek(1 << 20);
  ASSERT_TRUE(beginning);
  EXPECT_EQ(beginning->bytes, "id,name\n1,a\n2,b\n");
  EXPECT_TRUE(beginning->is_whole);
  const Result<std::unique_ptr<Source>> source = NewSource({{"csv.header", {"true", {}}}});
  ASSERT_TRUE((*source)->Open(""));
  EXPECT_EQ(Rows(source->get(), true).size(), 2U);
}

TEST_F(StandardInputSourceTest, ALotOfInputArrivesWhole) {
  std::string bytes;
  for (int row = 0; row < 200'000; ++row) bytes += fmt::format("{},name {}\n", row, row);
  std::thread writer([&] { WriteAllAndClose(bytes); });
  const Result<std::unique_ptr<Source>> source = NewSource();
  ASSERT_TRUE((*source)->Open(""));
  const std::vector<std::string> rows = Rows(source->get(), true);
  writer.join();
  ASSERT_EQ(rows.size(), 200'000U);
  EXPECT_THAT(rows.back(), HasSubstr("199999"));
}

TEST_F(StandardInputSourceTest, ARecordThatIsLongerThanAnyBlockIsRead) {
  const std::string bytes = "1," + std::string(3'000'000, 'x') + "\n2,b\n";
  std::thread writer([&] { WriteAllAndClose(bytes); });
  const Result<std::unique_ptr<Source>> source = NewSource();
  ASSERT_TRUE((*source)->Open(""));
  const std::vector<std::string> rows = Rows(source->get(), true);
  writer.join();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_GT(rows[0].size(), 3'000'000U);
}

TEST_F(StandardInputSourceTest, ABadRecordIsAnErrorWithItsLine) {
  Write("1,a\nx,b\n");
  CloseWriter();
  const Result<std::unique_ptr<Source>> source = NewSource();
  ASSERT_TRUE((*source)->Open(""));
  EXPECT_THAT(Rows(source->get(), true),
              ElementsAre("standard input:2: invalid input: bad record: column id: 'x' is not a "
                          "BIGINT ('bad-records' = 'drop' leaves such records out)"));
}

TEST_F(StandardInputSourceTest, CompressedBytesAreRefused) {
  Write("\x1f\x8b\x08 and so on");
  CloseWriter();
  const Result<std::unique_ptr<Source>> source = NewSource();
  ASSERT_TRUE((*source)->Open(""));
  EXPECT_THAT(Rows(source->get(), true), ElementsAre(HasSubstr("the bytes are compressed")));
}

TEST_F(StandardInputSourceTest, OneTableReadsIt) {
  ASSERT_TRUE(NewSource());
  const Result<std::unique_ptr<Source>> second = NewSource();
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("can be read once, by one table"));
}

TEST_F(StandardInputSourceTest, OptionsForFilesAreRefused) {
  for (const char* option : {"source.monitor-interval", "source.path.regex-pattern",
                             "source.max-files-per-trigger", "bad-records-path"}) {
    const Result<std::unique_ptr<Source>> source = NewSource({{option, {"1", {}}}});
    ASSERT_FALSE(source) << option;
    EXPECT_THAT(source.error().message, HasSubstr("is standard input")) << option;
  }
}

TEST_F(StandardInputSourceTest, AnEarlierRunCannotBeContinued) {
  const Result<std::unique_ptr<Source>> source = NewSource();
  EXPECT_FALSE((*source)->Open("{\"bytes\":7}"));
  EXPECT_FALSE((*source)->Replay("", "{\"bytes\":7}", "", [](SourceSlice) { return Status(); }));
}

}  // namespace
}  // namespace braid
