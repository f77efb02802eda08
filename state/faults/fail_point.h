// Named points right before each durable write, where a test lets the process die or the write
// fail. Only builds with BRAID_FAIL_POINTS have them; in others a point is nothing, not even its
// name.
//
// The environment variable BRAID_FAIL_POINT says what happens where:
//
//   sink.rename:3=kill            the process kills itself (SIGKILL) on the third pass
//   sink.write:1=tear             half of the bytes are written, then it kills itself
//   list.sync:2=ENOSPC            the second pass fails, as on a full disk; also EIO
//   state.log.write:5+3=ENOSPC    so do the fifth, sixth and seventh
//   any:17=kill                   the 17th pass of whatever points, in the order of passing
//
// Several, with commas between them, count each for itself. What cannot be understood ends the
// process: a test that misspells a point must not pass.
//
// Thread rule: any thread.
#pragma once

#include <span>
#include <string_view>

namespace braid {

// What a write is to do: half of it where `error` or `dies` is set, and then fail or Die.
struct WriteFault {
  int error = 0;
  bool dies = false;

  explicit operator bool() const { return error != 0 || dies; }
};

#ifdef BRAID_FAIL_POINTS

// 0, or the errno with which what follows is to fail.
int PassFailPoint(std::string_view name);
// The same for a write, of which a part may be done.
WriteFault PassWriteFailPoint(std::string_view name);

// As kill -9 does.
[[noreturn]] void Die();

// All points, sorted.
std::span<const std::string_view> FailPointNames();

#else

constexpr int PassFailPoint(std::string_view /*name*/) { return 0; }

#endif

}  // namespace braid
