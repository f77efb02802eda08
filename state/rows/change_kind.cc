#include "braid/change_kind.h"

#include <array>

namespace braid {

namespace {

constexpr std::array<const char*, 4> kTexts{"+I", "-U", "+U", "-D"};

}  // namespace

const char* ChangeKindText(ChangeKind kind) { return kTexts[static_cast<size_t>(kind)]; }

std::optional<ChangeKind> ParseChangeKind(std::string_view text) {
  for (size_t kind = 0; kind < kTexts.size(); ++kind) {
    if (text == kTexts[kind]) return static_cast<ChangeKind>(kind);
  }
  return std::nullopt;
}

}  // namespace braid
