#include "engine/connectors/file_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/connectors/file_location.h"

namespace braid {

namespace {

constexpr std::string_view kOwnerName = "_braid_owner";
constexpr std::string_view kOwnerTemporaryName = "._braid_owner.tmp";
constexpr std::string_view kFilePrefix = "part-";
constexpr std::string_view kTemporaryPrefix = ".part-";
constexpr std::string_view kTemporarySuffix = ".tmp";

std::string FileName(int64_t batch, int partition, std::string_view extension) {
  return fmt::format("{}{:08d}-{:03d}.{}", kFilePrefix, batch, partition, extension);
}

bool IsTemporary(std::string_view name) {
  return (name.starts_with(kTemporaryPrefix) && name.ends_with(kTemporarySuffix)) ||
         name == kOwnerTemporaryName;
}

// Reads digits at the front of *text and removes them; -1 if there are fewer than `digits_min`.
int64_t TakeNumber(std::string_view* text, size_t digits_min) {
  int64_t number = -1;
  const auto [end, failure] = std::from_chars(text->data(), text->data() + text->size(), number);
  const size_t digits = static_cast<size_t>(end - text->data());
  if (failure != std::errc() || digits < digits_min || text->front() == '-') return -1;
  text->remove_prefix(digits);
  return number;
}

}  // namespace

int64_t BatchOfOutputFile(std::string_view name) {
  if (!name.starts_with(kFilePrefix)) return -1;
  name.remove_prefix(kFilePrefix.size());
  const int64_t batch = TakeNumber(&name, 8);
  if (batch < 0 || !name.starts_with('-')) return -1;
  name.remove_prefix(1);
  if (TakeNumber(&name, 3) < 0) return -1;
  return name == ".csv" || name == ".json" ? batch : -1;
}

FileSink::FileSink(Options options, std::unique_ptr<RowEncoder> encoder,
                   std::shared_ptr<FileOperations> operations)
    : options_(std::move(options)),
      encoder_(std::move(encoder)),
      operations_(std::move(operations)) {}

FileSink::~FileSink() { static_cast<void>(Close()); }

std::string FileSink::description() const { return fmt::format("FileSink[{}]", options_.path); }

std::string FileSink::location() const { return Location(options_.path); }

std::string FileSink::PathOf(std::string_view name) const {
  return fmt::format("{}/{}", options_.path, name);
}

Status FileSink::Open(const SinkContext& context) {
  context_ = context;
  partitions_.resize(static_cast<size_t>(context.num_partitions));
  if (Status created = operations_->CreateDirectories(options_.path); !created) return created;
  Result<std::vector<std::string>> names = operations_->List(options_.path);
  if (!names) return tl::unexpected(std::move(names.error()));
  if (Status claimed = ClaimFolder(*names); !claimed) return claimed;
  owns_folder_ = true;
  return RemoveTemporaries(*names);
}

Result<std::string> FileSink::ReadOwner(const std::vector<std::string>& names) {
  if (!std::binary_search(names.begin(), names.end(), kOwnerName)) return std::string();
  Result<std::string> text = operations_->ReadAll(PathOf(kOwnerName));
  if (!text) return text;
  const nlohmann::json owner = nlohmann::json::parse(*text, nullptr, false);
  if (!owner.is_object()) return std::string();
  const auto query = owner.find("query");
  if (query == owner.end() || !query->is_string()) return std::string();
  return query->get<std::string>();
}

Status FileSink::CheckStillOwned() {
  const Result<std::string> owner = ReadOwner({std::string(kOwnerName)});
  if (!owner && owner.error().code != ErrorCode::kNotFound) return tl::unexpected(owner.error());
  if (owner && *owner == context_.query_id) return {};
  owns_folder_ = false;
  return Fail(ErrorCode::kConflict,
              !owner || owner->empty()
                  ? fmt::format("the file {} of the folder '{}' was removed while this query ran",
                                kOwnerName, options_.path)
                  : fmt::format("the folder '{}' was taken over by the query {} while this one ran",
                                options_.path, *owner));
}

Status FileSink::ReleaseFolder() {
  if (!owns_folder_ || has_published_ || context_.durable) return {};
  if (Status owned = CheckStillOwned(); !owned) return owned;
  owns_folder_ = false;
  return operations_->Remove(PathOf(kOwnerName));
}

Status FileSink::ClaimFolder(const std::vector<std::string>& names) {
  const Result<std::string> owner = ReadOwner(names);
  if (!owner) return tl::unexpected(owner.error());
  if (*owner == context_.query_id) return {};
  // Hidden files (.gitkeep) and an owner file that a crash left unfinished make no content.
  const bool empty = std::all_of(names.begin(), names.end(), [](std::string_view name) {
    return name.starts_with('.') || name == kOwnerName;
  });
  if (owner->empty() && empty) {
    const bool unfinished = std::binary_search(names.begin(), names.end(), kOwnerName);
    return unfinished ? ReplaceOwner() : CreateOwner();
  }
  if (options_.overwrite && context_.first_batch == 0) return TakeOver(names);
  if (options_.overwrite) {
    return Fail(ErrorCode::kConflict,
                fmt::format("the folder '{}' was taken over by the query {}; this query has "
                            "written {} batches into it, which are gone",
                            options_.path, *owner, context_.first_batch));
  }
  constexpr std::string_view kAdvice =
      "choose another 'path', or set 'sink.existing' = 'overwrite' to replace the output of the "
      "earlier run";
  return Fail(
      ErrorCode::kConflict,
      owner->empty()
          ? fmt::format("the folder '{}' is not empty and was not written by this query; {}",
                        options_.path, kAdvice)
          : fmt::format("the folder '{}' holds the output of another run (query {}); {}",
                        options_.path, *owner, kAdvice));
}

// The owner is replaced last: a crash before leaves a folder that can be taken over again.
Status FileSink::TakeOver(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (BatchOfOutputFile(name) < 0) continue;
    if (Status removed = operations_->Remove(PathOf(name)); !removed) return removed;
  }
  return ReplaceOwner();
}

