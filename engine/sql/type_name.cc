#include "engine/sql/type_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sql/name_match.h"

namespace braid {

namespace {

// What may stand in parentheses behind the name.
enum class Form : uint8_t { kPlain, kDecimal, kText, kFixedText, kTimestamp };

struct TypeRule {
  std::string_view name;
  TypeKind kind;
  Form form;
};

constexpr auto kTypes = std::to_array<TypeRule>({
    {"BOOLEAN", TypeKind::kBoolean, Form::kPlain},
    {"TINYINT", TypeKind::kTinyInt, Form::kPlain},
    {"SMALLINT", TypeKind::kSmallInt, Form::kPlain},
    {"INT", TypeKind::kInt, Form::kPlain},
    {"INTEGER", TypeKind::kInt, Form::kPlain},
    {"BIGINT", TypeKind::kBigInt, Form::kPlain},
    {"FLOAT", TypeKind::kFloat, Form::kPlain},
    {"DOUBLE", TypeKind::kDouble, Form::kPlain},
    {"DECIMAL", TypeKind::kDecimal, Form::kDecimal},
    {"NUMERIC", TypeKind::kDecimal, Form::kDecimal},
    {"DEC", TypeKind::kDecimal, Form::kDecimal},
    {"CHAR", TypeKind::kString, Form::kFixedText},
    {"VARCHAR", TypeKind::kString, Form::kText},
    {"STRING", TypeKind::kString, Form::kPlain},
    {"BINARY", TypeKind::kBytes, Form::kFixedText},
    {"VARBINARY", TypeKind::kBytes, Form::kText},
    {"BYTES", TypeKind::kBytes, Form::kPlain},
    {"DATE", TypeKind::kDate, Form::kPlain},
    {"TIMESTAMP", TypeKind::kTimestamp, Form::kTimestamp},
    {"TIMESTAMP_LTZ", TypeKind::kTimestampLtz, Form::kTimestamp},
});

constexpr std::string_view kLeftOut[] = {"ARRAY",  "MAP",  "MULTISET", "RAW",     "ROW",
                                         "STRUCT", "TIME", "VARIANT",  "INTERVAL"};

class TypeResolver {
 public:
  TypeResolver(const TypeSyntax* type, const SourceText* source) : type_(type), source_(source) {}

  Result<DataType> Resolve() const;

 private:
  tl::unexpected<Error> Refuse(std::string message) const {
    return Fail(ErrorCode::kInvalidQuery, std::move(message), source_->PlaceAt(type_->range.begin));
  }
  // Argument `index`, which must be between the two.
  Result<uint32_t> Argument(size_t index, const char* what, uint32_t least, uint32_t most) const;
  Status CheckCount(size_t most) const;
  Status CheckSuffix(const TypeRule& rule) const;
  Result<DataType> Decimal() const;
  Result<DataType> Text(const TypeRule& rule) const;
  Result<DataType> Timestamp(const TypeRule& rule) const;

