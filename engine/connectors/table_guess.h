// What FROM 'path' reads: the files there are, with the columns that the beginning of one of them
// shows. For tables that nobody declared.
//
// Errors: kNotFound if the path names no file, kInvalidOption if it cannot be a path, kIo;
// kInvalidInput if nothing can be guessed, with the file as place.
// Thread rule: free function.
#pragma once

#include <string>

#include "braid/error.h"
#include "engine/connectors/format/schema_guess.h"
#include "engine/connectors/standard_input.h"

namespace braid {

struct TableGuess {
  std::string name;     // The file's without its extensions; "stdin".
  SchemaGuess schema;   // Its options are all that WITH needs, the connector's too.
  std::string seen_in;  // The file that was looked at; "standard input".
};

// `path`: a file, a folder or a pattern, as the option 'path' takes it, or "-" (also
// written "/dev/stdin") for `input`, which may else be null. The
// format goes by the file's name (.csv .tsv .txt, .json .jsonl .ndjson, compressed or not), else by
// its first byte.
Result<TableGuess> GuessTable(const std::string& path, StandardInput* input);

}  // namespace braid
