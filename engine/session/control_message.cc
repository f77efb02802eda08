#include "engine/session/control_message.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace braid {

namespace {

constexpr auto kReplaceWhatIsNoText = nlohmann::ordered_json::error_handler_t::replace;

}  // namespace

std::string ControlCommand(const std::string& request) {
  const nlohmann::json json = nlohmann::json::parse(request, nullptr, false);
  if (!json.is_object()) return {};
  const auto command = json.find("command");
  return command != json.end() && command->is_string() ? command->get<std::string>() : "";
}

std::string ControlErrorLine(const Error& error) {
  const nlohmann::ordered_json json = {{"error", error.message},
                                       {"code", static_cast<int>(error.code)}};
  return json.dump(-1, ' ', false, kReplaceWhatIsNoText) + "\n";
}

Error ReadControlError(const std::string& line) {
  const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
  const bool is_ours = json.is_object() && json.contains("error") && json["error"].is_string() &&
                       json.contains("code") && json["code"].is_number_integer();
  if (!is_ours) return {ErrorCode::kIo, "the answer of the running query makes no sense", {}};
  // Of a newer version there may be codes that are not known here: whatever is not is an error of
  // talking.
  const auto number = json["code"].get<int64_t>();
  const bool is_known = number >= 0 && number <= static_cast<int64_t>(ErrorCode::kProgram);
  return {is_known ? static_cast<ErrorCode>(number) : ErrorCode::kIo,
          json["error"].get<std::string>(),
          {}};
}

}  // namespace braid
