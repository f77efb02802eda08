// Options as text with the place they were written at: WITH ('key' = 'value') and SET.
//
// Thread rule: values.
#pragma once

#include <map>
#include <string>

#include "braid/error.h"

namespace braid {

struct Option {
  std::string value;
  Place place;  // Unknown for options set by a program.
};

// By name, as written.
using Options = std::map<std::string, Option, std::less<>>;

}  // namespace braid
