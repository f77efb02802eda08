#include "engine/connectors/format/csv_record.h"

#include <algorithm>

#include "engine/connectors/format/row_decoder.h"

namespace braid {

namespace {

// Walks over one record.
class Scanner {
 public:
  Scanner(const CsvOptions& options, std::string_view bytes, bool at_end, CsvRecord* record)
      : options_(options), bytes_(bytes), at_end_(at_end), record_(record) {}

  bool Scan() {
    record_->fields.clear();
    record_->fault = nullptr;
    record_->is_blank = false;
    if (bytes_.empty()) return false;
    if (options_.comment != '\0' && bytes_[0] == options_.comment) {
      record_->is_blank = true;
      return EndAtLine(0);
    }
    while (true) {
      const bool is_quoted = options_.quote != '\0' && position_ < bytes_.size() &&
                             bytes_[position_] == options_.quote;
      if (is_quoted ? !ScanQuoted() : !ScanPlain()) return EndBroken();
      if (position_ < bytes_.size() && bytes_[position_] == options_.delimiter) {
        ++position_;
        continue;
      }
      if (position_ == bytes_.size() && !at_end_) return TooLong();
      const bool has_return = position_ < bytes_.size() && bytes_[position_] == '\r';
      record_->text_end = position_;
      record_->end = std::min(bytes_.size(), position_ + (has_return ? 2 : 1));
      record_->is_blank = record_->text_end == 0;
      return true;
    }
  }

 private:
  // True at "\n", "\r\n" and, at the end of the file, "\r".
  bool IsLineEnd(size_t position) const {
    if (bytes_[position] == '\n') return true;
    if (bytes_[position] != '\r') return false;
    return position + 1 < bytes_.size() ? bytes_[position + 1] == '\n' : at_end_;
  }

  bool IsEscape(size_t position) const {
    return options_.escape != '\0' && bytes_[position] == options_.escape;
  }

  // Stops at a delimiter, a line end or the end of the bytes.
  bool ScanPlain() {
    CsvField field;
    field.begin = position_;
    while (position_ < bytes_.size() && bytes_[position_] != options_.delimiter &&
           !IsLineEnd(position_)) {
      if (IsEscape(position_)) {
        field.has_escapes = true;
        ++position_;
        if (position_ == bytes_.size()) break;
      }
      ++position_;
    }
    field.end = position_;
    record_->fields.push_back(field);
    return true;
  }

  // Stops behind the closing quote; false if it is missing or not followed as it must be.
  bool ScanQuoted() {
    CsvField field;
    field.is_quoted = true;
    field.begin = ++position_;
    record_->fields.push_back(field);
    CsvField& pushed = record_->fields.back();
    while (position_ < bytes_.size()) {
      if (IsEscape(position_)) {
        pushed.has_escapes = true;
        position_ = std::min(bytes_.size(), position_ + 2);
        continue;
      }
      if (bytes_[position_] != options_.quote) {
        ++position_;
        continue;
      }
      if (position_ + 1 < bytes_.size() && bytes_[position_ + 1] == options_.quote) {
        pushed.has_escapes = true;
        position_ += 2;
        continue;
      }
      pushed.end = position_++;
      if (position_ == bytes_.size() || bytes_[position_] == options_.delimiter ||
          IsLineEnd(position_)) {
        return true;
      }
      // A "\r" at the end of the bytes may yet become a line end.
      if (bytes_[position_] == '\r' && position_ + 1 == bytes_.size()) {
        position_ = bytes_.size();
        return true;
      }
      record_->fault = "text after a closing quote";
      return false;
    }
    record_->fault = "a quote is not closed";
    return false;
  }

  // The record is broken: an open quote costs one line, other faults reach to the next line end.
  bool EndBroken() {
    const bool is_open = position_ == bytes_.size();
    if (is_open && !at_end_ && bytes_.size() <= kRecordBytesMax) return false;
    return EndAtLine(is_open ? 0 : position_);
  }

  // No line end in all the bytes.
  bool TooLong() {
    if (bytes_.size() <= kRecordBytesMax) return false;
    record_->fault = kRecordIsTooLong;
    return EndAtLine(0);
  }

  // Ends the record at the first line end at or after `from`; without one, at the end of the
  // bytes if no more come or there are too many already.
  bool EndAtLine(size_t from) {
    const size_t line_end = bytes_.find('\n', from);
    if (line_end == std::string_view::npos) {
      if (!at_end_ && bytes_.size() <= kRecordBytesMax) return false;
      record_->end = record_->text_end = bytes_.size();
    } else {
      record_->end = line_end + 1;
      record_->text_end = line_end > 0 && bytes_[line_end - 1] == '\r' ? line_end - 1 : line_end;
    }
    if (!record_->fields.empty()) {
      record_->fields.back().end = std::max(record_->fields.back().begin, record_->text_end);
    }
    return true;
  }

  const CsvOptions& options_;
  std::string_view bytes_;
  bool at_end_;
  CsvRecord* record_;
  size_t position_ = 0;
};

char Unescaped(char letter) {
  switch (letter) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return letter;
  }
}

}  // namespace

bool ScanCsvRecord(const CsvOptions& options, std::string_view bytes, bool at_end,
                   CsvRecord* record) {
  return Scanner(options, bytes, at_end, record).Scan();
}

std::string_view CsvFieldText(const CsvOptions& options, std::string_view bytes,
                              const CsvField& field, std::string* scratch) {
  const std::string_view text = bytes.substr(field.begin, field.end - field.begin);
  if (!field.has_escapes) return text;
  scratch->clear();
  for (size_t index = 0; index < text.size(); ++index) {
    const bool is_escape = options.escape != '\0' && text[index] == options.escape;
    if (is_escape && index + 1 < text.size()) {
      scratch->push_back(Unescaped(text[++index]));
      continue;
    }
    scratch->push_back(text[index]);
    const bool is_doubled = field.is_quoted && text[index] == options.quote &&
                            index + 1 < text.size() && text[index + 1] == options.quote;
    if (is_doubled) ++index;
  }
  return *scratch;
}

}  // namespace braid
