#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <memory>
#include <string>

#include "engine/connectors/batch_index.h"
#include "engine/connectors/file_list.h"
#include "engine/connectors/file_offset.h"
#include "tests/connectors/memory_file_operations.h"
#include "tests/fuzz/fuzz_target.h"

namespace braid {

namespace {

// Each line behind its checksum, so that the fuzzer gets behind it.
std::string WithChecksums(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view line = bytes.substr(0, end);
    text += fmt::format("{:08x} {}", XXH32(line.data(), line.size(), 0), line);
    if (end == std::string_view::npos) break;
    text += '\n';
    bytes.remove_prefix(end + 1);
  }
  return text;
}

}  // namespace

void FuzzFileList(std::string_view bytes) {
  const bool has_checksums = TakeChoice(&bytes, 2) == 0;
  auto disk = std::make_shared<MemoryFileOperations>();
  {
    auto file = disk->NewFile("/list/files", FileOperations::Create::kTruncate);
    std::string text = "braid files 1\n";
    text += has_checksums ? WithChecksums(bytes) : std::string(bytes);
    Expect(file && (*file)->Append(text), "memory can be written");
  }
  FileList list(disk);
  if (!list.Load("/list")) return;
  const int64_t size = list.size();
  FileList again(disk);
  Expect(again.Load("/list") && again.size() == size, "a list that was loaded is loaded again");
}

void FuzzOffsets(std::string_view bytes) {
  const Result<FileOffset> offset = FileOffset::Parse(std::string(bytes));
  if (!offset) return;
  const Result<FileOffset> again = FileOffset::Parse(offset->ToText());
  Expect(again && *again == *offset, "an offset that is written is read as it was");
}

void FuzzBatchIndex(std::string_view bytes) {
  const bool has_checksums = TakeChoice(&bytes, 2) == 0;
  const Result<BatchLines> lines =
      DecodeBatchLines(has_checksums ? WithChecksums(bytes) : std::string(bytes));
  if (!lines) return;
  const Result<BatchLines> again = DecodeBatchLines(EncodeBatchLines(*lines));
  Expect(again && again->lines == lines->lines && again->since == lines->since &&
             again->known_from == lines->known_from && again->layout == lines->layout &&
             again->layout_since == lines->layout_since,
         "lines that are written are read as they were");
}

}  // namespace braid
