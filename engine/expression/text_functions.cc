#include "engine/expression/text_functions.h"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/expression/function_arguments.h"
#include "engine/expression/result_column.h"
#include "engine/expression/text_result.h"
#include "state/rows/utf8.h"

namespace braid {

namespace {

constexpr size_t kAll = SIZE_MAX;

Column ConcatenateTexts(const KernelCall& call) {
  TextResult result(call);
  std::string text;
  for (int64_t i = 0; i < call.count; ++i) {
    if (result.TakesNull(i)) continue;
    text.clear();
    for (size_t index = 0; index < call.arguments.size(); ++index) {
      const std::string_view part = TextArgument(call, index, i);
      if (text.size() + part.size() > static_cast<size_t>(kTextBytesMax) + 1) break;
      text += part;
    }
    result.Append(text);
  }
  return result.Finish();
}

// The text behind the first `characters` characters; characters <= their number.
std::string_view Behind(std::string_view text, int64_t characters) {
  const std::string_view front = FirstCharacters(text, static_cast<uint32_t>(characters));
  return text.substr(front.size());
}

// A negative start counts from the end; one before the first character gives the empty text.
std::string_view Substring(std::string_view text, int64_t start, int64_t length) {
  int64_t skipped = start > 0 ? start - 1 : 0;
  if (start < 0) {
    skipped = CountCharacters(text) + start;
    if (skipped < 0) return {};
  }
  return FirstCharacters(Behind(text, skipped), static_cast<uint32_t>(length));
}

Column Substrings(const KernelCall& call) {
  TextResult result(call);
  const bool has_length = call.arguments.size() == 3;
  for (int64_t i = 0; i < call.count; ++i) {
    if (result.TakesNull(i)) continue;
    const int64_t length = has_length ? IntArgument(call, 2, i) : INT32_MAX;
    if (length < 0) {
      result.AppendNull();
      continue;
    }
    result.Append(Substring(TextArgument(call, 0, i), IntArgument(call, 1, i), length));
  }
  return result.Finish();
}

Column Positions(const KernelCall& call) {
  ResultColumn result(call);
  int32_t* out = result.values<int32_t>();
  for (int64_t i = 0; i < call.count; ++i) {
    out[i] = 0;
    if (result.IsNull(i)) continue;
    const std::string_view text = TextArgument(call, 1, i);
    const size_t found = text.find(TextArgument(call, 0, i));
    if (found == std::string_view::npos) continue;
    out[i] = static_cast<int32_t>(CountCharacters(text.substr(0, found)) + 1);
  }
  return result.Finish();
}

// As Java replaces: an empty text is found before every character and at the end.
void Replace(std::string_view text, std::string_view sought, std::string_view replacement,
             std::string* replaced) {
  replaced->clear();
  while (replaced->size() <= static_cast<size_t>(kTextBytesMax)) {
    const size_t found = text.find(sought);
    if (found == std::string_view::npos) break;
    replaced->append(text.substr(0, found)).append(replacement);
    text.remove_prefix(found + sought.size());
    if (!sought.empty()) continue;
    if (text.empty()) break;
    const size_t bytes = CharacterBytes(text);
    replaced->append(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  replaced->append(text);
}

Column ReplacedTexts(const KernelCall& call) {
  TextResult result(call);
  std::string replaced;
  for (int64_t i = 0; i < call.count; ++i) {
    if (result.TakesNull(i)) continue;
    Replace(TextArgument(call, 0, i), TextArgument(call, 1, i), TextArgument(call, 2, i),
            &replaced);
    result.Append(replaced);
  }
  return result.Finish();
}

// `pad` again and again, cut to `characters`.
void AppendPadding(std::string_view pad, int64_t characters, std::string* text) {
  const int64_t pad_characters = CountCharacters(pad);
  for (; characters >= pad_characters; characters -= pad_characters) text->append(pad);
  text->append(FirstCharacters(pad, static_cast<uint32_t>(characters)));
}

// NULL for a negative length and for nothing to pad with.
template <bool left>
Column PaddedTexts(const KernelCall& call) {
  TextResult result(call);
  std::string padded;
  for (int64_t i = 0; i < call.count; ++i) {
    if (result.TakesNull(i)) continue;
    const int64_t length = IntArgument(call, 1, i);
    const std::string_view pad = TextArgument(call, 2, i);
    if (length < 0 || pad.empty()) {
      result.AppendNull();
      continue;
    }
    const std::string_view kept =
        FirstCharacters(TextArgument(call, 0, i), static_cast<uint32_t>(length));
    const int64_t missing = length - CountCharacters(kept);
    if (missing > kTextBytesMax) {
      result.FailTooLong();
      continue;
    }
    padded.assign(left ? std::string_view() : kept);
    AppendPadding(pad, missing, &padded);
    if (left) padded.append(kept);
    result.Append(padded);
  }
  return result.Finish();
}

bool HasCharacter(std::string_view characters, std::string_view wanted) {
  while (!characters.empty()) {
    const std::string_view each = characters.substr(0, CharacterBytes(characters));
    if (each == wanted) return true;
    characters.remove_prefix(each.size());
  }
  return false;
}

std::string_view TrimLeft(std::string_view text, std::string_view characters) {
  while (!text.empty()) {
    const std::string_view first = text.substr(0, CharacterBytes(text));
    if (!HasCharacter(characters, first)) break;
    text.remove_prefix(first.size());
  }
  return text;
}

std::string_view TrimRight(std::string_view text, std::string_view characters) {
  while (!text.empty()) {
    size_t begin = text.size() - 1;
    while (begin > 0 && (static_cast<uint8_t>(text[begin]) & 0xC0) == 0x80) --begin;
    if (!HasCharacter(characters, text.substr(begin))) break;
    text = text.substr(0, begin);
  }
  return text;
}

// Without any of the given characters (blanks, if none are given) at its ends.
template <bool left, bool right>
Column TrimmedTexts(const KernelCall& call) {
  TextResult result(call);
  const bool has_characters = call.arguments.size() == 2;
  for (int64_t i = 0; i < call.count; ++i) {
    if (result.TakesNull(i)) continue;
    std::string_view text = TextArgument(call, 0, i);
    const std::string_view characters = has_characters ? TextArgument(call, 1, i) : " ";
    if (left) text = TrimLeft(text, characters);
    if (right) text = TrimRight(text, characters);
    result.Append(text);
  }
  return result.Finish();
}

// The part of this number, from 0; false if there are fewer. An empty text has no parts; without a
// separator parts end at each blank.
bool SplitPart(std::string_view text, std::string_view separator, int64_t index,
               std::string_view* part) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r\x1c\x1d\x1e\x1f";
  if (text.empty() || index < 0) return false;
  const size_t step = separator.empty() ? 1 : separator.size();
  for (;; --index) {
    const size_t end = separator.empty() ? text.find_first_of(kBlanks) : text.find(separator);
    if (index == 0) {
      *part = text.substr(0, end);
      return true;
    }
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + step);
  }
}

Column SplitParts(const KernelCall& call) {
  TextResult result(call);
  for (int64_t i = 0; i < call.count; ++i) {
    if (result.TakesNull(i)) continue;
    std::string_view part;
    if (SplitPart(TextArgument(call, 0, i), TextArgument(call, 1, i), IntArgument(call, 2, i),
                  &part)) {
      result.Append(part);
    } else {
      result.AppendNull();
    }
  }
  return result.Finish();
}

}  // namespace

Result<ExpressionPtr> MakeTextCall(FunctionCall call) {
  if (Status status = TakeTexts(&call, 0, kAll); !status) return tl::unexpected(status.error());
  return MakeKernelCall(std::move(call), DataType::String());
}

Result<ExpressionPtr> MakeTextMeasure(FunctionCall call) {
  if (Status status = TakeTexts(&call, 0, kAll); !status) return tl::unexpected(status.error());
  return MakeKernelCall(std::move(call), DataType::Int());
}

Result<ExpressionPtr> MakePad(FunctionCall call) {
  if (Status status = TakeTexts(&call, 0, 1); !status) return tl::unexpected(status.error());
  if (Status status = TakeInt(&call, 1); !status) return tl::unexpected(status.error());
  if (Status status = TakeTexts(&call, 2, 3); !status) return tl::unexpected(status.error());
  return MakeKernelCall(std::move(call), DataType::String());
}

Result<ExpressionPtr> MakeSplitIndex(FunctionCall call) {
  if (Status status = TakeTexts(&call, 0, 2); !status) return tl::unexpected(status.error());
  if (Status status = TakeInt(&call, 2); !status) return tl::unexpected(status.error());
  return MakeKernelCall(std::move(call), DataType::String());
}

Result<ExpressionPtr> MakeSubstring(FunctionCall call) {
  call.name = "SUBSTRING";
  if (Status status = TakeTexts(&call, 0, 1); !status) return tl::unexpected(status.error());
  for (size_t index = 1; index <= 2; ++index) {
    if (Status status = TakeInt(&call, index); !status) return tl::unexpected(status.error());
  }
  return MakeKernelCall(std::move(call), DataType::String());
}

Kernel FindTextKernel(std::string_view name) {
  if (name == "CONCAT") return ConcatenateTexts;
  if (name == "LPAD") return PaddedTexts<true>;
  if (name == "LTRIM") return TrimmedTexts<true, false>;
  if (name == "POSITION") return Positions;
  if (name == "REPLACE") return ReplacedTexts;
  if (name == "RPAD") return PaddedTexts<false>;
  if (name == "RTRIM") return TrimmedTexts<false, true>;
  if (name == "SPLIT_INDEX") return SplitParts;
  if (name == "SUBSTRING") return Substrings;
  if (name == "TRIM") return TrimmedTexts<true, true>;
  return {};
}

}  // namespace braid
