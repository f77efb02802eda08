// MD5 and SHA256 of the bytes of a text, as hexadecimal digits in small letters.
//
// Thread rule: free functions; kernels are immutable.
#pragma once

#include <string_view>

#include "engine/expression/evaluation_node.h"

namespace braid {

// The kernel of MD5 or SHA256; an empty one for another name.
Kernel FindDigestKernel(std::string_view name);

}  // namespace braid