  const TypeSyntax* type_;
  const SourceText* source_;
};

Result<uint32_t> TypeResolver::Argument(size_t index, const char* what, uint32_t least,
                                        uint32_t most) const {
  const std::string& text = type_->arguments[index].text;
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most) {
    return Fail(ErrorCode::kInvalidQuery,
                fmt::format("the {} of {} is {} to {}, not {}", what, UpperCase(type_->name), least,
                            most, text),
                source_->PlaceAt(type_->arguments[index].range.begin));
  }
  return number;
}

Status TypeResolver::CheckCount(size_t most) const {
  if (type_->arguments.size() <= most) return {};
  return Refuse(fmt::format("{} takes {} in parentheses", UpperCase(type_->name),
                            most == 0 ? "nothing" : "one number"));
}

Status TypeResolver::CheckSuffix(const TypeRule& rule) const {
  using Suffix = TypeSyntax::Suffix;
  switch (type_->suffix) {
    case Suffix::kNone:
      return {};
    case Suffix::kPrecision:
      if (rule.name == "DOUBLE") return {};
      return Refuse(fmt::format("{} PRECISION is no type; DOUBLE PRECISION is", rule.name));
    case Suffix::kWithTimeZone:
      return Refuse(
          fmt::format("{} WITH TIME ZONE is not supported; TIMESTAMP_LTZ is a moment in "
                      "UTC",
                      rule.name));
    case Suffix::kWithoutTimeZone:
    case Suffix::kWithLocalTimeZone:
      break;
  }
  if (rule.name == "TIMESTAMP") return {};
  return Refuse(fmt::format("a TIME ZONE belongs to TIMESTAMP, not to {}", rule.name));
}

Result<DataType> TypeResolver::Decimal() const {
  uint32_t precision = 10;
  uint32_t scale = 0;
  if (!type_->arguments.empty()) {
    Result<uint32_t> argument = Argument(0, "precision", 1, 18);
    if (!argument) return tl::unexpected(std::move(argument.error()));
    precision = *argument;
  }
  if (type_->arguments.size() > 1) {
    Result<uint32_t> argument = Argument(1, "scale", 0, precision);
    if (!argument) return tl::unexpected(std::move(argument.error()));
    scale = *argument;
  }
  return DataType::Decimal(static_cast<uint8_t>(precision), static_cast<uint8_t>(scale));
}

Result<DataType> TypeResolver::Text(const TypeRule& rule) const {
  DataType type{rule.kind};
  if (rule.form == Form::kFixedText) type.length = 1;
  if (!type_->arguments.empty()) {
    Result<uint32_t> length = Argument(0, "length", 1, std::numeric_limits<int32_t>::max());
    if (!length) return tl::unexpected(std::move(length.error()));
    type.length = *length;
  }
  return type;
}

Result<DataType> TypeResolver::Timestamp(const TypeRule& rule) const {
  constexpr uint8_t kDefaultPrecision = 6;
  DataType type{rule.kind, kDefaultPrecision};
  if (type_->suffix == TypeSyntax::Suffix::kWithLocalTimeZone) {
    type.kind = TypeKind::kTimestampLtz;
  }
  if (!type_->arguments.empty()) {
    Result<uint32_t> precision = Argument(0, "precision", 0, 6);
    if (!precision) return tl::unexpected(std::move(precision.error()));
    type.precision = static_cast<uint8_t>(*precision);
  }
  return type;
}

Result<DataType> TypeResolver::Resolve() const {
  const std::string name = UpperCase(type_->name);
  const auto* rule = std::find_if(kTypes.begin(), kTypes.end(),
                                  [&](const TypeRule& known) { return known.name == name; });
  if (rule == kTypes.end()) {
    if (std::find(std::begin(kLeftOut), std::end(kLeftOut), name) != std::end(kLeftOut)) {
      return Refuse(fmt::format("the type {} is not supported", name));
    }
    std::vector<std::string> names;
    for (const TypeRule& known : kTypes) names.emplace_back(known.name);
    return Refuse(fmt::format("there is no type {}{}", type_->name, SuggestName(name, names)));
  }
  if (Status status = CheckSuffix(*rule); !status) {
    return tl::unexpected(std::move(status.error()));
  }
  const size_t most = rule->form == Form::kPlain ? 0 : rule->form == Form::kDecimal ? 2 : 1;
  if (Status status = CheckCount(most); !status) return tl::unexpected(std::move(status.error()));
  switch (rule->form) {
    case Form::kPlain:
      return DataType{rule->kind};
    case Form::kDecimal:
      return Decimal();
    case Form::kText:
    case Form::kFixedText:
      return Text(*rule);
    case Form::kTimestamp:
      return Timestamp(*rule);
  }
  return Refuse("unknown type");
}

}  // namespace

Result<DataType> ResolveType(const TypeSyntax& type, const SourceText& source) {
  return TypeResolver(&type, &source).Resolve();
}

}  // namespace braid
