// A compressed file read as its decompressed bytes. The exceptions of Boost.Iostreams end here.
//
// Thread rule: as input_file.h.
#pragma once

#include <memory>
#include <string>

#include "engine/connectors/input_file.h"

namespace braid {

// `raw` gives the bytes as they are on disk. REQUIRES: compression is not kNone.
std::unique_ptr<InputFile> NewCompressedFile(const std::string& path, Compression compression,
                                             std::unique_ptr<InputFile> raw);

}  // namespace braid
