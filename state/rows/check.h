// Broken invariants end the program with the place and the text. BRAID_CHECK stays on in every
// build and is for conditions of constant cost; BRAID_DCHECK vanishes with NDEBUG and may stand in
// loops. Nothing a user can type, and no byte on a disk, may trip one.
#pragma once

namespace braid {

[[noreturn]] void CheckFailed(const char* file, int line, const char* condition,
                              const char* message);

}  // namespace braid

#define BRAID_CHECK(condition, message)                              \
  do {                                                               \
    if (!(condition)) [[unlikely]] {                                 \
      ::braid::CheckFailed(__FILE__, __LINE__, #condition, message); \
    }                                                                \
  } while (false)

#ifdef NDEBUG
#define BRAID_DCHECK(condition, message) \
  do {                                   \
  } while (false && (condition))
#else
#define BRAID_DCHECK(condition, message) BRAID_CHECK(condition, message)
#endif
