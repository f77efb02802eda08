#include "engine/connectors/standard_input.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/connectors/file_operations.h"

namespace braid {

namespace {

constexpr size_t kBlockBytes = size_t{256} << 10;

Result<size_t> ReadSome(int descriptor, char* bytes, size_t size) {
  for (;;) {
    const ssize_t count = ::read(descriptor, bytes, size);
    if (count >= 0) return static_cast<size_t>(count);
    if (errno != EINTR) {
      return tl::unexpected<Error>(FileError("read", "standard input", errno));
    }
  }
}

}  // namespace

Status StandardInput::Fetch() {
  const size_t filled = waiting_.size();
  waiting_.resize(filled + kBlockBytes);
  const Result<size_t> count = ReadSome(descriptor_, waiting_.data() + filled, kBlockBytes);
  waiting_.resize(filled + count.value_or(0));
  if (!count) return tl::unexpected(count.error());
  at_end_ = *count == 0;
  return {};
}

Result<StandardInput::Beginning> StandardInput::Peek(size_t size) {
  const std::lock_guard lock(mutex_);
  while (!at_end_ && waiting_.size() - waiting_from_ < size) {
    if (Status fetched = Fetch(); !fetched) return tl::unexpected(std::move(fetched.error()));
  }
  const std::string_view bytes = std::string_view(waiting_).substr(waiting_from_);
  return Beginning{bytes.substr(0, size), at_end_ && bytes.size() <= size};
}

Result<StandardInput::Taken> StandardInput::Read(char* bytes, size_t size,
                                                 std::chrono::milliseconds wait_max) {
  const std::lock_guard lock(mutex_);
  const size_t waiting = waiting_.size() - waiting_from_;
  if (waiting > 0) {
    const size_t count = std::min(size, waiting);
    std::memcpy(bytes, waiting_.data() + waiting_from_, count);
    waiting_from_ += count;
    if (waiting_from_ == waiting_.size()) {
      waiting_ = std::string();
      waiting_from_ = 0;
    }
    return Taken{count, at_end_ && waiting_.empty()};
  }
  if (at_end_) return Taken{0, true};
  pollfd entry = {descriptor_, POLLIN, 0};
  const int ready = ::poll(&entry, 1, static_cast<int>(wait_max.count()));
  // A signal ends the wait early; the caller asks again.
  if (ready == 0 || (ready < 0 && errno == EINTR)) return Taken{};
  if (ready < 0) return tl::unexpected<Error>(FileError("read", "standard input", errno));
  const Result<size_t> count = ReadSome(descriptor_, bytes, size);
  if (!count) return tl::unexpected(count.error());
  at_end_ = *count == 0;
  return Taken{*count, at_end_};
}

bool StandardInput::Claim() {
  const std::lock_guard lock(mutex_);
  return !std::exchange(is_claimed_, true);
}

}  // namespace braid
