// From SQL text to a bound script. The grammar (engine/sql/grammar.yy) is the dialect's reference.
//
// Errors: kInvalidQuery with line and column, what was found and what could stand there; for an
// unknown name the nearest known one.
// Thread rule: free functions; any number of threads.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "engine/sql/logical_plan.h"

namespace braid {

struct ParseOptions {
  std::string file_name;                       // For places; may be empty.
  std::map<std::string, std::string> defines;  // ${NAME} in the text.
  bool replaces_defines = true;                // False: ${NAME} stands for itself.
  // Tables that a program brings; a CREATE TABLE of the same name is refused.
  std::vector<TablePtr> tables;
  // Says what FROM 'path' reads: a table named after the file, whose columns were guessed. Asked
  // once a path. Without it, and for a path that it fails with, such a FROM is refused.
  FileTableMaker file_table;
};

// Parses and binds a whole file.
Result<Script> ParseScript(std::string_view text, const ParseOptions& options);

}  // namespace braid
