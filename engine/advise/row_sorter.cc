#include "engine/advise/row_sorter.h"

#include <algorithm>

namespace braid {

namespace {

constexpr int64_t kMemoryBytesMin = 64 << 10;
constexpr int64_t kRowBytes = sizeof(KeyedRow);
// A block that stays in the cache while it is sorted.
constexpr int64_t kBlockRowsMax = 1 << 15;
constexpr int64_t kReadBytesMax = 1 << 20;

int64_t BlockRows(int64_t memory_bytes_max) {
  // An eighth is kept for writing runs.
  return std::clamp(memory_bytes_max / 8 / kRowBytes, int64_t{1}, kBlockRowsMax);
}

}  // namespace

RowSorter::RowSorter(int64_t memory_bytes_max)
    : memory_bytes_max_(std::max(memory_bytes_max, kMemoryBytesMin)),
      block_rows_(static_cast<size_t>(BlockRows(memory_bytes_max_))),
      blocks_max_(
          static_cast<size_t>(memory_bytes_max_ / (BlockRows(memory_bytes_max_) * kRowBytes)) - 1) {
}

void RowSorter::CountMemory(int64_t change) {
  memory_bytes_ += change;
  memory_bytes_peak_ = std::max(memory_bytes_peak_, memory_bytes_);
}

void RowSorter::SealBlock() {
  if (block_ == nullptr) return;
  std::sort(block_->begin(), block_->end(),
            [](const KeyedRow& left, const KeyedRow& right) { return left.IsBefore(right); });
  block_ = nullptr;
}

Status RowSorter::BeginBlock() {
  SealBlock();
  if (num_blocks_ == blocks_max_) {
    if (Status spilled = Spill(); !spilled) return spilled;
  }
  if (num_blocks_ == blocks_.size()) {
    blocks_.push_back(std::make_unique<Block>());
    blocks_.back()->reserve(block_rows_);
    CountMemory(static_cast<int64_t>(block_rows_) * kRowBytes);
  }
  block_ = blocks_[num_blocks_++].get();
  block_->clear();
  return {};
}

void RowSorter::OpenBlocks() {
  for (size_t index = 0; index < num_blocks_; ++index) {
    const Block& block = *blocks_[index];
    auto run = std::make_unique<Run>();
    run->next = block.data();
    run->end = block.data() + block.size();
    runs_.push_back(std::move(run));
  }
  StartHeap();
}

Status RowSorter::Spill() {
  if (num_blocks_ == 0) return {};
  if (!file_) {
    Result<SpillFile> file = SpillFile::Create();
    if (!file) return tl::unexpected(file.error());
    file_ = std::move(*file);
  }
  OpenBlocks();
  Block written;
  written.reserve(block_rows_);
  const int64_t written_bytes = static_cast<int64_t>(block_rows_) * kRowBytes;
  CountMemory(written_bytes);
  Status status;
  while (status && Peek() != nullptr) {
    written.push_back(*Peek());
    status = Pop();
    if (status && (written.size() == block_rows_ || Peek() == nullptr)) {
      status = file_->Append(written.data(), written.size() * sizeof(KeyedRow));
      written.clear();
    }
  }
  CountMemory(-written_bytes);
  run_ends_.push_back(file_->size());
  runs_.clear();
  heap_.clear();
  num_blocks_ = 0;
  return status;
}

Status RowSorter::Finish() {
  SealBlock();
  if (!file_) {
    OpenBlocks();
    return {};
  }
  if (Status spilled = Spill(); !spilled) return spilled;
  CountMemory(-static_cast<int64_t>(blocks_.size() * block_rows_) * kRowBytes);
  blocks_.clear();
  return OpenFileRuns();
}

Status RowSorter::OpenFileRuns() {
  const int64_t piece_bytes = std::clamp(memory_bytes_max_ / static_cast<int64_t>(run_ends_.size()),
                                         kReadBytesMin, kReadBytesMax);
  int64_t offset = 0;
  for (const int64_t end : run_ends_) {
    auto run = std::make_unique<Run>();
    run->offset = offset;
    run->unread_rows = (end - offset) / kRowBytes;
    run->piece.reserve(static_cast<size_t>(piece_bytes / kRowBytes));
    CountMemory(static_cast<int64_t>(run->piece.capacity()) * kRowBytes);
    if (Status filled = FillPiece(run.get()); !filled) return filled;
    runs_.push_back(std::move(run));
    offset = end;
  }
  StartHeap();
  return {};
}

Status RowSorter::FillPiece(Run* run) {
  const size_t num_rows = std::min(run->piece.capacity(), static_cast<size_t>(run->unread_rows));
  run->piece.resize(num_rows);
  const size_t size = num_rows * sizeof(KeyedRow);
  if (Status read = file_->Read(run->offset, run->piece.data(), size); !read) return read;
  run->offset += static_cast<int64_t>(size);
  run->unread_rows -= static_cast<int64_t>(num_rows);
  run->next = run->piece.data();
  run->end = run->next + num_rows;
  return {};
}

void RowSorter::StartHeap() {
  heap_.clear();
  for (const std::unique_ptr<Run>& run : runs_) {
    if (run->next != run->end) heap_.push_back(run.get());
  }
  for (size_t position = heap_.size() / 2; position-- > 0;) SiftDown(position);
}

void RowSorter::SiftDown(size_t position) {
  Run* const moved = heap_[position];
  while (true) {
    size_t child = 2 * position + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1]->next->IsBefore(*heap_[child]->next)) ++child;
    if (!heap_[child]->next->IsBefore(*moved->next)) break;
    heap_[position] = heap_[child];
    position = child;
  }
  heap_[position] = moved;
}

Status RowSorter::Pop() {
  Run* const run = heap_.front();
  ++run->next;
  if (run->next == run->end && run->unread_rows > 0) {
    if (Status filled = FillPiece(run); !filled) return filled;
  }
  if (run->next == run->end) {
    heap_.front() = heap_.back();
    heap_.pop_back();
  }
  if (!heap_.empty()) SiftDown(0);
  return {};
}

}  // namespace braid
