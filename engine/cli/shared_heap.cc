#include "engine/cli/shared_heap.h"

#include <cstdlib>

// Which C library it is, is known behind the first of its headers.
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace braid {

void UseSharedHeap() {
#ifdef __GLIBC__
  constexpr int kMebibyte = 1 << 20;
  // What one thread has given back another may take. Large blocks are few, so the threads seldom
  // meet.
  mallopt(M_ARENA_MAX, 1);
  // Larger blocks are mapped one by one. The C library allows no more.
  mallopt(M_MMAP_THRESHOLD, 32 * kMebibyte);
  mallopt(M_TOP_PAD, 16 * kMebibyte);
  // Free memory at the end of the heap that is kept.
  mallopt(M_TRIM_THRESHOLD, 256 * kMebibyte);
#endif
}

}  // namespace braid
