// A folder of the file system that a test may fill; removed with all in it at the end.
#pragma once

#include <string>
#include <string_view>

namespace braid {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // Absolute, without a symbolic link.
  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const;

  // Writes a file, with the folders above it.
  void Write(std::string_view name, std::string_view bytes) const;
  void Append(std::string_view name, std::string_view bytes) const;
  std::string Read(std::string_view name) const;
  bool Has(std::string_view name) const;
  void Remove(std::string_view name) const;
  // Sets the time of modification, in seconds since 1970.
  void SetTime(std::string_view name, double seconds) const;

 private:
  std::string path_;
};

}  // namespace braid
