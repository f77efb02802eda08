#include "engine/connectors/file_queue.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/connectors/file_location.h"
#include "engine/connectors/file_operations.h"
#include "engine/connectors/input_file.h"

namespace braid {

namespace {

// True if the byte before `position` ends a line; also if that cannot be known.
bool EndsLineBefore(const std::string& path, int64_t position) {
  if (position == 0) return true;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return true;
  char last = '\n';
  const ssize_t count = ::pread(descriptor, &last, 1, position - 1);
  ::close(descriptor);
  return count != 1 || last == '\n';
}

}  // namespace

FileQueue::FileQueue(FileFinder finder, Options options, std::shared_ptr<FileOperations> operations)
    : finder_(std::move(finder)),
      folder_(finder_.folder()),
      options_(std::move(options)),
      list_(std::move(operations)) {}

Status FileQueue::CheckPath() const {
  if (finder_.IsThere()) return {};
  const std::string& path = finder_.path();
  if (IsPattern(path)) {
    if (options_.watched) return {};
    return Fail(ErrorCode::kNotFound, fmt::format("no file matches '{}'", path));
  }
  if (known_.contains(path.substr(path.rfind('/') + 1))) return {};
  return tl::unexpected<Error>(FileError("read", path, ENOENT));
}

Result<std::vector<FoundFile>> FileQueue::Find() {
  Result<std::vector<FoundFile>> found = finder_.Find();
  if (found) folder_ = finder_.folder();
  return found;
}

void FileQueue::Know(int64_t number, const FilePart& part) {
  KnownFile& known = known_[part.name];
  tails_.erase(known.last_part);
  known.last_part = number;
  known.end = part.end;
  known.read_end = part.end;
  known.line = 0;
  known.inode = part.inode;
}

Status FileQueue::Load(const std::string& directory) {
  if (Status loaded = list_.Load(directory); !loaded) return loaded;
  for (int64_t number = list_.first(); number < list_.size(); ++number) {
    Know(number, list_.part(number));
  }
  return {};
}

Status FileQueue::Restore(const FileOffset& offset) {
  const bool reads_part = offset.line > 0;
  const auto fits = [this](int64_t number, const std::string& name) {
    if (number < list_.first()) return true;
    if (number >= list_.size()) return false;
    // Names are compared as an offset shows them.
    FileOffset shown;
    shown.name = list_.part(number).name;
    FileOffset given;
    given.name = name;
    return shown.ToText() == given.ToText();
  };
  const bool beginning = offset.done == 0 && !reads_part;
  if (!beginning && !fits(reads_part ? offset.done : offset.done - 1, offset.name)) {
    return Fail(ErrorCode::kCorruption,
                fmt::format("the offset {} does not fit the list of input files that the "
                            "checkpoint keeps for '{}' ({} files): {}",
                            offset.ToText(), finder_.path(), list_.size(),
                            list_.path().empty() ? "there is none" : list_.path()));
  }
  for (const FileOffset::Tail& tail : offset.tails) {
    if (tail.part < list_.first() || tail.part >= list_.size()) continue;
    KnownFile& known = known_[list_.part(tail.part).name];
    if (known.last_part == tail.part) Finish(tail.part, tail.byte, tail.line);
  }
  return {};
}

Status FileQueue::Cut(int64_t number, const FilePart* renewed) {
  const int64_t size = list_.size();
  std::vector<FilePart> parts;
  for (int64_t cut = number; cut < size; ++cut) parts.push_back(list_.part(cut));
  Status done = renewed != nullptr ? list_.Renew(number, *renewed) : list_.Cut(number);
  if (!done) return done;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (part->begin == 0) {
      known_.erase(part->name);
      continue;
    }
    // An earlier part of the file ended where this one began.
    KnownFile& known = known_[part->name];
    known = {};
    known.end = part->begin;
    known.read_end = part->begin;
    known.line = part->line;
    known.inode = part->inode;
  }
  if (renewed != nullptr) Know(number, *renewed);
  return {};
}

Status FileQueue::FindBegunAnew(const FoundFile& file, const FileOffset& offset, EventTime now) {
  FilePart part = list_.part(offset.done);
  const bool is_whole = part.end == FilePart::kToTheEnd;
  if (is_whole || (file.size == part.end && file.inode == part.inode)) return {};
  if (file.size < offset.byte) {
    return Fail(ErrorCode::kInvalidInput,
                fmt::format("'{}' was read up to byte {} and has only {} bytes now: what was read "
                            "must stay as it was; put it back, or begin with a new checkpoint and "
                            "a new output folder",
                            PathOf(file.name), offset.byte, file.size));
  }
  part.end = file.size;
  part.inode = file.inode;
  part.takes_last_line = IsSettled(file, now);
  return Cut(offset.done, &part);
}

