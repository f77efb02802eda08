#include "tests/docs/document.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace braid {
namespace {

constexpr const char* kTablesBegin = "<!-- tables";
constexpr const char* kTablesEnd = "-->";

std::vector<SqlBlock> BlocksOf(const std::string& page) {
  std::vector<SqlBlock> blocks;
  std::string tables;
  bool in_block = false;
  bool in_tables = false;
  int number = 0;
  for (const std::string& line : DocumentLines(page)) {
    ++number;
    if (line.starts_with("```")) {
      in_block = line == "```sql";
      if (in_block) blocks.push_back({page, number + 1, "", ""});
    } else if (in_block) {
      blocks.back().text += line + "\n";
    } else if (line == kTablesBegin) {
      in_tables = true;
    } else if (line == kTablesEnd) {
      in_tables = false;
    } else if (in_tables) {
      tables += line + "\n";
    }
  }
  for (SqlBlock& block : blocks) {
    if (block.text.find("CREATE TABLE") != std::string::npos ||
        block.text.find("CREATE TEMPORARY TABLE") != std::string::npos) {
      continue;
    }
    block.context = tables.empty() ? blocks.front().text : tables;
  }
  return blocks;
}

}  // namespace

std::vector<std::string> DocumentPages() {
  std::vector<std::string> pages = {"README.md"};
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(BRAID_SOURCE_DIR) + "/docs")) {
    if (entry.path().extension() == ".md")
      pages.push_back("docs/" + entry.path().filename().string());
  }
  std::sort(pages.begin(), pages.end());
  return pages;
}

std::vector<std::string> DocumentLines(const std::string& page) {
  std::ifstream stream(std::string(BRAID_SOURCE_DIR) + "/" + page);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<SqlBlock> SqlBlocks() {
  std::vector<SqlBlock> blocks;
  for (const std::string& page : DocumentPages()) {
    for (SqlBlock& block : BlocksOf(page)) blocks.push_back(std::move(block));
  }
  return blocks;
}

std::set<std::string> CodeTexts(const std::vector<std::string>& pages) {
  std::set<std::string> texts;
  for (const std::string& page : pages) {
    bool in_block = false;
    for (const std::string& line : DocumentLines(page)) {
      if (line.starts_with("```")) in_block = !in_block;
      if (in_block) continue;
      size_t begin = line.find('`');
      while (begin != std::string::npos) {
        const size_t end = line.find('`', begin + 1);
        if (end == std::string::npos) break;
        texts.insert(line.substr(begin + 1, end - begin - 1));
        begin = line.find('`', end + 1);
      }
    }
  }
  return texts;
}

}  // namespace braid
