// Text between quotes, as SQL writes it.
//
// Thread rule: a free function.
#pragma once

#include <string>
#include <string_view>

namespace braid {

// `text` between two `quote`s, those in it doubled: 'it''s', `a``b`.
std::string Quoted(std::string_view text, char quote);

}  // namespace braid
