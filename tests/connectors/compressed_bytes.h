// Makes compressed files, for tests.
#pragma once

#include <string>
#include <string_view>

#include "engine/connectors/input_file.h"

namespace braid {

std::string Compress(Compression compression, std::string_view bytes);

// ".gz", ".bz2", ".zst"
std::string ExtensionOf(Compression compression);

}  // namespace braid
