#include "engine/connectors/file_sink.h"

#include <fmt/format.h>
// Compiled in, not linked.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/connectors/file_location.h"

namespace braid {

namespace {

constexpr std::string_view kOwnerName = "_braid_owner";
constexpr std::string_view kOwnerTemporaryName = "._braid_owner.tmp";
constexpr const char* kIndexField = "index";  // Of an owner.
constexpr std::string_view kFilePrefix = "part-";
constexpr std::string_view kTemporaryPrefix = ".part-";
constexpr std::string_view kTemporarySuffix = ".tmp";

std::string FileName(int64_t batch, int partition, std::string_view extension) {
  return fmt::format("{}{:08d}-{:03d}.{}", kFilePrefix, batch, partition, extension);
}

bool IsTemporary(std::string_view name) {
  return (name.starts_with(kTemporaryPrefix) && name.ends_with(kTemporarySuffix)) ||
         name == kOwnerTemporaryName || name == kBatchIndexTemporaryName;
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

// NOLINTNEXTLINE(bugprone-exception-escape): nothing but a bug throws, and that ends the program.
FileSink::~FileSink() { static_cast<void>(Close()); }

std::string FileSink::description() const { return fmt::format("FileSink[{}]", options_.path); }

std::string FileSink::location() const { return Location(options_.path); }

std::string FileSink::PathOf(std::string_view name) const {
  return fmt::format("{}/{}", options_.path, name);
}

Status FileSink::Open(const SinkContext& context) {
  context_ = context;
  partitions_.resize(static_cast<size_t>(context.num_partitions));
  Status created = operations_->CreateDirectories(options_.path, /*durable=*/false);
  if (!created) return created;
  Result<std::vector<std::string>> names = operations_->List(options_.path);
  if (!names) return tl::unexpected(std::move(names.error()));
  if (Status claimed = ClaimFolder(*names); !claimed) return claimed;
  owns_folder_ = true;
  if (Status removed = RemoveTemporaries(*names); !removed) return removed;
  if (Status opened = OpenIndex(*names); !opened) return opened;
  if (!context.durable) return {};
  // Not only when the first batch begins: behind a rollback none may follow.
  if (Status removed = RemoveBatchesFrom(context.first_batch); !removed) return removed;
  clean_from_ = context.first_batch;
  return {};
}

Status FileSink::TakeBackFormer(const std::string& folder, const SinkContext& context,
                                std::shared_ptr<FileOperations> operations) {
  Options options;
  options.path = folder;
  FileSink sink(std::move(options), nullptr, std::move(operations));
  sink.context_ = context;
  return sink.TakeBack();
}

bool FileSink::IsOutputOf(const std::string& folder, const std::string& query_id) {
  Options options;
  options.path = folder;
  FileSink sink(std::move(options), nullptr, NewPosixFileOperations("sink"));
  const Result<Owner> owner = sink.ReadOwner({std::string(kOwnerName)});
  return owner && owner->query == query_id;
}

Status FileSink::TakeBack() {
  const Result<std::vector<std::string>> names = operations_->List(options_.path);
  if (!names && names.error().code == ErrorCode::kNotFound) return {};
  if (!names) return tl::unexpected(names.error());
  const Result<Owner> owner = ReadOwner(*names);
  if (!owner) return tl::unexpected(owner.error());
  if (owner->query == context_.query_id) {
    owner_has_index_ = owner->has_index;
    const Result<bool> loaded = LoadIndex(*names);
    if (!loaded) return tl::unexpected(loaded.error());
    return RemoveBatchesFrom(context_.first_batch);
  }
  const bool may_have_some =
      owner->query.empty() && std::any_of(names->begin(), names->end(), [&](const auto& name) {
        return name == kBatchIndexName || BatchOfOutputFile(name) >= context_.first_batch;
      });
  if (!may_have_some) return {};
  return Fail(
      ErrorCode::kConflict,
      fmt::format("the folder '{}', which this query wrote to before, may hold batches that "
                  "were given up by a rollback, and the file '{}', which says whose they "
                  "are, is {}; put it back ({})",
                  options_.path, PathOf(kOwnerName), owner->is_damaged ? "damaged" : "missing",
                  OwnerText(std::binary_search(names->begin(), names->end(), kBatchIndexName))));
}

Result<bool> FileSink::LoadIndex(const std::vector<std::string>& names) {
  BatchIndex::Options options;
  options.folder = options_.path;
  options.retained_batches = context_.retained_batches;
  options.first_batch = context_.first_batch;
  options.full_size = options_.file_size_min;
  options.durable = context_.durable;
  index_ = std::make_unique<BatchIndex>(std::move(options), operations_);
  Result<bool> loaded = context_.durable ? index_->Load() : Result<bool>(false);
  if (!loaded) return loaded;
  const bool has_files = std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    const int64_t batch = BatchOfOutputFile(name);
    return batch >= 0 && batch < context_.first_batch;
  });
  if (!*loaded && owner_has_index_ && has_files) {
    return Fail(ErrorCode::kCorruption,
                fmt::format("'{}', which says where batches begin in the files beside it, is "
                            "missing: put it back, or begin again with a new checkpoint and "
                            "another 'path'",
                            PathOf(kBatchIndexName)));
  }
  return loaded;
}

// The index is there before the owner says so, and the owner says so before a batch is in it.
Status FileSink::OpenIndex(const std::vector<std::string>& names) {
  const Result<bool> loaded = LoadIndex(names);
  if (!loaded) return tl::unexpected(loaded.error());
  const bool is_wanted = options_.file_size_min > 0 || (owner_has_index_ && context_.durable);
  if (!*loaded && !is_wanted) return {};
  if (!*loaded) {
    if (Status begun = index_->Begin(); !begun) return begun;
  }
  if (context_.durable && !owner_has_index_) {
    owner_has_index_ = true;
    if (Status noted = ReplaceOwner(); !noted) return noted;
  }
  std::string layout = options_.layout + '\n';
  encoder_->AppendHeader(&layout);
  return index_->SetLayout(XXH64(layout.data(), layout.size(), 0));
}

Result<FileSink::Owner> FileSink::ReadOwner(const std::vector<std::string>& names) {
  Owner owner;
  if (!std::binary_search(names.begin(), names.end(), kOwnerName)) return owner;
  const Result<std::string> text = operations_->ReadAll(PathOf(kOwnerName));
  if (!text) return tl::unexpected(text.error());
  const nlohmann::json object = nlohmann::json::parse(*text, nullptr, false);
  const auto query = object.find("query");
  owner.is_damaged = !object.is_object() || query == object.end() || !query->is_string() ||
                     query->get_ref<const std::string&>().empty();
  if (owner.is_damaged) return owner;
  owner.query = query->get<std::string>();
  owner.has_index = object.contains(kIndexField);
  return owner;
}

Status FileSink::CheckStillOwned() {
  const Result<Owner> owner = ReadOwner({std::string(kOwnerName)});
  if (!owner && owner.error().code != ErrorCode::kNotFound) return tl::unexpected(owner.error());
  if (owner && owner->query == context_.query_id) return {};
  owns_folder_ = false;
  return Fail(ErrorCode::kConflict,
              !owner || owner->query.empty()
                  ? fmt::format("the file '{}' was {} while this query ran; put it back ({}) and "
                                "start again",
                                PathOf(kOwnerName), owner ? "damaged" : "removed",
                                OwnerText(owner_has_index_))
                  : fmt::format("the folder '{}' was taken over by the query {} while this one ran",
                                options_.path, owner->query));
}

Status FileSink::ReleaseFolder() {
  if (!owns_folder_ || has_published_ || context_.durable) return {};
  if (Status owned = CheckStillOwned(); !owned) return owned;
  owns_folder_ = false;
  return operations_->Remove(PathOf(kOwnerName));
}

Status FileSink::ClaimFolder(const std::vector<std::string>& names) {
  const Result<Owner> owner = ReadOwner(names);
  if (!owner) return tl::unexpected(owner.error());
  if (owner->query == context_.query_id) {
    owner_has_index_ = owner->has_index;
    // An attempt that was killed may have left an owner that a loss of power would take away.
    return context_.durable && context_.first_batch == 0 ? ReplaceOwner() : Status();
  }
  // Hidden files (.gitkeep) and an owner file that a crash left unfinished make no content.
  const bool empty = std::all_of(names.begin(), names.end(), [](std::string_view name) {
    return name.starts_with('.') || name == kOwnerName;
  });
  if (owner->query.empty() && empty) return owner->is_damaged ? ReplaceOwner() : CreateOwner();
  if (options_.overwrite && context_.first_batch == 0) return TakeOver(names);
  return tl::unexpected(RefuseFolder(*owner, names));
}

Error FileSink::RefuseFolder(const Owner& owner, const std::vector<std::string>& names) const {
  const auto refusal = [](std::string message) {
    return Error{ErrorCode::kConflict, std::move(message), {}};
  };
  if (context_.first_batch > 0 && owner.query.empty()) {
    const bool has_index = options_.file_size_min > 0 ||
                           std::binary_search(names.begin(), names.end(), kBatchIndexName);
    return refusal(fmt::format(
        "the file '{}', which says that this query writes the folder, is {}; put it back ({}), or "
        "begin again with a new checkpoint and another 'path'",
        PathOf(kOwnerName), owner.is_damaged ? "damaged" : "missing", OwnerText(has_index)));
  }
  if (options_.overwrite && context_.first_batch > 0) {
    return refusal(fmt::format(
        "the folder '{}' was taken over by the query {}; this query has written {} batches into "
        "it, which are gone",
        options_.path, owner.query, context_.first_batch));
  }
  const bool is_begun = context_.first_batch > 0;
  const std::string_view advice =
      is_begun ? "choose another 'path'"
               : "choose another 'path', or set 'sink.existing' = 'overwrite' to "
                 "replace the output of the earlier run";
  if (owner.is_damaged) {
    return refusal(
        fmt::format("the file '{}', which says who writes the folder, is damaged; put "
                    "it back as it was, {}",
                    PathOf(kOwnerName), advice));
  }
  return refusal(
      owner.query.empty()
          ? fmt::format("the folder '{}' is not empty and was not written by this query; {}",
                        options_.path, advice)
          : fmt::format("the folder '{}' holds the output of another run (query {}); {}{}",
                        options_.path, owner.query,
                        is_begun ? "" : "to go on with that one, give its checkpoint; else ",
                        advice));
}

// The owner is replaced last: a crash before leaves a folder that can be taken over again.
Status FileSink::TakeOver(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (BatchOfOutputFile(name) < 0) continue;
    if (Status removed = operations_->Remove(PathOf(name)); !removed) return removed;
  }
  if (Status removed = operations_->Remove(PathOf(kBatchIndexName)); !removed) return removed;
  return ReplaceOwner();
}

