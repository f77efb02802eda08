#include "engine/cli/huge_heap.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

// Which C library it is, is known behind the first of its headers.
#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace braid {

#ifdef __GLIBC__

namespace {

constexpr int kMebibyte = 1 << 20;

// Addresses that are asked of the system at a time. More than a run with a small state ever needs;
// large states have regions of their own (state/arena.h).
constexpr int kHeapBytes = 256 * kMebibyte;

// Larger blocks are mapped one by one. The C library allows no more.
constexpr int kMappedBytesMin = 32 * kMebibyte;

}  // namespace

void UseHugeHeap() {
  // One heap for all threads: what one has given back another may take. Large blocks are few, so
  // the threads seldom meet.
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, kMappedBytesMin);
  mallopt(M_TOP_PAD, kHeapBytes);
  mallopt(M_TRIM_THRESHOLD, kHeapBytes + kMappedBytesMin);
  // More than the heap begins with, so that it grows now.
  void* const block = std::malloc(kMebibyte);
  const uintptr_t begin = reinterpret_cast<uintptr_t>(block);
  const uintptr_t end = reinterpret_cast<uintptr_t>(sbrk(0));
  std::free(block);
  const bool is_in_heap = block != nullptr && begin < end && end - begin <= 2U * kHeapBytes;
  if (!is_in_heap) return;
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t first = (begin + page - 1) / page * page;
  (void)madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

#else

void UseHugeHeap() {}

#endif

}  // namespace braid
