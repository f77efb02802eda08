#include "engine/expression/text_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace braid {

namespace {

constexpr int64_t kColumnBytesMax = INT32_MAX;  // Offsets of a column are 32 bits.

}  // namespace

bool TextResult::TakesNull(int64_t position) {
  const bool null =
      std::any_of(call_->arguments.begin(), call_->arguments.end(),
                  [position](const Operand& operand) { return operand.IsNull(position); });
  if (null) AppendNull();
  return null;
}

void TextResult::Append(std::string_view text) {
  const auto size = static_cast<int64_t>(text.size());
  if (size > kTextBytesMax) return FailTooLong();
  if (bytes_ + size > kColumnBytesMax) {
    return Fail("the texts of a batch grow beyond 2 GiB; make batches smaller");
  }
  bytes_ += size;
  builder_.AppendString(text);
}

void TextResult::Fail(std::string_view message) {
  call_->errors->Add(builder_.length(), std::string(message));
  builder_.AppendNull();
}

void TextResult::FailTooLong() {
  Fail(fmt::format("the text grows beyond {} MiB", kTextBytesMax >> 20));
}

}  // namespace braid