Status FileSink::WriteOwner(const std::string& path, FileOperations::Create create) {
  Result<std::unique_ptr<OutputFile>> file = operations_->NewFile(path, create);
  if (!file) return tl::unexpected(std::move(file.error()));
  const nlohmann::ordered_json owner = {{"format", "braid output 1"}, {"query", context_.query_id}};
  Status status = (*file)->Append(owner.dump() + "\n");
  if (status && context_.durable) status = (*file)->Sync();
  if (status) status = (*file)->Close();
  return status;
}

// Of two queries that find the folder empty at the same time, one creates the file.
Status FileSink::CreateOwner() {
  Status status = WriteOwner(PathOf(kOwnerName), FileOperations::Create::kExclusive);
  if (!status && status.error().code == ErrorCode::kConflict) {
    return Fail(
        ErrorCode::kConflict,
        fmt::format("another query has just begun to write into the folder '{}'", options_.path));
  }
  return status && context_.durable ? operations_->SyncDirectory(options_.path) : status;
}

Status FileSink::ReplaceOwner() {
  const std::string temporary = PathOf(kOwnerTemporaryName);
  Status status = WriteOwner(temporary, FileOperations::Create::kTruncate);
  if (status) status = operations_->Rename(temporary, PathOf(kOwnerName));
  return status && context_.durable ? operations_->SyncDirectory(options_.path) : status;
}

Status FileSink::RemoveTemporaries(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!IsTemporary(name)) continue;
    if (Status removed = operations_->Remove(PathOf(name)); !removed) return removed;
  }
  return {};
}

Status FileSink::RemoveBatchesFrom(int64_t first_batch) {
  const Result<std::vector<std::string>> names = operations_->List(options_.path);
  if (!names) return tl::unexpected(names.error());
  bool any = false;
  for (const std::string& name : *names) {
    if (BatchOfOutputFile(name) < first_batch) continue;
    if (Status removed = operations_->Remove(PathOf(name)); !removed) return removed;
    any = true;
  }
  return any && context_.durable ? operations_->SyncDirectory(options_.path) : Status();
}

Status FileSink::DropRunningBatch() {
  Status status;
  for (PartitionFile& partition : partitions_) {
    if (partition.temporary_path.empty()) continue;
    partition.file.reset();
    Status removed = operations_->Remove(partition.temporary_path);
    if (!removed && status) status = std::move(removed);
    partition.temporary_path.clear();
    partition.buffer.clear();
  }
  return status;
}

Status FileSink::BeginBatch(int64_t batch_id) {
  if (Status dropped = DropRunningBatch(); !dropped) return dropped;
  if (clean_from_ < 0 || batch_id < clean_from_) {
    if (Status removed = RemoveBatchesFrom(batch_id); !removed) return removed;
    clean_from_ = batch_id;
  }
  batch_ = batch_id;
  return {};
}

Status FileSink::OpenFile(int partition, PartitionFile* file) {
  const std::string name = FileName(batch_, partition, options_.extension);
  file->final_path = PathOf(name);
  file->temporary_path = PathOf(fmt::format(".{}{}", name, kTemporarySuffix));
  Result<std::unique_ptr<OutputFile>> opened =
      operations_->NewFile(file->temporary_path, FileOperations::Create::kTruncate);
  if (!opened) return tl::unexpected(std::move(opened.error()));
  file->file = std::move(*opened);
  file->buffer.clear();
  encoder_->AppendHeader(&file->buffer);
  return {};
}

Status FileSink::Write(int partition, const RowBatch& rows) {
  if (rows.num_rows() == 0) return {};
  PartitionFile& file = partitions_[static_cast<size_t>(partition)];
  if (file.file == nullptr) {
    if (Status opened = OpenFile(partition, &file); !opened) return opened;
  }
  if (Status encoded = encoder_->Encode(rows, &file.buffer); !encoded) return encoded;
  return file.buffer.size() < kBufferBytes ? Status() : Flush(&file);
}

Status FileSink::Flush(PartitionFile* file) {
  Status appended = file->file->Append(file->buffer);
  file->buffer.clear();
  return appended;
}

Status FileSink::PublishBatch(int64_t batch_id) {
  // All bytes are safe before the first name appears, so that a crash between the names leaves
  // whole files.
  for (PartitionFile& partition : partitions_) {
    if (partition.file == nullptr) continue;
    Status status = Flush(&partition);
    if (status && context_.durable) status = partition.file->Sync();
    if (status) status = partition.file->Close();
    if (!status) return status;
    partition.file.reset();
  }
  const bool any = std::any_of(partitions_.begin(), partitions_.end(), [](const auto& partition) {
    return !partition.temporary_path.empty();
  });
  if (any) {
    if (Status owned = CheckStillOwned(); !owned) return owned;
    has_published_ = true;
  }
  for (PartitionFile& partition : partitions_) {
    if (partition.temporary_path.empty()) continue;
    Status renamed = operations_->Rename(partition.temporary_path, partition.final_path);
    if (!renamed) return renamed;
    partition.temporary_path.clear();
  }
  clean_from_ = batch_id + 1;
  return any && context_.durable ? operations_->SyncDirectory(options_.path) : Status();
}

Status FileSink::Close() {
  Status dropped = DropRunningBatch();
  Status released = ReleaseFolder();
  return dropped ? released : dropped;
}

}  // namespace braid
