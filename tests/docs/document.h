// README.md and the pages of docs/, taken apart.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace braid {

// A block ```sql … ```.
struct SqlBlock {
  std::string page;  // "docs/sql.md"
  int line = 0;      // Of its first line, from 1.
  std::string text;
  // What the block needs: the tables in the page's comment "<!-- tables … -->", else those of its
  // first block. Empty for a block that makes tables itself.
  std::string context;

  // "-- refused" in its first line: Braid does not take it.
  bool is_refused() const { return text.starts_with("-- refused"); }
};

// "README.md", "docs/sql.md" …
std::vector<std::string> DocumentPages();

std::vector<std::string> DocumentLines(const std::string& page);

// Of all pages, in order.
std::vector<SqlBlock> SqlBlocks();

// All texts that stand in backticks on these pages, outside of blocks.
std::set<std::string> CodeTexts(const std::vector<std::string>& pages);

}  // namespace braid