std::string FileSink::OwnerText(bool has_index) const {
  nlohmann::ordered_json owner = {{"format", "braid output 1"}, {"query", context_.query_id}};
  if (has_index) owner[kIndexField] = kBatchIndexName;
  return owner.dump();
}

Status FileSink::WriteOwner(const std::string& path, FileOperations::Create create) {
  // The folder is safe before it has an owner: who finds it owned need not see to it again.
  if (context_.durable) {
    Status safe = operations_->CreateDirectories(options_.path, /*durable=*/true);
    if (!safe) return safe;
  }
  Result<std::unique_ptr<OutputFile>> file = operations_->NewFile(path, create);
  if (!file) return tl::unexpected(std::move(file.error()));
  Status status = (*file)->Append(OwnerText(owner_has_index_) + "\n");
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
  Result<std::vector<std::string>> names = operations_->List(options_.path);
  if (!names) return tl::unexpected(std::move(names.error()));
  for (const std::string& name : *names) {
    if (BatchOfOutputFile(name) < first_batch) continue;
    if (Status removed = operations_->Remove(PathOf(name)); !removed) return removed;
  }
  // Also where nothing was there to remove: an attempt that was killed may have removed it already.
  if (context_.durable) {
    if (Status synced = operations_->SyncDirectory(options_.path); !synced) return synced;
  }
  if (Status cut = index_->CutFrom(first_batch); !cut) return cut;
  std::erase_if(*names, [&](const auto& name) { return BatchOfOutputFile(name) >= first_batch; });
  for (const std::string& name : *names) {
    Status known = index_->CheckKnown(name, BatchOfOutputFile(name));
    if (!known) return known;
  }
  FindGrowingFiles(*names);
  return {};
}

