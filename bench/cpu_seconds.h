// CPU time of this thread, since other work may share the machine.
#pragma once

#include <ctime>

namespace braid {

inline double CpuSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace braid
