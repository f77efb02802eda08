#include "braid/version.h"

namespace braid {

const char* Version() { return BRAID_VERSION; }

}  // namespace braid
