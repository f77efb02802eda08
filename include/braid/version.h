// Which version of Braid this is.
//
// Thread rule: constants.
#pragma once

#include "braid/export.h"

// Of these headers. The project's version in CMake is read from here.
#define BRAID_VERSION "0.1.0"

namespace braid {

// Of the library that runs.
BRAID_EXPORT const char* Version();

}  // namespace braid
