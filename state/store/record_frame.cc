#include "state/store/record_frame.h"

#include <capnp/message.h>
#include <capnp/serialize.h>
#include <fmt/format.h>
#include <kj/exception.h>

#include <algorithm>
#include <bit>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace braid {

namespace {

static_assert(std::endian::native == std::endian::little, "checksums are written as they are");
static_assert(sizeof(capnp::word) == sizeof(uint64_t));

constexpr size_t kChecksumBytes = 8;
// Before the segment: the checksum and the table of a message of one segment.
constexpr size_t kPrefixWords = 2;
constexpr size_t kSegmentWordsMin = 128;
// A larger buffer is given back at once: it was for one very large row.
constexpr size_t kKeptWordsMax = 4 << 20;

uint64_t ChecksumOf(std::string_view key, const void* message, size_t size) {
  return XXH3_64bits_withSeed(message, size, XXH3_64bits(key.data(), key.size()));
}

tl::unexpected<Error> Damaged(std::string what) {
  return Fail(ErrorCode::kCorruption, std::move(what));
}

// A message of several segments, which only a wrong size hint gives.
void TakeCopied(std::string_view key, capnp::MessageBuilder* builder,
                const std::function<void(std::string_view)>& take) {
  const kj::Array<capnp::word> message = capnp::messageToFlatArray(*builder);
  const kj::ArrayPtr<const char> bytes = message.asChars();
  std::vector<char> record(kChecksumBytes + bytes.size());
  const uint64_t checksum = ChecksumOf(key, bytes.begin(), bytes.size());
  std::memcpy(record.data(), &checksum, kChecksumBytes);
  std::memcpy(record.data() + kChecksumBytes, bytes.begin(), bytes.size());
  take({record.data(), record.size()});
}

Status ReadMessage(std::string_view message,
                   const std::function<Status(capnp::MessageReader&)>& read) {
  const size_t num_words = message.size() / sizeof(capnp::word);
  // The store may hand out bytes at any address; reading in place needs an aligned one.
  std::vector<uint64_t> aligned;
  const void* begin = message.data();
  if (reinterpret_cast<uintptr_t>(begin) % alignof(uint64_t) != 0) {
    aligned.resize(num_words);
    std::memcpy(aligned.data(), message.data(), message.size());
    begin = aligned.data();
  }
  capnp::ReaderOptions options;
  // Every field is read once; twice the size leaves room for the pointers' own accounting.
  options.traversalLimitInWords = std::max<uint64_t>(2 * num_words, 1'024);
  capnp::FlatArrayMessageReader reader(
      kj::arrayPtr(static_cast<const capnp::word*>(begin), num_words), options);
  return read(reader);
}

}  // namespace

Status RecordWriter::Write(std::string_view key, size_t size_hint,
                           const std::function<void(capnp::MessageBuilder&)>& fill,
                           const std::function<void(std::string_view)>& take) {
  const size_t segment_words = std::max(size_hint / sizeof(uint64_t) + 1, kSegmentWordsMin);
  if (words_.size() < kPrefixWords + segment_words) {
    words_.assign(kPrefixWords + segment_words + segment_words / 4, 0);
  }
  const auto segment = kj::arrayPtr(reinterpret_cast<capnp::word*>(words_.data()) + kPrefixWords,
                                    words_.size() - kPrefixWords);
  bool too_large = false;
  try {
    // Its destructor writes zeros over what it used of the segment.
    capnp::MallocMessageBuilder builder(segment);
    fill(builder);
    const auto segments = builder.getSegmentsForOutput();
    if (segments.size() != 1 || segments[0].begin() != segment.begin()) {
      TakeCopied(key, &builder, take);
      return {};
    }
    const size_t message_words = segments[0].size() + 1;
    words_[1] = static_cast<uint64_t>(segments[0].size()) << 32;
    words_[0] = ChecksumOf(key, &words_[1], message_words * sizeof(uint64_t));
    take({reinterpret_cast<const char*>(words_.data()), (message_words + 1) * sizeof(uint64_t)});
    words_[0] = words_[1] = 0;
    if (words_.size() > kKeptWordsMax) too_large = true;
  } catch (const kj::Exception& exception) {
    words_.clear();
    return Fail(ErrorCode::kInvalidInput, fmt::format("a record is too large to be stored: {}",
                                                      exception.getDescription().cStr()));
  }
  if (too_large) words_ = {};
  return {};
}

Status ReadRecord(std::string_view key, std::string_view record,
                  const std::function<Status(capnp::MessageReader&)>& read) {
  if (record.size() < kChecksumBytes + sizeof(capnp::word) ||
      record.size() % sizeof(capnp::word) != 0) {
    return Damaged(fmt::format("the record has {} bytes", record.size()));
  }
  const std::string_view message = record.substr(kChecksumBytes);
  const uint64_t expected = RecordChecksum(record);
  const uint64_t actual = ChecksumOf(key, message.data(), message.size());
  if (expected != actual) {
    return Damaged(fmt::format("the checksum is {:016x}, not {:016x}", actual, expected));
  }
  try {
    return ReadMessage(message, read);
  } catch (const kj::Exception& exception) {
    return Damaged(fmt::format("the message is malformed: {}", exception.getDescription().cStr()));
  }
}

uint64_t RecordChecksum(std::string_view record) {
  uint64_t checksum = 0;
  std::memcpy(&checksum, record.data(), kChecksumBytes);
  return checksum;
}

}  // namespace braid
