#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "tests/connectors/file_source_fixture.h"

namespace braid {
namespace {

using FileSourceThreadsTest = FileSourceFixture;

TEST_F(FileSourceThreadsTest, OneThreadReadsWhileAnotherCommits) {
  for (int file = 0; file < 50; ++file) {
    folder_.Write("in/" + std::to_string(file) + ".csv", "1,a\n2,b\n3,c\n");
  }
  const std::unique_ptr<FileSource> source = OpenSource("in");
  std::mutex mutex;
  std::string newest;
  std::atomic<bool> done = false;
  std::thread reader([&] {
    for (;;) {
      const Result<SourceNext> next = source->Next({.bytes_max = 4, .one_file = false});
      ASSERT_TRUE(next);
      if (next->kind != SourceNext::Kind::kSlice) break;
      const std::lock_guard lock(mutex);
      newest = next->slice.end;
    }
    done = true;
  });
  while (!done) {
    std::string offset;
    {
      const std::lock_guard lock(mutex);
      offset = newest;
    }
    EXPECT_TRUE(source->Commit(offset));
    EXPECT_FALSE(source->latest_offset().empty());
  }
  reader.join();
  EXPECT_EQ(newest.substr(0, 10), "{\"done\":50");
}

}  // namespace
}  // namespace braid
