// scripts/packages.txt installs exactly what cmake/BraidDependencies.cmake looks for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "tests/tidy/source_tree.h"

namespace braid {
namespace {

// First choices of the [build] group.
std::set<std::string> InstalledPackages() {
  std::set<std::string> packages;
  std::string group;
  for (const std::string& line : FileAt("scripts/packages.txt").lines) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == '[') {
      group = line;
    } else if (group == "[build]") {
      packages.insert(Words(line)[0]);
    }
  }
  return packages;
}

std::set<std::string> NeededPackages() {
  static const std::regex need(R"re(^\s*braid_need\("?([^"\s]+))re");
  std::set<std::string> packages;
  for (const std::string& line : FileAt("cmake/BraidDependencies.cmake").lines) {
    std::smatch match;
    if (std::regex_search(line, match, need)) packages.insert(match[1].str());
  }
  return packages;
}

TEST(PackagesTest, WhatCMakeLooksForIsWhatSetupInstalls) {
  std::set<std::string> installed = InstalledPackages();
  // What is needed before CMake can look for anything.
  for (const char* tool : {"g++", "make", "cmake", "ninja-build"}) {
    EXPECT_EQ(installed.erase(tool), 1U) << tool;
  }
  EXPECT_EQ(installed, NeededPackages());
}

}  // namespace
}  // namespace braid
