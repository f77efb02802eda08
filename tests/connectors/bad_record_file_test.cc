#include "engine/connectors/bad_record_file.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/connectors/temporary_folder.h"

namespace braid {
namespace {

BadRecord RecordAt(int64_t line) {
  BadRecord record;
  record.line = line;
  record.text = "text";
  record.reason = "reason";
  return record;
}

std::string LineOf(int64_t part, int64_t line) {
  return "{\"file\":\"f.csv\",\"line\":" + std::to_string(line) +
         ",\"reason\":\"reason\",\"text\":\"text\",\"part\":" + std::to_string(part) + "}\n";
}

class BadRecordFileTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
};

TEST_F(BadRecordFileTest, IsCreatedByItsFirstRecord) {
  BadRecordFile file(folder_ / "a/bad", "t/x");
  ASSERT_TRUE(file.Rewind(0, 1));
  ASSERT_TRUE(file.Sync());
  EXPECT_FALSE(folder_.Has("a"));
  ASSERT_TRUE(file.Add(0, "f.csv", RecordAt(3)));
  ASSERT_TRUE(file.Flush());
  EXPECT_EQ(folder_.Read("a/bad/t_x.json"), LineOf(0, 3));
}

TEST_F(BadRecordFileTest, RewindTakesOutWhatIsFoundAgain) {
  {
    BadRecordFile file(folder_.path(), "t");
    for (int64_t part = 0; part < 3; ++part) {
      for (const int64_t line : {2, 5}) ASSERT_TRUE(file.Add(part, "f.csv", RecordAt(line)));
    }
    ASSERT_TRUE(file.Rewind(2, 5));
    ASSERT_TRUE(file.Add(2, "f.csv", RecordAt(9)));
    ASSERT_TRUE(file.Sync());
  }
  EXPECT_EQ(folder_.Read("t.json"), LineOf(0, 2) + LineOf(0, 5) + LineOf(1, 2) + LineOf(1, 5) +
                                        LineOf(2, 2) + LineOf(2, 9));
  folder_.Append("t.json", "{\"torn");
  BadRecordFile file(folder_.path(), "t");
  ASSERT_TRUE(file.Rewind(1, 3));
  EXPECT_EQ(folder_.Read("t.json"), LineOf(0, 2) + LineOf(0, 5) + LineOf(1, 2));
  ASSERT_TRUE(file.Rewind(0, 1));
  EXPECT_EQ(folder_.Read("t.json"), "");
}

TEST_F(BadRecordFileTest, ASecondReaderOfTheTableKeepsNothing) {
  BadRecordFile first(folder_.path(), "t");
  BadRecordFile second(folder_.path(), "t");
  ASSERT_TRUE(first.Add(0, "f.csv", RecordAt(1)));
  ASSERT_TRUE(second.Add(0, "f.csv", RecordAt(1)));
  ASSERT_TRUE(second.Rewind(0, 1));
  ASSERT_TRUE(first.Sync());
  ASSERT_TRUE(second.Sync());
  EXPECT_EQ(folder_.Read("t.json"), LineOf(0, 1));
}

TEST_F(BadRecordFileTest, BytesThatAreNoUtf8AreReplaced) {
  BadRecordFile file(folder_.path(), "t");
  BadRecord record = RecordAt(1);
  record.text = "caf\xE9";
  ASSERT_TRUE(file.Add(0, "f.csv", record));
  ASSERT_TRUE(file.Flush());
  EXPECT_NE(folder_.Read("t.json").find("caf\xEF\xBF\xBD"), std::string::npos);
}

TEST_F(BadRecordFileTest, WithoutAFolderNothingIsKept) {
  BadRecordFile file("", "t");
  EXPECT_TRUE(file.Add(0, "f.csv", RecordAt(1)));
  EXPECT_TRUE(file.Rewind(0, 1));
  EXPECT_TRUE(file.Sync());
}

TEST_F(BadRecordFileTest, AFolderThatCannotBeMadeIsAnError) {
  folder_.Write("x", "");
  BadRecordFile file(folder_ / "x/bad", "t");
  EXPECT_FALSE(file.Add(0, "f.csv", RecordAt(1)));
}

}  // namespace
}  // namespace braid
