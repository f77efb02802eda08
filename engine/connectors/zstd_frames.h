// Follows the frames of a .zst file while its bytes go by, to know at the end whether the last one
// is whole: the decompressor itself is silent about a file that is cut short. Reads only the
// lengths in the headers (RFC 8878, section 3); the bytes between are the decompressor's affair.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace braid {

class ZstdFrames {
 public:
  void Add(std::string_view bytes);

  // True before the first byte and behind each whole frame.
  bool is_between_frames() const {
    return part_ == Part::kMagic && part_bytes_.empty() && skip_ == 0;
  }

 private:
  // What the next bytes are.
  enum class Part : uint8_t {
    kMagic,
    kSkippableSize,
    kFrameDescriptor,
    kFrameHeader,
    kBlockHeader,
    kUnknown,  // No frame: the decompressor refuses it.
  };

  // Acts on part_bytes_, which holds all `part_size_` bytes of a part.
  void FinishPart();
  void FinishBlockHeader(uint32_t header);
  void Expect(Part part, size_t size);

  Part part_ = Part::kMagic;
  size_t part_size_ = 4;
  std::string part_bytes_;
  uint64_t skip_ = 0;  // Bytes to pass before the next part.
  bool has_checksum_ = false;
};

}  // namespace braid
