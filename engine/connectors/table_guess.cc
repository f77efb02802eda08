#include "engine/connectors/table_guess.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/connectors/file_finder.h"
#include "engine/connectors/file_location.h"
#include "engine/connectors/input_file.h"
#include "state/rows/limits.h"

namespace braid {

namespace {

struct Extension {
  std::string_view text;
  FormatName format;
  std::optional<char> delimiter;
};

constexpr std::array<Extension, 6> kExtensions = {{
    {".csv", FormatName::kCsv, std::nullopt},
    {".txt", FormatName::kCsv, std::nullopt},
    {".tsv", FormatName::kCsv, '\t'},
    {".json", FormatName::kJson, std::nullopt},
    {".jsonl", FormatName::kJson, std::nullopt},
    {".ndjson", FormatName::kJson, std::nullopt},
}};

std::string LowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

std::string WithoutCompression(std::string name) {
  if (CompressionOf(name) != Compression::kNone) name.resize(name.rfind('.'));
  return name;
}

const Extension* ExtensionOf(const std::string& name) {
  const std::string lower = LowerCase(WithoutCompression(name));
  const auto found =
      std::find_if(kExtensions.begin(), kExtensions.end(),
                   [&](const Extension& extension) { return lower.ends_with(extension.text); });
  return found == kExtensions.end() ? nullptr : &*found;
}

// The last part of the path that has no wildcard, without the extensions that say a format.
std::string TableNameOf(std::string path) {
  while (!path.empty()) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    const size_t slash = path.rfind('/');
    std::string part = slash == std::string::npos ? path : path.substr(slash + 1);
    if (!part.empty() && !IsPattern(part) && part != "." && part != "..") {
      const std::string plain = WithoutCompression(part);
      const Extension* extension = ExtensionOf(part);
      const std::string name =
          extension == nullptr ? plain : plain.substr(0, plain.size() - extension->text.size());
      return name.empty() ? part : name;
    }
    if (slash == std::string::npos) break;
    path.resize(slash);
  }
  return "files";
}

Result<SchemaGuess> GuessFrom(const Sample& sample, const Extension* extension) {
  const FormatName format = extension != nullptr ? extension->format : GuessFormat(sample.bytes);
  if (format == FormatName::kJson) return GuessJson(sample);
  return GuessCsv(sample, extension != nullptr ? extension->delimiter : std::nullopt);
}

Result<std::string> ReadBeginning(const std::string& path) {
  Result<std::unique_ptr<InputFile>> file = InputFile::Open(path);
  if (!file) return tl::unexpected(std::move(file.error()));
  // A byte more than the sample shows whether there are more.
  std::string bytes(kSampleBytesMax + 1, '\0');
  size_t filled = 0;
  while (filled < bytes.size()) {
    const Result<size_t> count = (*file)->Read(bytes.data() + filled, bytes.size() - filled);
    if (!count) return tl::unexpected(count.error());
    if (*count == 0) break;
    filled += *count;
  }
  bytes.resize(filled);
  return bytes;
}

tl::unexpected<Error> FailAt(Error error, const std::string& file) {
  error.place.file = file;
  error.message += "; declare the table with CREATE TABLE";
  return tl::unexpected<Error>(std::move(error));
}

Result<TableGuess> GuessStandardInput(StandardInput* input) {
  Result<StandardInput::Beginning> beginning = input->Peek(kSampleBytesMax);
  if (!beginning) return tl::unexpected(std::move(beginning.error()));
  Result<SchemaGuess> schema = GuessFrom({beginning->bytes, beginning->is_whole}, nullptr);
  if (!schema) return FailAt(schema.error(), "standard input");
  return TableGuess{"stdin", std::move(*schema), "standard input"};
}

Result<TableGuess> GuessFiles(const std::string& path) {
  Result<std::string> local = LocalPath(path);
  if (!local) return tl::unexpected(std::move(local.error()));
  const Result<FileFinder> finder = FileFinder::Create(*local, "");
  if (!finder) return tl::unexpected(finder.error());
  const Result<std::vector<FoundFile>> files = finder->Find();
  if (!files) return tl::unexpected(files.error());
  if (files->empty()) {
    return Fail(ErrorCode::kNotFound, fmt::format("there is no file in '{}'", path));
  }
  const std::string folder = finder->folder();
  std::optional<Error> failure;
  for (const FoundFile& file : *files) {
    const std::string file_path = FileFinder::PathIn(folder, file.name);
    const Result<std::string> bytes = ReadBeginning(file_path);
    if (!bytes) return tl::unexpected(bytes.error());
    const Sample sample = {std::string_view(*bytes).substr(0, kSampleBytesMax),
                           bytes->size() <= kSampleBytesMax};
    Result<SchemaGuess> schema = GuessFrom(sample, ExtensionOf(file_path));
    if (schema) return TableGuess{TableNameOf(*local), std::move(*schema), file_path};
    // An empty file among others says nothing.
    if (!failure) failure = FailAt(schema.error(), file_path).value();
    if (!bytes->empty()) break;
  }
  return tl::unexpected<Error>(std::move(*failure));
}

}  // namespace

Result<TableGuess> GuessTable(const std::string& path, StandardInput* input) {
  if (path.empty()) return Fail(ErrorCode::kInvalidOption, "the path is empty");
  // The other name is what other programs of a pipe are told.
  const bool is_standard_input = path == kStandardStreamPath || path == "/dev/stdin";
  if (is_standard_input && input == nullptr) {
    return Fail(ErrorCode::kInvalidOption, "there is no standard input here");
  }
  Result<TableGuess> guess = is_standard_input ? GuessStandardInput(input) : GuessFiles(path);
  if (!guess) return guess;
  const size_t num_columns = guess->schema.schema.fields.size();
  if (num_columns > kMaxColumns) {
    return FailAt({ErrorCode::kInvalidQuery,
                   fmt::format("{} columns; there may be {}", num_columns, kMaxColumns),
                   {}},
                  guess->seen_in);
  }
  guess->schema.options["connector"] = {"filesystem", {}};
  guess->schema.options["path"] = {is_standard_input ? std::string(kStandardStreamPath) : path, {}};
  return guess;
}

}  // namespace braid
