#include "state/lock_holder.h"

#include <fcntl.h>
#include <unistd.h>

namespace braid {

std::optional<pid_t> LockHolder(const std::string& location) {
  const int file = open((location + "/LOCK").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  const bool asked = fcntl(file, F_GETLK, &lock) == 0;
  close(file);
  if (!asked || lock.l_type == F_UNLCK) return std::nullopt;
  return lock.l_pid;
}

}  // namespace braid
