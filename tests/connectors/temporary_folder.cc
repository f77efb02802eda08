#include "tests/connectors/temporary_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace braid {

namespace {

void WriteTo(const std::string& path, std::string_view bytes, std::ios::openmode mode) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream stream(path, std::ios::binary | mode);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  ASSERT_TRUE(stream.flush()) << path;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string pattern = std::filesystem::temp_directory_path() / "braid_test_XXXXXX";
  const char* made = ::mkdtemp(pattern.data());
  EXPECT_NE(made, nullptr);
  path_ = std::filesystem::canonical(pattern);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::operator/(std::string_view name) const {
  return path_ + "/" + std::string(name);
}

void TemporaryFolder::Write(std::string_view name, std::string_view bytes) const {
  WriteTo(*this / name, bytes, std::ios::trunc);
}

void TemporaryFolder::Append(std::string_view name, std::string_view bytes) const {
  WriteTo(*this / name, bytes, std::ios::app);
}

std::string TemporaryFolder::Read(std::string_view name) const {
  std::ifstream stream(*this / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

bool TemporaryFolder::Has(std::string_view name) const {
  return std::filesystem::exists(*this / name);
}

void TemporaryFolder::Remove(std::string_view name) const {
  std::filesystem::remove_all(*this / name);
}

void TemporaryFolder::SetTime(std::string_view name, double seconds) const {
  timespec time = {};
  time.tv_sec = static_cast<time_t>(std::floor(seconds));
  time.tv_nsec = static_cast<long>((seconds - std::floor(seconds)) * 1e9);
  const timespec times[2] = {time, time};
  ASSERT_EQ(::utimensat(AT_FDCWD, (*this / name).c_str(), times, 0), 0) << name;
}

}  // namespace braid
