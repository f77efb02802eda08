#include "engine/expression/letter_case.h"

#include <locale.h>
#include <wctype.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "state/rows/utf8.h"

namespace braid {

namespace {

// The letters that are more than one in upper case (Unicode's SpecialCasing.txt, the entries
// without a condition), by rising code.
struct SpecialLetter {
  std::string_view letter;
  std::string_view upper;
};
// clang-format off
constexpr auto kSpecialLetters = std::to_array<SpecialLetter>({
    {"ß", "SS"}, {"ŉ", "ʼN"}, {"ǰ", "J\u030c"}, {"ΐ", "Ι\u0308\u0301"}, {"ΰ", "Υ\u0308\u0301"},
    {"և", "ԵՒ"}, {"ẖ", "H\u0331"}, {"ẗ", "T\u0308"}, {"ẘ", "W\u030a"}, {"ẙ", "Y\u030a"},
    {"ẚ", "Aʾ"}, {"ὐ", "Υ\u0313"}, {"ὒ", "Υ\u0313\u0300"}, {"ὔ", "Υ\u0313\u0301"},
    {"ὖ", "Υ\u0313\u0342"}, {"ᾀ", "ἈΙ"}, {"ᾁ", "ἉΙ"}, {"ᾂ", "ἊΙ"}, {"ᾃ", "ἋΙ"}, {"ᾄ", "ἌΙ"},
    {"ᾅ", "ἍΙ"}, {"ᾆ", "ἎΙ"}, {"ᾇ", "ἏΙ"}, {"ᾈ", "ἈΙ"}, {"ᾉ", "ἉΙ"}, {"ᾊ", "ἊΙ"}, {"ᾋ", "ἋΙ"},
    {"ᾌ", "ἌΙ"}, {"ᾍ", "ἍΙ"}, {"ᾎ", "ἎΙ"}, {"ᾏ", "ἏΙ"}, {"ᾐ", "ἨΙ"}, {"ᾑ", "ἩΙ"}, {"ᾒ", "ἪΙ"},
    {"ᾓ", "ἫΙ"}, {"ᾔ", "ἬΙ"}, {"ᾕ", "ἭΙ"}, {"ᾖ", "ἮΙ"}, {"ᾗ", "ἯΙ"}, {"ᾘ", "ἨΙ"}, {"ᾙ", "ἩΙ"},
    {"ᾚ", "ἪΙ"}, {"ᾛ", "ἫΙ"}, {"ᾜ", "ἬΙ"}, {"ᾝ", "ἭΙ"}, {"ᾞ", "ἮΙ"}, {"ᾟ", "ἯΙ"}, {"ᾠ", "ὨΙ"},
    {"ᾡ", "ὩΙ"}, {"ᾢ", "ὪΙ"}, {"ᾣ", "ὫΙ"}, {"ᾤ", "ὬΙ"}, {"ᾥ", "ὭΙ"}, {"ᾦ", "ὮΙ"}, {"ᾧ", "ὯΙ"},
    {"ᾨ", "ὨΙ"}, {"ᾩ", "ὩΙ"}, {"ᾪ", "ὪΙ"}, {"ᾫ", "ὫΙ"}, {"ᾬ", "ὬΙ"}, {"ᾭ", "ὭΙ"}, {"ᾮ", "ὮΙ"},
    {"ᾯ", "ὯΙ"}, {"ᾲ", "ᾺΙ"}, {"ᾳ", "ΑΙ"}, {"ᾴ", "ΆΙ"}, {"ᾶ", "Α\u0342"}, {"ᾷ", "Α\u0342Ι"},
    {"ᾼ", "ΑΙ"}, {"ῂ", "ῊΙ"}, {"ῃ", "ΗΙ"}, {"ῄ", "ΉΙ"}, {"ῆ", "Η\u0342"}, {"ῇ", "Η\u0342Ι"},
    {"ῌ", "ΗΙ"}, {"ῒ", "Ι\u0308\u0300"}, {"ΐ", "Ι\u0308\u0301"}, {"ῖ", "Ι\u0342"},
    {"ῗ", "Ι\u0308\u0342"}, {"ῢ", "Υ\u0308\u0300"}, {"ΰ", "Υ\u0308\u0301"}, {"ῤ", "Ρ\u0313"},
    {"ῦ", "Υ\u0342"}, {"ῧ", "Υ\u0308\u0342"}, {"ῲ", "ῺΙ"}, {"ῳ", "ΩΙ"}, {"ῴ", "ΏΙ"},
    {"ῶ", "Ω\u0342"}, {"ῷ", "Ω\u0342Ι"}, {"ῼ", "ΩΙ"}, {"ﬀ", "FF"}, {"ﬁ", "FI"}, {"ﬂ", "FL"},
    {"ﬃ", "FFI"}, {"ﬄ", "FFL"}, {"ﬅ", "ST"}, {"ﬆ", "ST"}, {"ﬓ", "ՄՆ"}, {"ﬔ", "ՄԵ"}, {"ﬕ", "ՄԻ"},
    {"ﬖ", "ՎՆ"}, {"ﬗ", "ՄԽ"},
});
// clang-format on

constexpr uint32_t kDottedCapitalI = 0x130;
constexpr std::string_view kDottedSmallI = "i\u0307";
constexpr uint32_t kCapitalSigma = 0x3a3;
constexpr uint32_t kFinalSigma = 0x3c2;

// The upper case of a letter that is more than one then; empty for all others.
std::string_view SpecialUpper(std::string_view letter) {
  const auto* found = std::lower_bound(kSpecialLetters.begin(), kSpecialLetters.end(), letter,
                                       [](const SpecialLetter& special, std::string_view wanted) {
                                         return special.letter < wanted;
                                       });
  const bool is_special = found != kSpecialLetters.end() && found->letter == letter;
  return is_special ? found->upper : std::string_view();
}

uint32_t Decode(std::string_view character) {
  const auto lead = static_cast<uint8_t>(character[0]);
  const uint32_t lead_bits[] = {0x7f, 0x1f, 0x0f, 0x07};
  uint32_t code = lead & lead_bits[character.size() - 1];
  for (const char byte : character.substr(1))
    code = code << 6 | (static_cast<uint8_t>(byte) & 0x3f);
  return code;
}

void AppendEncoded(uint32_t code, std::string* text) {
  const auto append = [text](uint32_t byte) { text->push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    append(code);
  } else if (code < 0x800) {
    append(0xc0 | code >> 6);
    append(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    append(0xe0 | code >> 12);
    append(0x80 | (code >> 6 & 0x3f));
    append(0x80 | (code & 0x3f));
  } else {
    append(0xf0 | code >> 18);
    append(0x80 | (code >> 12 & 0x3f));
    append(0x80 | (code >> 6 & 0x3f));
    append(0x80 | (code & 0x3f));
  }
}

char ChangeAscii(char letter, bool upper) {
  if (upper && letter >= 'a' && letter <= 'z') return static_cast<char>(letter - 'a' + 'A');
  if (!upper && letter >= 'A' && letter <= 'Z') return static_cast<char>(letter - 'A' + 'a');
  return letter;
}

bool IsLetter(std::string_view character, locale_t table) {
  if (character.empty() || !IsUtf8(character)) return false;
  return iswalpha_l(static_cast<wint_t>(Decode(character)), table) != 0;
}

// The last character of `text`; empty if there is none.
std::string_view LastCharacter(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && (static_cast<uint8_t>(text[begin - 1]) & 0xC0) == 0x80) --begin;
  return begin == 0 ? text : text.substr(begin - 1);
}

// True for a sigma behind a letter and before none: it ends a word.
bool IsAtWordEnd(std::string_view before, std::string_view after, locale_t table) {
  if (!IsLetter(LastCharacter(before), table)) return false;
  return after.empty() || !IsLetter(after.substr(0, CharacterBytes(after)), table);
}

}  // namespace

LetterCase::LetterCase(bool upper) : upper_(upper) {
  // Always this one: the machine's own locale must not change a result.
  const locale_t table = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (table != nullptr)
    table_ = {table, [](void* used) { freelocale(static_cast<locale_t>(used)); }};
}

void LetterCase::Change(std::string_view text, std::string* changed) const {
  changed->assign(text);
  size_t at = 0;
  for (; at < text.size() && static_cast<uint8_t>(text[at]) < 0x80; ++at) {
    (*changed)[at] = ChangeAscii(text[at], upper_);
  }
  if (at == text.size()) return;
  changed->resize(at);
  const auto table = static_cast<locale_t>(table_.get());
  while (at < text.size()) {
    const std::string_view character = text.substr(at, CharacterBytes(text.substr(at)));
    at += character.size();
    if (character.size() == 1 || table == nullptr || !IsUtf8(character)) {
      for (const char byte : character) changed->push_back(ChangeAscii(byte, upper_));
      continue;
    }
    const uint32_t code = Decode(character);
    if (upper_) {
      const std::string_view special = SpecialUpper(character);
      changed->append(special);
      if (special.empty()) AppendEncoded(towupper_l(code, table), changed);
    } else if (code == kDottedCapitalI) {
      changed->append(kDottedSmallI);
    } else if (code == kCapitalSigma &&
               IsAtWordEnd(text.substr(0, at - character.size()), text.substr(at), table)) {
      AppendEncoded(kFinalSigma, changed);
    } else {
      AppendEncoded(towlower_l(code, table), changed);
    }
  }
}

}  // namespace braid
