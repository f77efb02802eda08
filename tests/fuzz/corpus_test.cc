// What fuzzers began with and what they found, read by every target that it was found for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_target.h"

namespace braid {
namespace {

std::vector<std::filesystem::path> CorpusOf(std::string_view target) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(fmt::format("{}/{}", BRAID_CORPUS, target))) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(CorpusTest, EveryInputIsReadToItsEnd) {
  for (const FuzzTarget& target : FuzzTargets()) {
    const std::vector<std::filesystem::path> files = CorpusOf(target.name);
    EXPECT_GE(files.size(), 2U) << target.name;
    for (const std::filesystem::path& file : files) {
      SCOPED_TRACE(file.string());
      target.run(Read(file));
    }
  }
}

// Also what begins like an input and breaks off, and what follows when a byte is another one.
TEST(CorpusTest, EveryInputIsReadWhenItIsCutOrDamaged) {
  for (const FuzzTarget& target : FuzzTargets()) {
    for (const std::filesystem::path& file : CorpusOf(target.name)) {
      SCOPED_TRACE(file.string());
      const std::string bytes = Read(file);
      const size_t step = bytes.size() / 32 + 1;
      for (size_t at = 0; at < bytes.size(); at += step) {
        target.run(std::string_view(bytes).substr(0, at));
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
        target.run(damaged);
      }
    }
  }
}

TEST(CorpusDeathTest, ATargetThatFindsSomethingEndsTheProgram) {
  FuzzCanary("silence");
  EXPECT_DEATH(FuzzCanary("sing!"), "no bird sings");
}

}  // namespace
}  // namespace braid
