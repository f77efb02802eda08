#include "engine/expression/regular_expression.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/expression/function_arguments.h"
#include "engine/expression/result_column.h"
#include "engine/expression/text_result.h"
#include "state/rows/utf8.h"

namespace braid {

namespace {

using Pattern = std::shared_ptr<const re2::RE2>;

Pattern Compile(std::string_view text) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  return std::make_shared<const re2::RE2>(re2::StringPiece(text.data(), text.size()), options);
}

std::string Complaint(const re2::RE2& pattern) {
  return fmt::format("'{}' is no regular expression: {}", pattern.pattern(), pattern.error());
}

// The pattern of each row.
class Patterns {
 public:
  Patterns(const KernelCall& call, Pattern literal) : call_(&call), last_(std::move(literal)) {
    fixed_ = last_ != nullptr;
  }

  // REQUIRES: argument 1 is not NULL at `position`.
  const re2::RE2& At(int64_t position) {
    if (fixed_) return *last_;
    const std::string_view text = TextArgument(*call_, 1, position);
    if (last_ == nullptr || last_->pattern() != text) last_ = Compile(text);
    return *last_;
  }

 private:
  const KernelCall* call_;
  Pattern last_;
  bool fixed_ = false;
};

Column LikeRows(const KernelCall& call, Patterns patterns) {
  ResultColumn result(call);
  uint8_t* out = result.values<uint8_t>();
  for (int64_t i = 0; i < call.count; ++i) {
    out[i] = 0;
    if (result.IsNull(i)) continue;
    const re2::RE2& pattern = patterns.At(i);
    const std::string_view text = TextArgument(call, 0, i);
    if (!pattern.ok()) {
      call.errors->Add(i, Complaint(pattern));
      result.SetNull(i);
      continue;
    }
    const bool found = re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), pattern);
    out[i] = static_cast<uint8_t>(found);
  }
  return result.Finish();
}

// The group of the first match, 0 for the whole of it; NULL if there is no match or no such group.
Column ExtractRows(const KernelCall& call, Patterns patterns) {
  TextResult result(call);
  const bool has_group = call.arguments.size() == 3;
  std::vector<re2::StringPiece> groups;
  for (int64_t i = 0; i < call.count; ++i) {
    if (result.TakesNull(i)) continue;
    const re2::RE2& pattern = patterns.At(i);
    if (!pattern.ok()) {
      result.Fail(Complaint(pattern));
      continue;
    }
    const int group = has_group ? IntArgument(call, 2, i) : 0;
    if (group < 0 || group > pattern.NumberOfCapturingGroups()) {
      result.AppendNull();
      continue;
    }
    const std::string_view text = TextArgument(call, 0, i);
    groups.assign(static_cast<size_t>(group) + 1, re2::StringPiece());
    const bool found = pattern.Match(re2::StringPiece(text.data(), text.size()), 0, text.size(),
                                     re2::RE2::UNANCHORED, groups.data(), group + 1);
    if (found && groups.back().data() != nullptr) {
      result.Append({groups.back().data(), groups.back().size()});
    } else {
      result.AppendNull();
    }
  }
  return result.Finish();
}

// Every match from left to right, as Java finds them: behind an empty match the search goes on one
// character later. The replacement is taken as it is.
void ReplaceMatches(const re2::RE2& pattern, std::string_view text, std::string_view replacement,
                    std::string* replaced) {
  const re2::StringPiece subject(text.data(), text.size());
  size_t copied = 0;
  size_t at = 0;
  replaced->clear();
  while (at <= text.size() && replaced->size() <= static_cast<size_t>(kTextBytesMax)) {
    re2::StringPiece match;
    if (!pattern.Match(subject, at, text.size(), re2::RE2::UNANCHORED, &match, 1)) break;
    const auto begin = static_cast<size_t>(match.data() - text.data());
    const size_t end = begin + match.size();
    replaced->append(text.substr(copied, begin - copied)).append(replacement);
    copied = end;
    at = end;
    if (match.empty()) at += end < text.size() ? CharacterBytes(text.substr(end)) : 1;
  }
  replaced->append(text.substr(copied));
}

Column ReplaceRows(const KernelCall& call, Patterns patterns) {
  TextResult result(call);
  std::string replaced;
  for (int64_t i = 0; i < call.count; ++i) {
    if (result.TakesNull(i)) continue;
    const re2::RE2& pattern = patterns.At(i);
    if (!pattern.ok()) {
      result.Fail(Complaint(pattern));
      continue;
    }
    ReplaceMatches(pattern, TextArgument(call, 0, i), TextArgument(call, 2, i), &replaced);
    result.Append(replaced);
  }
  return result.Finish();
}

}  // namespace

Result<ExpressionPtr> MakeRegexpLike(FunctionCall call) {
  if (Status status = TakeTexts(&call, 0, 2); !status) return tl::unexpected(status.error());
  return MakeKernelCall(std::move(call), DataType::Boolean());
}

Result<ExpressionPtr> MakeRegexpExtract(FunctionCall call) {
  if (Status status = TakeTexts(&call, 0, 2); !status) return tl::unexpected(status.error());
  if (Status status = TakeInt(&call, 2); !status) return tl::unexpected(status.error());
  return MakeKernelCall(std::move(call), DataType::String());
}

Result<Kernel> FindRegexpKernel(const Expression& call) {
  Column (*kernel)(const KernelCall&, Patterns) = nullptr;
  if (call.function == "REGEXP_EXTRACT") kernel = ExtractRows;
  if (call.function == "REGEXP_LIKE") kernel = LikeRows;
  if (call.function == "REGEXP_REPLACE") kernel = ReplaceRows;
  if (kernel == nullptr) return Kernel();
  Pattern literal;
  if (const std::string* text = LiteralText(*call.arguments[1]); text != nullptr) {
    literal = Compile(*text);
    if (!literal->ok()) {
      return Fail(ErrorCode::kInvalidQuery, Complaint(*literal), call.arguments[1]->place);
    }
  }
  return Kernel([kernel, literal](const KernelCall& kernel_call) {
    return kernel(kernel_call, Patterns(kernel_call, literal));
  });
}

}  // namespace braid
