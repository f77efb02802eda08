#include "engine/cli/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

namespace braid {

void HoldStandardDescriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    // The lowest free number is given. Opened the other way round, the rows' streams still fail.
    const int direction = descriptor == STDOUT_FILENO ? O_RDONLY : O_WRONLY;
    if (open("/dev/null", direction) < 0) return;
  }
}

}  // namespace braid