Status FileQueue::FindUnreadAnew(const std::vector<FoundFile>& found, const FileOffset& offset,
                                 EventTime now) {
  if (offset.done >= list_.size()) return {};
  std::unordered_map<std::string_view, const FoundFile*> files;
  for (const FoundFile& file : found) files[file.name] = &file;
  const bool is_begun = offset.line > 0;
  std::optional<int64_t> changed;  // The first unread part that is not as it was listed.
  for (int64_t number = offset.done + (is_begun ? 1 : 0); number < list_.size(); ++number) {
    const FilePart& part = list_.part(number);
    const auto file = files.find(part.name);
    if (file == files.end() && !part.is_gone) {
      if (Status missed = Miss(part); !missed) return missed;
    }
    const bool is_as_listed =
        file != files.end() &&
        (part.end == FilePart::kToTheEnd ||
         (file->second->size == part.end && file->second->inode == part.inode));
    if (!is_as_listed && !changed) changed = number;
  }
  if (is_begun) {
    const auto file = files.find(list_.part(offset.done).name);
    // One that is gone is an error when it is opened.
    if (file != files.end()) {
      if (Status begun = FindBegunAnew(*file->second, offset, now); !begun) return begun;
    }
  }
  return changed && *changed < list_.size() ? Cut(*changed) : Status();
}

Status FileQueue::Miss(const FilePart& part) const {
  const std::string path = PathOf(part.name);
  if (!options_.ignore_missing) {
    return Fail(ErrorCode::kInvalidInput,
                fmt::format("'{}' was found by an earlier run and has to be read, but is gone; put "
                            "it back, or set 'source.ignore-missing-files' = 'true' to leave such "
                            "files out",
                            path));
  }
  options_.warn(fmt::format("'{}' is gone before it could be read; it is left out", path));
  return {};
}

void FileQueue::Finish(int64_t number, int64_t byte, int64_t line) {
  const FilePart& part = list_.part(number);
  KnownFile& known = known_[part.name];
  if (known.last_part != number) return;
  known.read_end = byte;
  known.line = line;
  if (part.end != FilePart::kToTheEnd && byte < part.end) tails_[number] = {number, byte, line};
}

std::vector<FileOffset::Tail> FileQueue::Tails() const {
  std::vector<FileOffset::Tail> tails;
  for (const auto& [number, tail] : tails_) tails.push_back(tail);
  std::sort(tails.begin(), tails.end(),
            [](const auto& left, const auto& right) { return left.part < right.part; });
  return tails;
}

bool FileQueue::IsSettled(const FoundFile& file, EventTime now) const {
  return !options_.watched ||
         now.micros - file.modified_nanos / 1'000 >= options_.settle_time.micros;
}

void FileQueue::WarnOnce(const std::string& name, std::string_view what) {
  if (std::exchange(known_[name].warned, true)) return;
  options_.warn(fmt::format("'{}' {} after it was read; it is not read again", PathOf(name), what));
}

std::optional<FilePart> FileQueue::Continuation(const FoundFile& file, EventTime now,
                                                const KnownFile* known) {
  if (known->end == FilePart::kToTheEnd) return std::nullopt;
  const bool has_tail = known->read_end < known->end;
  if (file.size < known->end) {
    WarnOnce(file.name, "became shorter");
    return std::nullopt;
  }
  if (file.size == known->end && !(has_tail && IsSettled(file, now))) return std::nullopt;
  if (file.inode != known->inode) {
    WarnOnce(file.name, "was replaced");
    return std::nullopt;
  }
  if (!EndsLineBefore(PathOf(file.name), known->read_end)) {
    WarnOnce(file.name, "grew in the middle of its last record");
    return std::nullopt;
  }
  FilePart part;
  part.name = file.name;
  part.begin = known->read_end;
  part.end = file.size;
  part.line = known->line;
  part.inode = file.inode;
  part.takes_last_line = IsSettled(file, now);
  return part;
}

std::optional<FilePart> FileQueue::NewPart(const FoundFile& file, EventTime now) {
  FilePart part;
  part.name = file.name;
  part.end = file.size;
  part.line = 1;
  part.inode = file.inode;
  part.takes_last_line = IsSettled(file, now);
  if (CompressionOf(file.name) != Compression::kNone) {
    part.end = FilePart::kToTheEnd;
    part.takes_last_line = true;
  } else if (file.size == 0) {
    return std::nullopt;  // Nothing in it yet; it is looked at again.
  }
  return part;
}

Status FileQueue::Refresh(int64_t done, EventTime now) {
  const Result<std::vector<FoundFile>> found = Find();
  if (!found) return tl::unexpected(found.error());
  return AppendNew(*found, done, now);
}

Status FileQueue::RefreshAtStart(const FileOffset& offset, EventTime now) {
  const Result<std::vector<FoundFile>> found = Find();
  if (!found && found.error().code != ErrorCode::kNotFound) return tl::unexpected(found.error());
  // Where nothing is found, what was listed is gone too.
  const std::vector<FoundFile> none;
  if (Status anew = FindUnreadAnew(found ? *found : none, offset, now); !anew) return anew;
  if (!found) return tl::unexpected(found.error());
  return AppendNew(*found, offset.done, now);
}

Status FileQueue::AppendNew(const std::vector<FoundFile>& found, int64_t done, EventTime now) {
  std::vector<FilePart> parts;
  for (const FoundFile& file : found) {
    const auto known = known_.find(file.name);
    std::optional<FilePart> part;
    if (known == known_.end()) {
      part = NewPart(file, now);
    } else if (known->second.last_part < done) {
      part = Continuation(file, now, &known->second);
    }
    if (part) parts.push_back(std::move(*part));
  }
  const int64_t first_new = list_.size();
  if (Status appended = list_.Append(parts); !appended) return appended;
  for (size_t index = 0; index < parts.size(); ++index) {
    Know(first_new + static_cast<int64_t>(index), parts[index]);
  }
  return {};
}

}  // namespace braid
