#include "engine/connectors/file_operations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/connectors/temporary_folder.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class FileOperationsTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::shared_ptr<FileOperations> operations_ = NewPosixFileOperations();
};

TEST_F(FileOperationsTest, WritesRenamesListsAndRemoves) {
  ASSERT_TRUE(operations_->CreateDirectories(folder_ / "a/b", true));
  ASSERT_TRUE(operations_->CreateDirectories(folder_ / "a/b", true));
  auto file = operations_->NewFile(folder_ / "a/b/x", FileOperations::Create::kTruncate);
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->Append("one"));
  ASSERT_TRUE((*file)->Append("two"));
  ASSERT_TRUE((*file)->Sync());
  ASSERT_TRUE((*file)->Close());
  ASSERT_TRUE(operations_->Rename(folder_ / "a/b/x", folder_ / "a/b/y"));
  ASSERT_TRUE(operations_->SyncDirectory(folder_ / "a/b"));
  folder_.Write("a/b/.hidden", "");
  EXPECT_THAT(*operations_->List(folder_ / "a/b"), ElementsAre(".hidden", "y"));
  EXPECT_EQ(*operations_->ReadAll(folder_ / "a/b/y"), "onetwo");
  ASSERT_TRUE(operations_->Remove(folder_ / "a/b/y"));
  ASSERT_TRUE(operations_->Remove(folder_ / "a/b/y"));
  EXPECT_THAT(*operations_->List(folder_ / "a/b"), ElementsAre(".hidden"));
}

TEST_F(FileOperationsTest, AppendsAfterTheSizeGiven) {
  folder_.Write("x", "0123456789");
  auto file = operations_->OpenToAppend(folder_ / "x", 4);
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->Append("abc"));
  ASSERT_TRUE((*file)->Close());
  EXPECT_EQ(folder_.Read("x"), "0123abc");
}

TEST_F(FileOperationsTest, AnExclusiveFileMustBeNew) {
  const auto create = [this] {
    return operations_->NewFile(folder_ / "x", FileOperations::Create::kExclusive);
  };
  EXPECT_TRUE(create());
  EXPECT_EQ(create().error().code, ErrorCode::kConflict);
}

TEST_F(FileOperationsTest, ErrorsNameThePathAndTheReason) {
  const Error missing = operations_->ReadAll(folder_ / "none").error();
  EXPECT_EQ(missing.code, ErrorCode::kNotFound);
  EXPECT_THAT(missing.message, HasSubstr(folder_ / "none"));
  EXPECT_THAT(missing.message, HasSubstr("No such file or directory"));
  EXPECT_EQ(operations_->List(folder_ / "none").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(operations_->Rename(folder_ / "none", folder_ / "x").error().code,
            ErrorCode::kNotFound);
  folder_.Write("file", "");
  EXPECT_FALSE(operations_->CreateDirectories(folder_ / "file/below", false));
  EXPECT_EQ(operations_->ReadAll(folder_.path()).error().code, ErrorCode::kIo);
}

}  // namespace
}  // namespace braid