void FileSink::FindGrowingFiles(const std::vector<std::string>& names) {
  for (PartitionFile& partition : partitions_) partition.growing_name.clear();
  if (options_.file_size_min == 0) return;
  // Names are sorted by their batches but for those of very long numbers, and one file grows.
  for (const std::string& name : names) {
    const int64_t batch = BatchOfOutputFile(name);
    const bool fits = batch >= index_->layout_since() && name.ends_with(options_.extension);
    if (batch < 0 || !fits) continue;
    std::string_view digits = std::string_view(name).substr(name.rfind('-') + 1);
    const size_t partition = static_cast<size_t>(TakeNumber(&digits, 3));
    const std::optional<int64_t> end = index_->EndOfGrowing(name);
    if (!end || partition >= partitions_.size()) continue;
    partitions_[partition].growing_name = name;
    partitions_[partition].growing_size = *end;
  }
}

Status FileSink::DropRunningBatch() {
  Status status;
  for (PartitionFile& partition : partitions_) {
    partition.file.reset();
    partition.buffer.clear();
    partition.has_rows = false;
    if (partition.temporary_path.empty()) continue;
    Status removed = operations_->Remove(partition.temporary_path);
    if (!removed && status) status = std::move(removed);
    partition.temporary_path.clear();
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

std::string FileSink::NewName(int partition) const {
  return FileName(batch_, partition, options_.extension);
}

Status FileSink::BeginRows(PartitionFile* file) {
  file->has_rows = true;
  file->num_bytes = 0;
  file->buffer.clear();
  if (!file->growing_name.empty()) {
    const Result<int64_t> size = operations_->SizeOf(PathOf(file->growing_name));
    if (size) return {};
    if (size.error().code != ErrorCode::kNotFound) return tl::unexpected(size.error());
    file->growing_name.clear();  // Somebody took it away: the rows go on in a new one.
  }
  encoder_->AppendHeader(&file->buffer);
  file->num_bytes = std::ssize(file->buffer);
  return {};
}

Status FileSink::OpenTemporary(int partition, PartitionFile* file) {
  file->temporary_path = PathOf(fmt::format(".{}{}", NewName(partition), kTemporarySuffix));
  Result<std::unique_ptr<OutputFile>> opened =
      operations_->NewFile(file->temporary_path, FileOperations::Create::kTruncate);
  if (!opened) return tl::unexpected(std::move(opened.error()));
  file->file = std::move(*opened);
  return {};
}

Status FileSink::Write(int partition, const RowBatch& rows) {
  if (rows.num_rows() == 0) return {};
  PartitionFile& file = partitions_[static_cast<size_t>(partition)];
  if (!file.has_rows) {
    if (Status begun = BeginRows(&file); !begun) return begun;
  }
  const size_t before = file.buffer.size();
  if (Status encoded = encoder_->Encode(rows, &file.buffer); !encoded) return encoded;
  file.num_bytes += static_cast<int64_t>(file.buffer.size() - before);
  return file.buffer.size() < kBufferBytes ? Status() : Flush(partition, &file);
}

Status FileSink::Flush(int partition, PartitionFile* file) {
  if (file->file == nullptr) {
    if (Status opened = OpenTemporary(partition, file); !opened) return opened;
  }
  Status appended = file->file->Append(file->buffer);
  file->buffer.clear();
  return appended;
}

// What is appended to a file that grows is read back before, from memory if it is little: only a
// file that gets its own name needs to be whole and safe now.
Status FileSink::FinishTemporary(int partition, PartitionFile* file) {
  const bool grows = !file->growing_name.empty();
  if (!file->has_rows || (grows && file->temporary_path.empty())) return {};
  Status status = Flush(partition, file);
  if (status && context_.durable && !grows) status = file->file->Sync();
  if (status) status = file->file->Close();
  if (status) file->file.reset();
  return status;
}

Status FileSink::NotePieces() {
  if (!index_->is_kept()) return {};
  BatchLine line;
  line.batch = batch_;
  for (size_t partition = 0; partition < partitions_.size(); ++partition) {
    const PartitionFile& file = partitions_[partition];
    if (!file.has_rows) continue;
    if (file.growing_name.empty()) {
      line.pieces.push_back({NewName(static_cast<int>(partition)), 0, file.num_bytes});
    } else {
      const int64_t begin = file.growing_size;
      line.pieces.push_back({file.growing_name, begin, begin + file.num_bytes});
    }
  }
  return index_->Add(std::move(line));
}

Status FileSink::AppendBytes(const PartitionFile& from, OutputFile* to) {
  if (from.temporary_path.empty()) return to->Append(from.buffer);
  constexpr int64_t kBlockBytes = static_cast<int64_t>(kBufferBytes);
  for (int64_t begin = 0; begin < from.num_bytes; begin += kBlockBytes) {
    const Result<std::string> block =
        operations_->ReadRange(from.temporary_path, begin, kBlockBytes);
    if (!block) return tl::unexpected(block.error());
    if (Status appended = to->Append(*block); !appended) return appended;
  }
  return {};
}

Status FileSink::AppendToGrowing(PartitionFile* file) {
  const std::string path = PathOf(file->growing_name);
  const Result<int64_t> size = operations_->SizeOf(path);
  if (!size || *size != file->growing_size) {
    return Fail(ErrorCode::kConflict,
                fmt::format("the output file '{}' was changed or removed while this query was "
                            "about to append to it",
                            path));
  }
  Result<std::unique_ptr<OutputFile>> grown = operations_->OpenToAppend(path, file->growing_size);
  if (!grown) return tl::unexpected(std::move(grown.error()));
  Status status = AppendBytes(*file, grown->get());
  if (status && context_.durable) status = (*grown)->Sync();
  if (status) status = (*grown)->Close();
  if (!status) {
    // Readers need not see half a batch until the next run takes it out.
    static_cast<void>(operations_->OpenToAppend(path, file->growing_size));
    return status;
  }
  if (file->temporary_path.empty()) return {};
  status = operations_->Remove(file->temporary_path);
  file->temporary_path.clear();
  return status;
}

Status FileSink::PublishFile(int partition, PartitionFile* file, bool* new_name) {
  if (!file->growing_name.empty()) {
    if (Status appended = AppendToGrowing(file); !appended) return appended;
    file->growing_size += file->num_bytes;
  } else {
    const std::string name = NewName(partition);
    Status renamed = operations_->Rename(file->temporary_path, PathOf(name));
    if (!renamed) return renamed;
    *new_name = true;
    file->temporary_path.clear();
    file->growing_name = name;
    file->growing_size = file->num_bytes;
  }
  file->has_rows = false;
  file->buffer.clear();
  if (file->growing_size >= options_.file_size_min) file->growing_name.clear();
  return {};
}

Status FileSink::PublishBatch(int64_t batch_id) {
  // All bytes are safe before the first name appears, so that a crash between the names leaves
  // whole files.
  const int num_partitions = static_cast<int>(partitions_.size());
  bool any = false;
  for (int partition = 0; partition < num_partitions; ++partition) {
    PartitionFile& file = partitions_[static_cast<size_t>(partition)];
    if (Status finished = FinishTemporary(partition, &file); !finished) return finished;
    any = any || file.has_rows;
  }
  if (any) {
    if (Status owned = CheckStillOwned(); !owned) return owned;
    if (Status noted = NotePieces(); !noted) return noted;
    has_published_ = true;
    clean_from_ = -1;  // Until all is published, the batch may be there in part.
  }
  bool new_name = false;
  for (int partition = 0; partition < num_partitions; ++partition) {
    PartitionFile& file = partitions_[static_cast<size_t>(partition)];
    if (!file.has_rows) continue;
    if (Status published = PublishFile(partition, &file, &new_name); !published) return published;
  }
  clean_from_ = batch_id + 1;
  return new_name && context_.durable ? operations_->SyncDirectory(options_.path) : Status();
}

Status FileSink::Close() {
  Status dropped = DropRunningBatch();
  Status released = ReleaseFolder();
  return dropped ? released : dropped;
}

}  // namespace braid
