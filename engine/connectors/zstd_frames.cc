#include "engine/connectors/zstd_frames.h"

#include <algorithm>

namespace braid {

namespace {

constexpr uint32_t kFrameMagic = 0xFD2FB528;
constexpr uint32_t kSkippableMagic = 0x184D2A50;  // The last four bits are free.
constexpr uint32_t kSkippableMask = 0xFFFFFFF0;

uint32_t LittleEndian(std::string_view bytes) {
  uint32_t number = 0;
  for (size_t index = bytes.size(); index > 0; --index) {
    number = (number << 8) | static_cast<unsigned char>(bytes[index - 1]);
  }
  return number;
}

// Bytes of the header behind its descriptor: window, dictionary id, content size.
size_t HeaderSize(unsigned descriptor) {
  constexpr size_t kDictionarySizes[] = {0, 1, 2, 4};
  constexpr size_t kContentSizes[] = {0, 2, 4, 8};
  const bool single_segment = (descriptor & 0x20) != 0;
  size_t content_size = kContentSizes[descriptor >> 6];
  if (single_segment && content_size == 0) content_size = 1;
  return (single_segment ? 0 : 1) + kDictionarySizes[descriptor & 3] + content_size;
}

}  // namespace

void ZstdFrames::Expect(Part part, size_t size) {
  part_ = part;
  part_size_ = size;
  part_bytes_.clear();
}

void ZstdFrames::Add(std::string_view bytes) {
  while (!bytes.empty() && part_ != Part::kUnknown) {
    const size_t skipped = static_cast<size_t>(std::min<uint64_t>(skip_, bytes.size()));
    skip_ -= skipped;
    bytes.remove_prefix(skipped);
    const size_t taken = std::min(part_size_ - part_bytes_.size(), bytes.size());
    part_bytes_ += bytes.substr(0, taken);
    bytes.remove_prefix(taken);
    if (skip_ == 0 && part_bytes_.size() == part_size_) FinishPart();
  }
}

void ZstdFrames::FinishPart() {
  const uint32_t number = LittleEndian(std::string_view(part_bytes_).substr(0, 4));
  switch (part_) {
    case Part::kMagic:
      if (number == kFrameMagic) return Expect(Part::kFrameDescriptor, 1);
      if ((number & kSkippableMask) == kSkippableMagic) return Expect(Part::kSkippableSize, 4);
      return Expect(Part::kUnknown, 0);
    case Part::kSkippableSize:
      skip_ = number;
      return Expect(Part::kMagic, 4);
    case Part::kFrameDescriptor:
      has_checksum_ = (number & 4) != 0;
      return Expect(Part::kFrameHeader, HeaderSize(number));
    case Part::kFrameHeader:
      return Expect(Part::kBlockHeader, 3);
    case Part::kBlockHeader:
      return FinishBlockHeader(number);
    case Part::kUnknown:
      return;
  }
}

void ZstdFrames::FinishBlockHeader(uint32_t header) {
  const bool is_last = (header & 1) != 0;
  const bool is_one_repeated_byte = ((header >> 1) & 3) == 1;
  skip_ = is_one_repeated_byte ? 1 : header >> 3;
  if (is_last && has_checksum_) skip_ += 4;
  Expect(is_last ? Part::kMagic : Part::kBlockHeader, is_last ? 4 : 3);
}

}  // namespace braid
