// Where batches begin and end in the files of an output folder whose batches share files
// ('sink.min-file-size'). Kept in the folder under a name that readers of data pass over, so that a
// batch that is run again, or a checkpoint that was rolled back, can be taken out of its files.
// docs/format/offsets.md, "Files that several batches share".
//
// A batch's line is synced before a byte of the batch is appended: what stands in a file behind its
// last known end was never published. Once there is an index, all that is written is in it, also
// while the option is not set: a file that it does not know tells that lines of it were lost.
//
// Memory and disk: a line for each of the last batches (as many as may be taken back), and one for
// each file that still grows.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "engine/connectors/file_operations.h"

namespace braid {

inline constexpr std::string_view kBatchIndexName = "_braid_batches";
inline constexpr std::string_view kBatchIndexTemporaryName = "._braid_batches.tmp";

// What a batch wrote into a file: the bytes from `begin` to `end`.
struct BatchPiece {
  std::string name;
  int64_t begin = 0;
  int64_t end = 0;

  bool operator==(const BatchPiece&) const = default;
};

struct BatchLine {
  int64_t batch = 0;
  std::vector<BatchPiece> pieces;

  bool operator==(const BatchLine&) const = default;
};

struct BatchLines {
  int64_t since = 0;         // No file of an earlier batch is shared.
  int64_t known_from = 0;    // Of earlier batches only the ends of files that grow are known.
  uint64_t layout = 0;       // How the newest files are laid out (their columns, their format).
  int64_t layout_since = 0;  // Files of earlier batches may be laid out in another way.
  std::vector<BatchLine> lines;
  bool is_torn = false;  // The text ended inside a line, which is left out.
};

std::string EncodeBatchLine(const BatchLine& line);
std::string EncodeBatchLines(const BatchLines& lines);
// kCorruption, without the file's name, for what no writer leaves, crashed or not.
Result<BatchLines> DecodeBatchLines(std::string_view text);

class BatchIndex {
 public:
  struct Options {
    std::string folder;
    // So many of the last batches may be taken back, once first_batch is committed; until then,
    // those that an earlier run with other options kept.
    int64_t retained_batches = 1;
    int64_t first_batch = 0;
    int64_t full_size = 0;  // A file of this size grows no more.
    bool durable = false;   // Else nothing is written: no other run goes on here.
  };

  BatchIndex(Options options, std::shared_ptr<FileOperations> operations);

  // Reads what an earlier run left; false if there is no index. kCorruption names the file.
  Result<bool> Load();
  // An index of no batches; files of batches before options.first_batch are not shared.
  Status Begin();
  // Files that are not known to be laid out so take no further batches.
  Status SetLayout(uint64_t layout);

  // Cuts files back to where `batch` begins, so that nothing of it or of a later one is left in
  // them, and forgets these batches. Files named after such a batch are the caller's to remove, and
  // are removed already. kCorruption if a file is not as long as it was written.
  Status CutFrom(int64_t batch);

  // kCorruption if a file of our names was written while there was an index and is not in it. After
  // CutFrom, for files of batches before that.
  Status CheckKnown(std::string_view name, int64_t batch) const;

  // Before the batch's bytes are appended. On an error nothing may be appended.
  Status Add(BatchLine line);

  // The end of a file that may grow: shorter than full_size. Nothing if it is full or not known.
  std::optional<int64_t> EndOfGrowing(std::string_view name) const;

  // There is an index: loaded or begun.
  bool is_kept() const { return is_kept_; }
  int64_t layout_since() const { return content_.layout_since; }

 private:
  std::string PathOf(std::string_view name) const;
  const BatchPiece* LastPieceOf(std::string_view name) const;
  // Cuts `name` at `end`; it must not be shorter. A file that somebody took away stays away.
  Status CutFile(const std::string& name, int64_t end);
  // Every file that is known is as long as its last piece says.
  Status CheckSizes();
  // Drops what no rollback can reach and no growing file needs.
  void Forget(int64_t known_from);
  Status Rewrite();

  const Options options_;
  std::shared_ptr<FileOperations> operations_;
  bool is_kept_ = false;
  BatchLines content_;
  std::unique_ptr<OutputFile> file_;  // Null: the next line is written with all others.
};

}  // namespace braid
