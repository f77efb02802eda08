// The tables of FROM 'path': a filesystem table whose columns are guessed from the files there are.
//
// Thread rule: free functions.
#pragma once

#include <string>

#include "braid/error.h"
#include "engine/connectors/connector_registry.h"
#include "engine/sql/logical_plan.h"

namespace braid {

// Errors as GuessTable (engine/connectors/table_guess.h), as errors of the query: nothing has run.
Result<TableDefinition> MakeFileTable(const std::string& path, const ConnectorRegistry& connectors);

// The statement that declares it, behind a comment that says how it was found and what it lacks.
std::string GuessedTableText(const TableDefinition& table);

}  // namespace braid
