#include "engine/connectors/file_offset.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace braid {
namespace {

TEST(FileOffsetTest, WritesAndReadsTheDocumentedTexts) {
  const std::vector<std::pair<FileOffset, std::string>> cases = {
      {{}, "{\"done\":0}"},
      {{3, "c.csv", 0, 0, {}}, "{\"done\":3,\"last\":\"c.csv\"}"},
      {{3, "d.csv", 1000, 25, {{1, 96, 7}}},
       "{\"done\":3,\"file\":\"d.csv\",\"byte\":1000,\"line\":25,\"tails\":[[1,96,7]]}"},
      {{1, "\xC3\xA4 \".csv", 0, 0, {}}, "{\"done\":1,\"last\":\"\xC3\xA4 \\\".csv\"}"},
  };
  for (const auto& [offset, text] : cases) {
    EXPECT_EQ(offset.ToText(), text);
    const Result<FileOffset> parsed = FileOffset::Parse(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, offset) << text;
  }
  EXPECT_EQ(*FileOffset::Parse(""), FileOffset());
}

TEST(FileOffsetTest, ANameThatIsNoUtf8CanBeWritten) {
  const FileOffset offset{1, "a\xFF.csv", 0, 0, {}};
  EXPECT_TRUE(FileOffset::Parse(offset.ToText()));
}

TEST(FileOffsetTest, OtherTextsAreCorruption) {
  for (const std::string text :
       {"x", "[]", "{}", "{\"done\":-1}", "{\"done\":\"1\"}", "{\"done\":1,\"byte\":-2}",
        "{\"done\":1,\"line\":1.5}", "{\"done\":1,\"tails\":[[1,2]]}",
        "{\"done\":1,\"tails\":[[1,2,\"3\"]]}", "{\"done\":1,\"tails\":1}",
        "{\"done\":1,\"tails\":[[1,-2,3]]}", "{\"done\":3,\"file\":\"d.csv\",\"byte\":1000}",
        "{\"done\":3,\"byte\":1000,\"line\":25}", "{\"done\":3,\"file\":\"d.csv\",\"line\":25}"}) {
    const Result<FileOffset> parsed = FileOffset::Parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kCorruption);
  }
}

}  // namespace
}  // namespace braid
