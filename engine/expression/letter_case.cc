#include "engine/expression/letter_case.h"

#include <locale.h>
#include <wctype.h>

#include <cstdint>

#include "state/rows/utf8.h"

namespace braid {

namespace {

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
    const auto code = static_cast<wint_t>(Decode(character));
    const wint_t mapped = upper_ ? towupper_l(code, table) : towlower_l(code, table);
    AppendEncoded(static_cast<uint32_t>(mapped), changed);
  }
}

}  // namespace braid
