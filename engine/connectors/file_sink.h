// Writes rows into a folder: one file a batch and non-empty partition, part-00000012-003.csv for
// batch 12 and partition 3.
//
// A file is written under a hidden name (.part-00000012-003.csv.tmp) and renamed when its batch is
// published, so that no reader sees a part of it. Names follow from batch and partition alone, and
// what a crashed attempt, or a run before a rollback, left of batches that are not committed is
// removed by Open and before the batch is written again: after any crash and restart, all files
// together hold each row once, and nobody needs a list of valid files to read them.
//
// With `file_size_min`, batches share files: a partition's newest file, while it is shorter, takes
// what the next batches write there (batch_index.h: how a batch is taken out again). What a batch
// writes is kept back until it is published, then appended: a reader who looks just then may see
// the beginning of it, at no time a row twice.
//
// The file _braid_owner names the query that owns the folder, and the index if there is one, so
// that an index that is lost is missed. Open refuses (kConflict) the folder of another query and
// any other folder that is not empty, unless the options say `overwrite`.
//
// Memory: one write buffer a partition (kBufferBytes and the bytes of one Write), and the index of
// batches that share files.
// Thread rule: as sink.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "braid/sink.h"
#include "engine/connectors/batch_index.h"
#include "engine/connectors/file_operations.h"
#include "engine/connectors/format/row_encoder.h"

namespace braid {

// The batch of a file that this sink has published, by its name; -1 for any other name.
int64_t BatchOfOutputFile(std::string_view name);

class FileSink final : public Sink {
 public:
  struct Options {
    std::string path;
    std::string extension;  // "csv"
    // Takes a folder over: data files of our naming and the owner file are removed, nothing else.
    bool overwrite = false;
    // Files shorter than this take further batches; 0: each batch has files of its own.
    int64_t file_size_min = 0;
    // What else than the header changes how records are laid out: a file takes those of one layout.
    std::string layout = {};
  };

  FileSink(Options options, std::unique_ptr<RowEncoder> encoder,
           std::shared_ptr<FileOperations> operations);
  ~FileSink() override;  // NOLINT(bugprone-exception-escape): nothing but a bug throws.

  // Removes from `folder`, which the query of `context` wrote to before, its batches from
  // context.first_batch on. A folder that is gone, or another query's by now, has none of them.
  // kConflict: it cannot be told whose the files are.
  static Status TakeBackFormer(const std::string& folder, const SinkContext& context,
                               std::shared_ptr<FileOperations> operations);

  // True if `folder` says that it is the output of this query.
  static bool IsOutputOf(const std::string& folder, const std::string& query_id);

  std::string description() const override;
  bool takes_changes() const override { return encoder_->takes_changes(); }
  std::string location() const override;
  Status Open(const SinkContext& context) override;
  Status BeginBatch(int64_t batch_id) override;
  Status Write(int partition, const RowBatch& rows) override;
  Status PublishBatch(int64_t batch_id) override;
  Status Close() override;

 private:
  static constexpr size_t kBufferBytes = size_t{256} << 10;

  // What a partition writes in the running batch. Written by one thread at a time.
  struct PartitionFile {
    std::unique_ptr<OutputFile> file;  // Null until there is something to write.
    std::string temporary_path;        // Empty while nothing stands under it.
    std::string buffer;                // What is not yet in `file`.
    int64_t num_bytes = 0;             // Of the batch, in `file` and `buffer`.
    bool has_rows = false;
    // The partition's file that takes further batches, and its size; empty if there is none.
    std::string growing_name;
    int64_t growing_size = 0;
  };

  // What the owner file says.
  struct Owner {
    std::string query;        // Empty if the file is missing or damaged.
    bool has_index = false;   // _braid_batches is there, unless it was lost.
    bool is_damaged = false;  // Or was never finished.
  };

  Status TakeBack();
  Status ClaimFolder(const std::vector<std::string>& names);
  // Why a folder that is not this query's is not claimed.
  Error RefuseFolder(const Owner& owner, const std::vector<std::string>& names) const;
  Status TakeOver(const std::vector<std::string>& names);
  Result<Owner> ReadOwner(const std::vector<std::string>& names);
  // Fails with kConflict if another query took the folder since it was opened.
  Status CheckStillOwned();
  // A run that keeps nothing and has published nothing gives the folder back.
  Status ReleaseFolder();
  std::string OwnerText(bool has_index) const;
  Status WriteOwner(const std::string& path, FileOperations::Create create);
  Status CreateOwner();
  Status ReplaceOwner();
  // False if there is no index. kCorruption also if it was lost.
  Result<bool> LoadIndex(const std::vector<std::string>& names);
  // Loads the index, or begins it if the options ask for one.
  Status OpenIndex(const std::vector<std::string>& names);
  Status RemoveTemporaries(const std::vector<std::string>& names);
  // Leaves nothing of this batch or a later one in the folder.
  Status RemoveBatchesFrom(int64_t first_batch);
  // Chooses the files that take further batches.
  void FindGrowingFiles(const std::vector<std::string>& names);
  // Closes and removes the files of a batch that is not published.
  Status DropRunningBatch();
  Status BeginRows(PartitionFile* file);
  Status OpenTemporary(int partition, PartitionFile* file);
  Status Flush(int partition, PartitionFile* file);
  // All bytes of the batch are where a crash cannot take them, under names that no reader reads.
  Status FinishTemporary(int partition, PartitionFile* file);
  Status NotePieces();
  Status PublishFile(int partition, PartitionFile* file, bool* new_name);
  Status AppendToGrowing(PartitionFile* file);
  Status AppendBytes(const PartitionFile& from, OutputFile* to);
  std::string NewName(int partition) const;
  std::string PathOf(std::string_view name) const;

  Options options_;
  std::unique_ptr<RowEncoder> encoder_;
  std::shared_ptr<FileOperations> operations_;
  SinkContext context_;
  std::unique_ptr<BatchIndex> index_;  // Null until Open.
  bool owns_folder_ = false;
  bool owner_has_index_ = false;  // As Owner::has_index, of the file as it is or is written next.
  bool has_published_ = false;
  int64_t batch_ = -1;       // The running batch.
  int64_t clean_from_ = -1;  // No file of this batch or a later one is left; -1: not known.
  std::vector<PartitionFile> partitions_;
};

}  // namespace braid
