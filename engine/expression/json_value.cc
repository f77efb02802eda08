#include "engine/expression/json_value.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "braid/value.h"
#include "engine/expression/function_arguments.h"
#include "engine/expression/json_number.h"
#include "engine/expression/text_result.h"
#include "state/rows/limits.h"

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

// Reads a whole JSON text and keeps the scalar at the end of a path; of a name that stands twice in
// an object the last one counts.
class ScalarFinder {
 public:
  explicit ScalarFinder(const Path& path) : path_(&path) {}

  // False if `json` does not begin with a JSON text. What follows it does not count.
  bool Read(std::string_view json) {
    found_.reset();
    depth_ = 0;
    bytes_.reserve(json.size() + simdjson::SIMDJSON_PADDING);
    bytes_.assign(json);
    simdjson::ondemand::document document;
    const simdjson::padded_string_view padded(bytes_.data(), bytes_.size(), bytes_.capacity());
    if (parser_.iterate(padded).get(document) != simdjson::SUCCESS) return false;
    return Walk(&document, 0);
  }

  const std::optional<std::string>& found() const { return found_; }

 private:
  static constexpr size_t kOffPath = SIZE_MAX;

  // `position`: how many steps of the path lead to `value`.
  template <typename Json>
  bool Walk(Json* value, size_t position) {
    const bool is_end = position == path_->size();
    simdjson::ondemand::json_type type;
    if (value->type().get(type) != simdjson::SUCCESS) return false;
    const bool is_object = type == simdjson::ondemand::json_type::object;
    if (is_object || type == simdjson::ondemand::json_type::array) {
      if (++depth_ > kJsonDepthMax) return false;
      const size_t inner = is_end ? kOffPath : position;
      const bool walked = is_object ? WalkObject(value, inner) : WalkArray(value, inner);
      --depth_;
      return walked;
    }
    std::optional<std::string> text;
    if (!ReadScalar(value, type, &text)) return false;
    if (is_end) found_ = std::move(text);
    return true;
  }

  template <typename Json>
  bool WalkObject(Json* value, size_t position) {
    simdjson::ondemand::object object;
    if (value->get_object().get(object) != simdjson::SUCCESS) return false;
    const std::string* name =
        position == kOffPath ? nullptr : std::get_if<std::string>(&(*path_)[position]);
    for (auto each : object) {
      simdjson::ondemand::field field;
      std::string_view key;
      if (std::move(each).get(field) != simdjson::SUCCESS) return false;
      if (field.unescaped_key().get(key) != simdjson::SUCCESS) return false;
      const bool is_wanted = name != nullptr && key == *name;
      if (is_wanted) found_.reset();
      if (!Walk(&field.value(), is_wanted ? position + 1 : kOffPath)) return false;
    }
    return true;
  }

  template <typename Json>
  bool WalkArray(Json* value, size_t position) {
    simdjson::ondemand::array array;
    if (value->get_array().get(array) != simdjson::SUCCESS) return false;
    const size_t* wanted =
        position == kOffPath ? nullptr : std::get_if<size_t>(&(*path_)[position]);
    size_t index = 0;
    for (auto each : array) {
      simdjson::ondemand::value element;
      // NOLINTNEXTLINE(performance-move-const-arg): this get() is for rvalues alone.
      if (std::move(each).get(element) != simdjson::SUCCESS) return false;
      const bool is_wanted = wanted != nullptr && index == *wanted;
      if (!Walk(&element, is_wanted ? position + 1 : kOffPath)) return false;
      ++index;
    }
    return true;
  }

  // Leaves `text` empty for null.
  template <typename Json>
  static bool ReadScalar(Json* value, simdjson::ondemand::json_type type,
                         std::optional<std::string>* text) {
    if (type == simdjson::ondemand::json_type::string) {
      std::string_view characters;
      if (value->get_string().get(characters) != simdjson::SUCCESS) return false;
      text->emplace(characters);
      return true;
    }
    if (type == simdjson::ondemand::json_type::boolean) {
      bool truth = false;
      if (value->get_bool().get(truth) != simdjson::SUCCESS) return false;
      text->emplace(truth ? "true" : "false");
      return true;
    }
    std::string_view token;
    if (simdjson::simdjson_result<std::string_view>(value->raw_json_token()).get(token) !=
        simdjson::SUCCESS) {
      return false;
    }
    token = token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
    if (type == simdjson::ondemand::json_type::null) return token == "null";
    *text = JsonNumberText(token);
    return text->has_value();
  }

  const Path* path_;
  simdjson::ondemand::parser parser_;
  std::string bytes_;  // The text, with the room behind it that simdjson needs.
  std::optional<std::string> found_;
  int depth_ = 0;
};

Column ReadScalars(const Path& path, const KernelCall& call) {
  TextResult result(call);
  ScalarFinder finder(path);
  for (int64_t i = 0; i < call.count; ++i) {
    if (result.TakesNull(i)) continue;
    if (finder.Read(TextArgument(call, 0, i)) && finder.found()) {
      result.Append(*finder.found());
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
