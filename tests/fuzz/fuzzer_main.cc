// What libFuzzer calls: the target of this program, BRAID_FUZZ_TARGET.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  braid::BRAID_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
