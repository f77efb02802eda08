#include <string>

#include "engine/sql/parser.h"
#include "tests/fuzz/fuzz_target.h"

namespace braid {

void FuzzSql(std::string_view bytes) {
  ParseOptions options;
  options.file_name = "job.sql";
  options.defines["NAME"] = "value";
  const Result<Script> script = ParseScript(bytes, options);
  if (script) return;
  Expect(!script.error().message.empty(), "an error has a text");
}

}  // namespace braid
