#include "state/rows/exact_quotient.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace braid {
namespace {

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

template <uint64_t kDivisor>
void ExpectQuotient(uint64_t number) {
  if (number % kDivisor == 0) {
    EXPECT_EQ(ExactQuotient<kDivisor>(number), number / kDivisor) << number;
  } else {
    EXPECT_GT(ExactQuotient<kDivisor>(number), kQuotientMax<kDivisor>) << number;
  }
}

template <uint64_t kDivisor>
void ExpectQuotients() {
  std::mt19937_64 random(kDivisor);
  for (uint64_t number = 0; number < 3 * kDivisor && number < 5'000; ++number) {
    ExpectQuotient<kDivisor>(number);
    ExpectQuotient<kDivisor>(kMax - number);
  }
  for (int round = 0; round < 5'000; ++round) {
    const uint64_t number = random() >> (random() % 64);
    ExpectQuotient<kDivisor>(number);
    ExpectQuotient<kDivisor>(number / kDivisor * kDivisor);
  }
}

TEST(ExactQuotientTest, AMultipleGivesItsQuotientAndAnyOtherNumberMoreThanEveryQuotient) {
  ExpectQuotients<1>();
  ExpectQuotients<2>();
  ExpectQuotients<3>();
  ExpectQuotients<64>();
  ExpectQuotients<1'000>();
  ExpectQuotients<1'000'000>();
  ExpectQuotients<(uint64_t{1} << 63) + 1>();
}

}  // namespace
}  // namespace braid
