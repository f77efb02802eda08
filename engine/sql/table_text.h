// A table as the CREATE TABLE statement that makes it: what was guessed, for a person to copy.
//
// Thread rule: free functions.
#pragma once

#include <string>

#include "engine/sql/logical_plan.h"

namespace braid {

// CREATE TABLE … (…) WITH (…); over several lines. ParseScript reads it back as the same table.
// REQUIRES: no computed columns, no watermark, no primary key.
std::string CreateTableText(const TableDefinition& table);

// A name as SQL reads it back: in backticks unless it is a plain word that is not reserved.
std::string SqlName(const std::string& name);

}  // namespace braid
