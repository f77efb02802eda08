#include "engine/connectors/line_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "engine/connectors/line_queue.h"

namespace braid {
namespace {

using testing::ElementsAre;

// What the lines of a text are: one too long as "<its length> front".
std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const KeptLine kept = TakeLine(&text);
    std::string line(kept.line);
    if (kept.long_bytes > 0) line = "<" + std::to_string(kept.long_bytes) + "> " + line;
    lines.push_back(line);
  }
  return lines;
}

// Splits `bytes` given in pieces of `piece` bytes.
LineBlock Split(std::string_view bytes, size_t piece, int64_t line_bytes_max) {
  LineSplitter splitter(line_bytes_max);
  LineBlock block;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    splitter.Append(bytes.substr(0, piece), &block);
  }
  splitter.Finish(&block);
  return block;
}

TEST(LineSplitterTest, LinesAreTheSameInAnyPieces) {
  struct Case {
    const char* name;
    std::string bytes;
    std::vector<std::string> lines;
  };
  const std::string long_line(1'000, 'x');
  const std::string front = long_line.substr(0, kLongLineFrontBytes);
  const Case cases[] = {
      {"nothing", "", {}},
      {"one line", "a\n", {"a"}},
      {"last line without an end", "a\nbc", {"a", "bc"}},
      {"empty lines", "\n\na\n", {"", "", "a"}},
      {"carriage returns", "a\r\nb\rc\r\n\r\n", {"a", "b\rc", ""}},
      {"byte order mark",
       "\xEF\xBB\xBF"
       "a\n\xEF\xBB\xBF\n",
       {"a", "\xEF\xBB\xBF"}},
      {"zero bytes",
       std::string("\0a\nb\0\n\0=\n\0>3:c\n", 15),
       {std::string("\0a", 2), std::string("b\0", 2), std::string("\0=", 2),
        std::string("\0>3:c", 5)}},
      {"as long as may be", std::string(500, 'y') + "\r\nb\n", {std::string(500, 'y'), "b"}},
      {"too long", "a\n" + long_line + "\nb\n", {"a", "<1000> " + front, "b"}},
      {"too long at the end", long_line, {"<1000> " + front}},
      {"just too long",
       std::string(501, 'y') + "\nb\n",
       {"<501> " + std::string(kLongLineFrontBytes, 'y'), "b"}},
  };
  for (const Case& c : cases) {
    for (const size_t piece : {size_t{1}, size_t{2}, size_t{3}, size_t{7}, size_t{4'096}}) {
      const LineBlock block = Split(c.bytes, piece, 500);
      EXPECT_EQ(LinesOf(block.text), c.lines) << c.name << ", pieces of " << piece;
      EXPECT_EQ(block.num_lines, static_cast<int64_t>(c.lines.size())) << c.name;
      EXPECT_EQ(CountLines(block.text), block.num_lines) << c.name;
    }
  }
}

TEST(LineSplitterTest, APartialLineIsSeen) {
  LineSplitter splitter(100);
  LineBlock block;
  splitter.Append("a\n", &block);
  EXPECT_FALSE(splitter.has_partial_line());
  splitter.Append("b", &block);
  EXPECT_TRUE(splitter.has_partial_line());
  EXPECT_THAT(LinesOf(block.text), ElementsAre("a"));
}

TEST(LineQueueTest, GivesWholeLinesWithinTheLimitAndAtLeastOne) {
  int room = 0;
  LineQueue queue(10, [&room] { ++room; });
  EXPECT_TRUE(queue.AskRoom());
  LineBlock block;
  for (const char* line : {"aaa", "bb", "a long line", "c"}) block.AppendLine(line);
  queue.Put(std::move(block));
  EXPECT_EQ(queue.num_bytes(), 21);
  EXPECT_FALSE(queue.AskRoom());

  EXPECT_THAT(LinesOf(queue.Take(8).text), ElementsAre("aaa", "bb"));
  EXPECT_EQ(room, 0);
  EXPECT_THAT(LinesOf(queue.Take(3).text), ElementsAre("a long line"));
  EXPECT_EQ(room, 1);
  EXPECT_THAT(LinesOf(queue.Take(0).text), ElementsAre("c"));
  EXPECT_EQ(room, 1);
  EXPECT_TRUE(queue.Take(100).empty());
  EXPECT_EQ(queue.num_bytes(), 0);
  EXPECT_EQ(queue.num_lines_put(), 4);
}

TEST(LineQueueTest, GivesWhatWasPutWhateverTheSizes) {
  rc::check("lines come out as they went in", [] {
    LineQueue queue(1 << 20, [] {});
    std::vector<std::string> put;
    std::vector<std::string> taken;
    for (int round = 0; round < 20; ++round) {
      LineBlock block;
      const int lines = *rc::gen::inRange(0, 20);
      for (int line = 0; line < lines; ++line) {
        put.push_back(std::string(static_cast<size_t>(*rc::gen::inRange(0, 9)), 'a') +
                      std::to_string(put.size()));
        block.AppendLine(put.back());
      }
      queue.Put(std::move(block));
      const LineBlock out = queue.Take(*rc::gen::inRange(1, 100));
      RC_ASSERT(CountLines(out.text) == out.num_lines);
      for (std::string& line : LinesOf(out.text)) taken.push_back(std::move(line));
    }
    for (std::string& line : LinesOf(queue.Take(0).text)) taken.push_back(std::move(line));
    RC_ASSERT(taken == put);
  });
}

}  // namespace
}  // namespace braid
