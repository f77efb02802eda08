// BRAID_VECTOR_CLONES before a function compiles it three times: for AVX-512, for AVX2 and for any
// processor. Which one runs is decided when the program is loaded. It is meant for loops over plain
// arrays that the compiler turns into vector instructions, and for 64-bit integers above all: any
// x86-64 processor has no vector minimum, maximum, compare or product of these.
//
// The results are the same in each: floating-point functions that have it are compiled with
// -ffp-contract=off. Thread rule: none.
#pragma once

#include <cstdint>

// A sanitizer is not ready yet when the choice is made; clang 14 and other C libraries lack it.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define BRAID_VECTOR_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define BRAID_VECTOR_CLONES
#endif
