// The three kinds of time, kept apart by type so that no unit is ever guessed.
//
//   EventTime   a moment in microseconds since 1970-01-01 00:00 UTC: what a TIMESTAMP column holds.
//   Watermark   a moment in milliseconds since 1970-01-01 00:00 UTC, as in Spark and Flink.
//   Interval    a length in microseconds.
//
// All arithmetic saturates at the ends of int64: no wrap, no undefined behaviour.
// Thread rule: values.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace braid {

constexpr int64_t SaturatingAdd(int64_t left, int64_t right) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(left, right, &sum)) return sum;
  return left < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

constexpr int64_t SaturatingMultiply(int64_t left, int64_t right) {
  int64_t product = 0;
  if (!__builtin_mul_overflow(left, right, &product)) return product;
  return (left < 0) == (right < 0) ? std::numeric_limits<int64_t>::max()
                                   : std::numeric_limits<int64_t>::min();
}

struct Interval {
  int64_t micros = 0;
  auto operator<=>(const Interval&) const = default;
};

constexpr Interval operator-(Interval interval) {
  return {interval.micros == std::numeric_limits<int64_t>::min()
              ? std::numeric_limits<int64_t>::max()
              : -interval.micros};
}
constexpr Interval operator+(Interval left, Interval right) {
  return {SaturatingAdd(left.micros, right.micros)};
}
constexpr Interval Milliseconds(int64_t count) { return {SaturatingMultiply(count, 1'000)}; }
constexpr Interval Seconds(int64_t count) { return {SaturatingMultiply(count, 1'000'000)}; }

struct EventTime {
  int64_t micros = 0;
  auto operator<=>(const EventTime&) const = default;
};

constexpr EventTime operator+(EventTime time, Interval interval) {
  return {SaturatingAdd(time.micros, interval.micros)};
}
constexpr EventTime operator-(EventTime time, Interval interval) { return time + (-interval); }

struct Watermark {
  int64_t millis = 0;
  auto operator<=>(const Watermark&) const = default;

  // The watermark after the last row of a finished input: everything is below it.
  static constexpr Watermark Infinity() { return {std::numeric_limits<int64_t>::max()}; }
};

// The moment of a watermark at the resolution of event times.
constexpr EventTime AtMicros(Watermark watermark) {
  return {SaturatingMultiply(watermark.millis, 1'000)};
}

// The watermark of a table whose largest row time is `time`: time - delay, floored to a
// millisecond.
constexpr Watermark WatermarkAfter(EventTime time, Interval delay) {
  const int64_t micros = (time - delay).micros;
  const int64_t quotient = micros / 1'000;
  return {micros % 1'000 < 0 ? quotient - 1 : quotient};
}

}  // namespace braid
