// The order in which the files of a table are read, for ever: a list of parts that only grows (but
// for parts that nothing refers to yet, when they turn out to have changed before a restart). An
// offset says how many parts are done (file_offset.h), so it stays small however many files there
// are, and files that come later, whatever their times are, come behind all that was listed before.
//
// A part is a file, or what was appended to a file after an earlier part of it was listed.
//
// Kept in a file of the checkpoint (docs/format/offsets.md), in memory alone without one. What
// Append was given is durable when it returns. Errors: kIo; kCorruption if the file is of an
// unknown version or damaged. An end of it that a crash tore is dropped: no offset refers to it
// yet, and an offset that refers to a part that is not there is found out by whoever opens it.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "braid/error.h"
#include "engine/connectors/file_operations.h"

namespace braid {

struct FilePart {
  std::string name;   // Relative to the table's folder.
  int64_t begin = 0;  // Byte in the file.
  int64_t end = 0;    // Likewise; kToTheEnd for compressed files.
  int64_t line = 0;   // Number of the line at `begin`; 0: not known.
  uint64_t inode = 0;
  // A last line without a line end is a record; otherwise more of it may come.
  bool takes_last_line = true;
  bool is_gone = false;  // It was not there when its turn came: passed over, then as in a replay.

  static constexpr int64_t kToTheEnd = -1;

  friend bool operator==(const FilePart&, const FilePart&) = default;
};

class FileList {
 public:
  explicit FileList(std::shared_ptr<FileOperations> operations);

  // Reads the list kept in `directory`, or begins one there. Not called: in memory alone.
  Status Load(const std::string& directory);
  // The same to look at it only: nothing is written, and a list that is not there is kNotFound.
  Status LoadToRead(const std::string& directory);
  // Of its file; empty: in memory alone.
  const std::string& path() const { return path_; }

  int64_t size() const { return forgotten_ + static_cast<int64_t>(parts_.size()); }

  // REQUIRES: first() <= number < size().
  const FilePart& part(int64_t number) const {
    return parts_[static_cast<size_t>(number - forgotten_)];
  }
  int64_t first() const { return forgotten_; }

  // The lengths of the parts from `number` on, added up; nothing if one of them is not known. Costs
  // a look at each part from first() to there. REQUIRES: first() <= number <= size().
  std::optional<int64_t> BytesFrom(int64_t number) const;

  Status Append(std::span<const FilePart> parts);

  // Notes durably that the part's file is gone, or that it grew before its turn came, so that its
  // last line may not be whole: what was decided once holds for every replay.
  Status MarkGone(int64_t number);
  Status MarkGrown(int64_t number);

  // Takes the parts from `number` on out again, durably: nothing may refer to them. What is
  // appended next has this number. REQUIRES: first() <= number <= size().
  Status Cut(int64_t number);
  // The same, and `part` is this number now: both or, if it fails, neither. An offset may refer to
  // the number.
  Status Renew(int64_t number, const FilePart& part);

  // Frees the memory of parts before `number`, which are not asked for again.
  void Forget(int64_t number);

 private:
  Status ReadLines(std::string_view text, size_t* whole_bytes);
  tl::unexpected<Error> DamagedAt(size_t byte) const;
  // Takes over one line without its checksum; false if it makes no sense.
  bool ReadLine(std::string_view line);
  void Add(FilePart part);
  void RemoveFrom(int64_t number);
  FilePart* Find(int64_t number) { return &parts_[static_cast<size_t>(number - forgotten_)]; }
  Status AppendMark(std::string_view word, int64_t number);
  Status WriteDurably(std::string_view text);

  std::shared_ptr<FileOperations> operations_;
  std::string path_;
  std::unique_ptr<OutputFile> file_;  // Null: in memory alone.
  std::deque<FilePart> parts_;
  // Of parts_: the known lengths added up, and how many are not known.
  int64_t num_bytes_ = 0;
  int64_t num_unknown_lengths_ = 0;
  int64_t forgotten_ = 0;
};

}  // namespace braid
