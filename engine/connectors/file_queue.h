// Which parts of which files are to be read, in which order: looks at the folder and appends what
// is new to the list (file_list.h).
//
// - Every file is read once; what it is, is its name. A file that grew since is continued where
//   reading stopped, if it is not compressed and its last record ended with a line end.
// - While a table is watched, a last line without a line end waits for the rest of it, until the
//   file has not changed for `settle_time`. Otherwise the end of the file ends the line.
// - A file that was replaced, cut or continued in the middle of a record is not read again: a
//   warning says so once.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "braid/error.h"
#include "braid/time.h"
#include "engine/connectors/file_finder.h"
#include "engine/connectors/file_list.h"
#include "engine/connectors/file_offset.h"

namespace braid {

class FileQueue {
 public:
  struct Options {
    bool watched = false;  // Files may still be written: see above.
    Interval settle_time;
    std::function<void(const std::string&)> warn;
    bool ignore_missing = false;  // Files that are gone before they were read.
  };

  FileQueue(FileFinder finder, Options options, std::shared_ptr<FileOperations> operations);

  // Uses the list kept in `directory`; not called: a list in memory.
  Status Load(const std::string& directory);

  // Takes over what an offset says about files that are done. Fails with kCorruption if the list
  // does not fit it.
  Status Restore(const FileOffset& offset);

  // Looks for new files and new ends of old ones; `done` parts are read. `now` is the time of day.
  // An error leaves the list as it was; kNotFound if the path does not exist.
  Status Refresh(int64_t done, EventTime now);

  // The same for a start at `offset`: a part that is listed but not read may have been mended
  // meanwhile (after a bad record, say). From the first such part on the list is made anew, and a
  // file of which only a part was read goes on to where it ends now. kInvalidInput if that is
  // before the place that was reached, or if a listed file is gone, unless that is ignored.
  Status RefreshAtStart(const FileOffset& offset, EventTime now);

  const FileFinder& finder() const { return finder_; }
  int64_t first() const { return list_.first(); }
  int64_t size() const { return list_.size(); }
  const FilePart& part(int64_t number) const { return list_.part(number); }
  std::optional<int64_t> BytesFrom(int64_t number) const { return list_.BytesFrom(number); }
  std::string PathOf(const FilePart& part) const { return PathOf(part.name); }

  // kNotFound if nothing has the table's path, unless that may be: a file that was listed may be
  // cleared away, and a pattern may match nothing, watched also in a folder that is still to come.
  Status CheckPath() const;

  // The part was read up to `byte`, where `line` begins.
  void Finish(int64_t number, int64_t byte, int64_t line);
  Status MarkGone(int64_t number) { return list_.MarkGone(number); }
  Status MarkGrown(int64_t number) { return list_.MarkGrown(number); }

  // Says of the file `name` what happened to it after it was read; the first of these alone.
  // REQUIRES: a part of it is listed.
  void WarnOnce(const std::string& name, std::string_view what);

  // Of files whose last line was not whole when their part was done.
  std::vector<FileOffset::Tail> Tails() const;

  // Parts before `number` are not asked for again.
  void Forget(int64_t number) { list_.Forget(number); }

 private:
  struct KnownFile {
    int64_t last_part = -1;
    int64_t end = 0;       // Of that part.
    int64_t read_end = 0;  // How far it is read.
    int64_t line = 0;      // There; 0: not known.
    uint64_t inode = 0;
    bool warned = false;
  };

  std::string PathOf(const std::string& name) const { return FileFinder::PathIn(folder_, name); }
  Result<std::vector<FoundFile>> Find();
  void Know(int64_t number, const FilePart& part);
  // Takes the parts from `number` on out of the list, and out of what is known of their files.
  // `renewed`, unless null, has this number then.
  Status Cut(int64_t number, const FilePart* renewed = nullptr);
  // Of a listed part whose file is gone.
  Status Miss(const FilePart& part) const;
  Status FindUnreadAnew(const std::vector<FoundFile>& found, const FileOffset& offset,
                        EventTime now);
  Status AppendNew(const std::vector<FoundFile>& found, int64_t done, EventTime now);
  Status FindBegunAnew(const FoundFile& file, const FileOffset& offset, EventTime now);
  bool IsSettled(const FoundFile& file, EventTime now) const;
  // The part of a file that is not listed yet; nothing if there is none.
  std::optional<FilePart> NewPart(const FoundFile& file, EventTime now);
  std::optional<FilePart> Continuation(const FoundFile& file, EventTime now,
                                       const KnownFile* known);

  FileFinder finder_;
  // That names are relative to, as when the path was there last: without it nobody knows whether
  // the path was a folder.
  std::string folder_;
  Options options_;
  FileList list_;
  std::unordered_map<std::string, KnownFile> known_;
  std::unordered_map<int64_t, FileOffset::Tail> tails_;  // By part.
};

}  // namespace braid
