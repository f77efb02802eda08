#include "engine/connectors/file_offset.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

namespace braid {

namespace {

// A member that is a number of zero or more; `otherwise` if it is missing, -1 if it is anything
// else.
int64_t ReadNumber(const nlohmann::json& object, const char* name, int64_t otherwise) {
  const auto member = object.find(name);
  if (member == object.end()) return otherwise;
  if (!member->is_number_integer() || *member < 0) return -1;
  return member->get<int64_t>();
}

bool ReadTails(const nlohmann::json& object, std::vector<FileOffset::Tail>* tails) {
  const auto member = object.find("tails");
  if (member == object.end()) return true;
  if (!member->is_array()) return false;
  for (const nlohmann::json& tail : *member) {
    if (!tail.is_array() || tail.size() != 3) return false;
    for (const nlohmann::json& number : tail) {
      if (!number.is_number_integer() || number < 0) return false;
    }
    tails->push_back({tail[0].get<int64_t>(), tail[1].get<int64_t>(), tail[2].get<int64_t>()});
  }
  return true;
}

}  // namespace

std::string FileOffset::ToText() const {
  nlohmann::ordered_json object = {{"done", done}};
  if (line > 0) {
    object["file"] = name;
    object["byte"] = byte;
    object["line"] = line;
  } else if (!name.empty()) {
    object["last"] = name;
  }
  for (const Tail& tail : tails) object["tails"].push_back({tail.part, tail.byte, tail.line});
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Result<FileOffset> FileOffset::Parse(const std::string& text) {
  FileOffset offset;
  if (text.empty()) return offset;
  const nlohmann::json object = nlohmann::json::parse(text, nullptr, false);
  bool whole = object.is_object();
  if (whole) {
    offset.done = ReadNumber(object, "done", -1);
    offset.byte = ReadNumber(object, "byte", 0);
    offset.line = ReadNumber(object, "line", 0);
    const bool is_inside = object.contains("line");
    const auto name = object.find(is_inside ? "file" : "last");
    const bool has_name = name != object.end() && name->is_string();
    if (has_name) offset.name = name->get<std::string>();
    // A place inside a file is taken with all that belongs to it or not at all: a part of it would
    // read the file again from its beginning.
    const bool is_all =
        is_inside == object.contains("file") && is_inside == object.contains("byte");
    whole = is_all && (!is_inside || (has_name && offset.line > 0)) && offset.done >= 0 &&
            offset.byte >= 0 && offset.line >= 0 && ReadTails(object, &offset.tails);
  }
  if (!whole) {
    return Fail(ErrorCode::kCorruption, fmt::format("'{}' is no offset of a table of files", text));
  }
  return offset;
}

}  // namespace braid
