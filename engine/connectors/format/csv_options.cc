#include "engine/connectors/format/csv_options.h"

#include <charconv>
#include <cstdint>
#include <string_view>

#include "engine/connectors/option_reader.h"

namespace braid {

namespace {

enum class Header : uint8_t { kNone, kNames, kSkipped };

// One ASCII character, or one of the spellings \t, \\, \0 and \u0001; nothing on any other text.
std::optional<char> ParseCharacter(std::string_view text) {
  if (text.size() == 1 && static_cast<unsigned char>(text[0]) < 0x80) return text[0];
  if (text == "\\t") return '\t';
  if (text == "\\\\") return '\\';
  if (text == "\\0") return '\0';
  if (text.size() == 6 && text.starts_with("\\u")) {
    unsigned code = 0;
    const auto [end, failure] = std::from_chars(text.data() + 2, text.data() + 6, code, 16);
    if (failure == std::errc() && end == text.data() + 6 && code < 0x80) {
      return static_cast<char>(code);
    }
  }
  return std::nullopt;
}

// The option as one character that is not a line end; `otherwise` if it is not given.
char ReadCharacter(OptionReader* options, std::string_view name, char otherwise) {
  const std::optional<std::string> text = options->OptionalText(name);
  if (!text) return otherwise;
  const std::optional<char> character = ParseCharacter(*text);
  if (!character || *character == '\n' || *character == '\r' || *character == '\0') {
    options->Refuse(name, "'" + std::string(name) + "' needs one ASCII character, found '" + *text +
                              "' ('\\t' and '\\u0001' can be written so)");
    return otherwise;
  }
  return *character;
}

void DeclareAliases(OptionReader* options) {
  options->Alias("header", "csv.header");
  options->Alias("csv.ignore-first-line", "csv.header");
  for (const std::string_view alias :
       {"field-delimiter", "csv.delimiter", "delimiter", "csv.sep", "sep"}) {
    options->Alias(alias, "csv.field-delimiter");
  }
  for (const std::string_view alias : {"quote-character", "csv.quote", "quote"}) {
    options->Alias(alias, "csv.quote-character");
  }
  options->Alias("disable-quote-character", "csv.disable-quote-character");
  for (const std::string_view alias : {"escape-character", "csv.escape", "escape"}) {
    options->Alias(alias, "csv.escape-character");
  }
  options->Alias("allow-comments", "csv.allow-comments");
  options->Alias("comment", "csv.comment");
  for (const std::string_view alias : {"null-literal", "nullValue", "nullvalue"}) {
    options->Alias(alias, "csv.null-literal");
  }
  options->Alias("ignore-parse-errors", "csv.ignore-parse-errors");
  options->Alias("timestamp-format", "csv.timestamp-format");
}

void ReadQuote(OptionReader* options, CsvOptions* csv) {
  const std::optional<std::string> quote = options->OptionalText("csv.quote-character");
  const bool disabled = options->Boolean("csv.disable-quote-character", false);
  if (quote && disabled) {
    options->Refuse("csv.disable-quote-character",
                    "'csv.quote-character' and 'csv.disable-quote-character' contradict each "
                    "other; give one of them");
  }
  // Spark's way to switch quotes off is an empty character.
  if (disabled || (quote && quote->empty())) {
    csv->quote = '\0';
  } else {
    csv->quote = ReadCharacter(options, "csv.quote-character", '"');
  }
}

// The characters with a meaning must differ from each other.
void CheckDistinct(OptionReader* options, const CsvOptions& csv) {
  const struct {
    const char* name;
    char character;
  } special[] = {{"csv.field-delimiter", csv.delimiter},
                 {"csv.quote-character", csv.quote},
                 {"csv.escape-character", csv.escape},
                 {"csv.comment", csv.comment}};
  for (const auto& one : special) {
    for (const auto& other : special) {
      if (&other <= &one || one.character == '\0' || one.character != other.character) continue;
      // An escape equal to the quote is how quotes inside quotes are doubled anyway.
      if (&one == &special[1] && &other == &special[2]) continue;
      options->Refuse(
          options->Has(other.name) ? other.name : one.name,
          std::string("'") + one.name + "' and '" + other.name + "' cannot be the same character");
    }
  }
}

}  // namespace

CsvOptions ReadCsvOptions(OptionReader* options) {
  DeclareAliases(options);
  CsvOptions csv;
  const Header header = options->Choice(
      "csv.header", Header::kNone,
      {{"true", Header::kNames}, {"false", Header::kNone}, {"skip", Header::kSkipped}});
  csv.header = header != Header::kNone;
  csv.header_names_columns = header != Header::kSkipped;
  csv.delimiter = ReadCharacter(options, "csv.field-delimiter", ',');
  ReadQuote(options, &csv);
  csv.escape = ReadCharacter(options, "csv.escape-character", '\0');
  if (csv.escape == csv.quote) csv.escape = '\0';
  const bool allow_comments = options->Boolean("csv.allow-comments", false);
  csv.comment = ReadCharacter(options, "csv.comment", allow_comments ? '#' : '\0');
  csv.null_literal = options->OptionalText("csv.null-literal");
  csv.bad_records = ReadBadRecordPolicy(options, "csv.ignore-parse-errors");
  csv.timestamp_style = ReadTimestampStyle(options, "csv.timestamp-format");
  CheckDistinct(options, csv);
  CheckEncoding(options);
  // Quoted line ends are always understood.
  options->AcceptWithoutEffect("multiLine");
  options->AcceptWithoutEffect("multiline");
  options->AcceptWithoutEffect("csv.array-element-delimiter");
  options->AcceptWithoutEffect("csv.write-bigdecimal-in-scientific-notation");
  return csv;
}

}  // namespace braid
