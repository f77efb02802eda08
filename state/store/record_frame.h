// The frame around every value of a checkpoint: 8 bytes of checksum, then one Cap'n Proto message
// in its standard framing. The checksum is XXH3-64 over the message, seeded with XXH3-64 of the
// record's key, so that a value under another's key is found out too. It is checked before a byte
// of the message is looked at; no exception of Cap'n Proto leaves record_frame.cc.
//
// Thread rule: a RecordWriter is for one thread at a time; the functions are free.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "braid/error.h"

namespace capnp {
class MessageBuilder;
class MessageReader;
}  // namespace capnp

namespace braid {

// Builds framed records in memory that it keeps for the next one.
class RecordWriter {
 public:
  // Lets `fill` build the message and hands the framed record to `take`, which must copy it.
  // `size_hint`: about how many bytes the message has; with a good one nothing is copied.
  // kInvalidInput if the record is larger than Cap'n Proto can hold (about 512 MiB a field).
  Status Write(std::string_view key, size_t size_hint,
               const std::function<void(capnp::MessageBuilder&)>& fill,
               const std::function<void(std::string_view)>& take);

 private:
  std::vector<uint64_t> words_;  // All zero between two calls.
};

// Checks the frame and lets `read` look at the message. kCorruption, with a message that does not
// name the key, if the frame or the message is damaged.
Status ReadRecord(std::string_view key, std::string_view record,
                  const std::function<Status(capnp::MessageReader&)>& read);

// The checksum in the frame. REQUIRES: the record came from RecordWriter or passed ReadRecord.
uint64_t RecordChecksum(std::string_view record);

}  // namespace braid
