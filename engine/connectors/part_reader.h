// Reads one part of a file (file_list.h) through a decoder, a block at a time.
//
// Errors: kNotFound and kIo of the file; kInvalidInput for damaged compression, a file that is
// shorter than it was when it was listed, and whatever the decoder refuses. All with the path as
// place.file.
// Ownership: the decoder is borrowed; its rows are for the caller to take.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "engine/connectors/file_list.h"
#include "engine/connectors/format/row_decoder.h"
#include "engine/connectors/input_file.h"

namespace braid {

class PartReader {
 public:
  // Bytes that one read(2) asks for: they stay in the second level cache until they are decoded.
  static constexpr int64_t kBlockBytes = int64_t{256} << 10;

  explicit PartReader(RowDecoder* decoder) : decoder_(decoder) {}

  // Begins at `byte` of the file, where `line` begins (0: not known), and stops at part.end.
  // REQUIRES: a byte that a Decode stopped at, or part.begin.
  Status Open(const std::string& path, const FilePart& part, int64_t byte, int64_t line);
  bool is_open() const { return file_ != nullptr; }
  void Close() { file_.reset(); }

  // True if the file has more bytes than the part ends at, which is not compressed.
  bool has_grown() const { return limit_ != FilePart::kToTheEnd && file_->size() > limit_; }
  // From now on a last line without a line end is no record.
  void LeaveLastLine() { takes_last_line_ = false; }

  // Decodes whole records of at most `bytes_max` bytes together (> 0, at most kBlockBytes). A
  // longer record is decoded on its own if `may_exceed`, else left; then nothing is decoded.
  // Returns how many bytes were taken.
  // REQUIRES: is_open(), !is_done().
  Result<int64_t> Decode(int64_t bytes_max, bool may_exceed, DecodeResult* result);

  // True when the part has no whole record left.
  bool is_done() const { return is_done_; }

  // True if bytes of the part are left that make no whole record. REQUIRES: is_done().
  bool has_tail() const { return begin_ < end_; }

  // Where the next record begins, and the number of its line. Until a record was decoded that is
  // where Open began: what stands before the first record (a byte order mark, a header, blank
  // lines) is read again by whoever goes on from here.
  int64_t byte() const { return has_records_ ? byte_ : opened_at_byte_; }
  int64_t line() const { return has_records_ ? decoder_->line() : opened_at_line_; }

 private:
  std::string_view unread() const { return {buffer_.data() + begin_, end_ - begin_}; }

  // Reads until `size` bytes are unread or the part is at its end.
  Status Fill(size_t size);
  Status ReadBlock();
  // Drops what stands before the next line end, or all that is left.
  Status SkipToLineEnd();
  Status CheckSize(int64_t end) const;
  Status CheckContent() const;
  Status StartDecoder(int64_t byte, int64_t line);
  Result<std::string> ReadBeginning(int64_t size) const;
  Result<int64_t> CountLines(int64_t size) const;
  Error AtThisFile(Error error) const;

  RowDecoder* decoder_;
  std::unique_ptr<InputFile> file_;
  std::string path_;
  int64_t limit_ = 0;  // Byte of the file that is not read any more; FilePart::kToTheEnd.
  bool takes_last_line_ = true;
  int64_t opened_at_byte_ = 0;
  int64_t opened_at_line_ = 1;
  bool has_records_ = false;  // Rows or bad records came since Open.
  int64_t byte_ = 0;          // Of unread()'s first byte.
  bool at_limit_ = false;     // Nothing follows what is unread.
  bool is_done_ = false;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
};

}  // namespace braid
