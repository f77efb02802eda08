#include "tests/fuzz/fuzz_target.h"

#include <cstdio>
#include <cstdlib>

namespace braid {

void Expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::abort();
}

int TakeChoice(std::string_view* bytes, int choices) {
  if (bytes->empty()) return 0;
  const int choice = static_cast<unsigned char>(bytes->front()) % choices;
  bytes->remove_prefix(1);
  return choice;
}

// Shows that a fuzzer finds what is there to be found.
void FuzzCanary(std::string_view bytes) { Expect(!bytes.starts_with("sing"), "no bird sings"); }

}  // namespace braid
