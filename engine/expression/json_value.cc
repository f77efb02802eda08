#include "engine/expression/json_value.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/expression/function_arguments.h"
#include "engine/expression/text_result.h"
#include "state/rows/value.h"

namespace braid {

namespace {

// A member's name, or an index of an array.
using Step = std::variant<std::string, size_t>;
using Path = std::vector<Step>;

// Reads one step at the front of `text`; false if there is none.
bool TakeMember(std::string_view* text, Path* path) {
  text->remove_prefix(1);
  const std::string_view name = text->substr(0, text->find_first_of(".[ "));
  if (name.empty() || name.find_first_of("*'\"?()@]") != std::string_view::npos) return false;
  path->emplace_back(std::string(name));
  text->remove_prefix(name.size());
  return true;
}

bool TakeBrackets(std::string_view* text, Path* path) {
  text->remove_prefix(1);
  if (text->empty()) return false;
  const char quote = text->front();
  if (quote == '\'' || quote == '"') {
    const size_t end = text->find(quote, 1);
    if (end == std::string_view::npos || text->substr(end + 1, 1) != "]") return false;
    path->emplace_back(std::string(text->substr(1, end - 1)));
    text->remove_prefix(end + 2);
    return true;
  }
  constexpr size_t kMostDigits = 9;
  const size_t end = text->find(']');
  if (end == std::string_view::npos || end == 0 || end > kMostDigits) return false;
  size_t index = 0;
  for (const char letter : text->substr(0, end)) {
    if (letter < '0' || letter > '9') return false;
    index = index * 10 + static_cast<size_t>(letter - '0');
  }
  path->emplace_back(index);
  text->remove_prefix(end + 1);
  return true;
}

bool ParsePath(std::string_view text, Path* path) {
  if (text.starts_with("lax ")) text.remove_prefix(4);
  if (!text.starts_with("$")) return false;
  text.remove_prefix(1);
  while (!text.empty()) {
    const bool taken = text.front() == '.'   ? TakeMember(&text, path)
                       : text.front() == '[' ? TakeBrackets(&text, path)
                                             : false;
    if (!taken) return false;
  }
  return true;
}

bool Follow(const Path& path, simdjson::dom::element* element) {
  for (const Step& step : path) {
    if (const auto* name = std::get_if<std::string>(&step); name != nullptr) {
      simdjson::dom::object object;
      if (element->get(object) != simdjson::SUCCESS) return false;
      if (object.at_key(*name).get(*element) != simdjson::SUCCESS) return false;
    } else {
      simdjson::dom::array array;
      if (element->get(array) != simdjson::SUCCESS) return false;
      if (array.at(std::get<size_t>(step)).get(*element) != simdjson::SUCCESS) return false;
    }
  }
  return true;
}

void AppendScalar(const simdjson::dom::element& element, TextResult* result) {
  std::string_view text;
  bool truth = false;
  int64_t integer = 0;
  uint64_t large = 0;
  double number = 0;
  if (element.get(text) == simdjson::SUCCESS) return result->Append(text);
  if (element.get(truth) == simdjson::SUCCESS) return result->Append(truth ? "true" : "false");
  if (element.get(integer) == simdjson::SUCCESS) return result->Append(fmt::format("{}", integer));
  if (element.get(large) == simdjson::SUCCESS) return result->Append(fmt::format("{}", large));
  if (element.get(number) == simdjson::SUCCESS) {
    return result->Append(FormatValue({DataType::Double(), number}));
  }
  result->AppendNull();
}

Column ReadScalars(const Path& path, const KernelCall& call) {
  TextResult result(call);
  simdjson::dom::parser parser;
  for (int64_t i = 0; i < call.count; ++i) {
    if (result.TakesNull(i)) continue;
    const std::string_view json = TextArgument(call, 0, i);
    simdjson::dom::element element;
    const bool parsed = parser.parse(json.data(), json.size()).get(element) == simdjson::SUCCESS;
    if (parsed && Follow(path, &element)) {
      AppendScalar(element, &result);
    } else {
      result.AppendNull();
    }
  }
  return result.Finish();
}

}  // namespace

Result<ExpressionPtr> MakeJsonValue(FunctionCall call) {
  if (Status status = TakeTexts(&call, 0, 2); !status) return tl::unexpected(status.error());
  if (LiteralText(*call.arguments[1]) == nullptr) {
    return Fail(ErrorCode::kInvalidQuery, "the path of JSON_VALUE must be a literal text",
                call.place);
  }
  return MakeKernelCall(std::move(call), DataType::String());
}

Result<Kernel> MakeJsonValueKernel(const Expression& call) {
  const std::string& text = *LiteralText(*call.arguments[1]);
  Path path;
  if (!ParsePath(text, &path)) {
    return Fail(ErrorCode::kInvalidQuery,
                fmt::format("'{}' is no path of JSON_VALUE; it is written $.name['name'][0]", text),
                call.arguments[1]->place);
  }
  return Kernel([path = std::move(path)](const KernelCall& kernel_call) {
    return ReadScalars(path, kernel_call);
  });
}

}  // namespace braid
