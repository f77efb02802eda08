#include "engine/advise/row_sorter.h"

#include <algorithm>
#include <bit>

#include "engine/advise/bucket_sort.h"

namespace braid {

namespace {

constexpr int64_t kMemoryBytesMin = 64 << 10;
constexpr int64_t kRowBytes = sizeof(KeyedRow);
// A block that stays in the cache while it is laid out.
constexpr int64_t kBlockRowsMax = 1 << 15;
constexpr int kBucketBitsMax = 10;
// Of the budget: the block that comes in, what a run is written from, and a bucket twice.
constexpr int64_t kBlockShare = 16;
constexpr int64_t kReadBytesMax = 1 << 20;

int64_t BlockRows(int64_t memory_bytes_max) {
  return std::min(memory_bytes_max / kBlockShare / kRowBytes, kBlockRowsMax);
}

// So many that a block has about 32 rows of a bucket.
int BucketBits(int64_t block_rows) {
  const int bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(block_rows))) - 6;
  return std::clamp(bits, 1, kBucketBitsMax);
}

int64_t BytesOf(size_t num_rows) { return static_cast<int64_t>(num_rows) * kRowBytes; }

}  // namespace

RowSorter::RowSorter(int64_t memory_bytes_max)
    : memory_bytes_max_(std::max(memory_bytes_max, kMemoryBytesMin)),
      block_rows_(static_cast<size_t>(BlockRows(memory_bytes_max_))),
      bucket_bits_(BucketBits(BlockRows(memory_bytes_max_))),
      bucket_rows_max_(static_cast<size_t>(memory_bytes_max_ / kBlockShare / kRowBytes)) {
  const int64_t block_bytes =
      BytesOf(block_rows_) + (int64_t{4} << bucket_bits_) + static_cast<int64_t>(sizeof(Block));
  // Two blocks' worth for incoming_ and the rows of a run that are written, two buckets.
  const int64_t apart = 2 * BytesOf(block_rows_) + 2 * BytesOf(bucket_rows_max_);
  blocks_max_ =
      static_cast<size_t>(std::max((memory_bytes_max_ - apart) / block_bytes, int64_t{1}));
  incoming_.reserve(block_rows_);
  CountMemory(BytesOf(block_rows_));
}

void RowSorter::CountMemory(int64_t change) {
  memory_bytes_ += change;
  memory_bytes_peak_ = std::max(memory_bytes_peak_, memory_bytes_);
}

Status RowSorter::StoreBlock() {
  if (incoming_.empty()) return {};
  if (num_blocks_ == blocks_max_) {
    if (Status spilled = Spill(); !spilled) return spilled;
  }
  if (num_blocks_ == blocks_.size()) {
    blocks_.emplace_back();
    blocks_.back().rows.reserve(block_rows_);
    CountMemory(BytesOf(block_rows_) + (int64_t{4} << bucket_bits_));
  }
  Block& block = blocks_[num_blocks_++];
  block.rows.resize(incoming_.size());
  ScatterToBuckets(incoming_, 0, bucket_bits_, block.rows, &block.ends);
  incoming_.clear();
  return {};
}

Status RowSorter::Finish() {
  if (Status stored = StoreBlock(); !stored) return stored;
  CountMemory(-BytesOf(block_rows_));
  incoming_ = {};
  if (!file_) {
    StartBuckets();
    return {};
  }
  if (Status spilled = Spill(); !spilled) return spilled;
  CountMemory(-static_cast<int64_t>(blocks_.size()) *
              (BytesOf(block_rows_) + (int64_t{4} << bucket_bits_)));
  blocks_ = {};
  return OpenFileRuns();
}

Status RowSorter::Spill() {
  if (!file_) {
    Result<SpillFile> file = SpillFile::Create();
    if (!file) return tl::unexpected(file.error());
    file_ = std::move(*file);
  }
  Rows written;
  written.reserve(block_rows_);
  CountMemory(BytesOf(block_rows_));
  Status status;
  StartBuckets();
  while (status && next_ != nullptr) {
    written.push_back(*next_);
    status = Pop();
    if (status && (written.size() == block_rows_ || next_ == nullptr)) {
      status = file_->Append(written.data(), written.size() * sizeof(KeyedRow));
      written.clear();
    }
  }
  CountMemory(-BytesOf(block_rows_));
  run_ends_.push_back(file_->size());
  num_blocks_ = 0;
  return status;
}

void RowSorter::StartBuckets() {
  bucket_ = 0;
  OpenBucket();
}

void RowSorter::OpenBucket() {
  const size_t num_buckets = size_t{1} << bucket_bits_;
  next_ = nullptr;
  end_ = nullptr;
  runs_.clear();
  heap_.clear();
  for (; next_ == end_ && bucket_ < num_buckets; ++bucket_) {
    size_t num_rows = 0;
    for (size_t index = 0; index < num_blocks_; ++index) {
      const std::vector<uint32_t>& ends = blocks_[index].ends;
      num_rows += ends[bucket_] - (bucket_ == 0 ? 0 : ends[bucket_ - 1]);
    }
    if (num_rows == 0) continue;
    if (num_rows <= bucket_rows_max_) {
      SortSmallBucket(num_rows);
    } else {
      OpenParts();
    }
  }
  if (next_ == end_) next_ = nullptr;
}

void RowSorter::SortSmallBucket(size_t num_rows) {
  const auto capacity_before = static_cast<int64_t>(gathered_.capacity() + sorted_.capacity());
  gathered_.clear();
  if (gathered_.capacity() < num_rows) gathered_.reserve(num_rows);
  if (sorted_.capacity() < num_rows) sorted_.reserve(num_rows);
  for (size_t index = 0; index < num_blocks_; ++index) {
    const Block& block = blocks_[index];
    const auto begin = block.rows.begin() + (bucket_ == 0 ? 0 : block.ends[bucket_ - 1]);
    gathered_.insert(gathered_.end(), begin, block.rows.begin() + block.ends[bucket_]);
  }
  sorted_.resize(num_rows);
  SortBucket(gathered_, bucket_bits_, sorted_, &ends_);
  CountMemory((static_cast<int64_t>(gathered_.capacity() + sorted_.capacity()) - capacity_before) *
              kRowBytes);
  next_ = sorted_.data();
  end_ = next_ + num_rows;
}

void RowSorter::OpenParts() {
  for (size_t index = 0; index < num_blocks_; ++index) {
    Block& block = blocks_[index];
    const auto begin = block.rows.begin() + (bucket_ == 0 ? 0 : block.ends[bucket_ - 1]);
    const auto end = block.rows.begin() + block.ends[bucket_];
    std::sort(begin, end,
              [](const KeyedRow& left, const KeyedRow& right) { return left.IsBefore(right); });
    auto run = std::make_unique<Run>();
    run->next = block.rows.data() + (begin - block.rows.begin());
    run->end = block.rows.data() + (end - block.rows.begin());
    runs_.push_back(std::move(run));
  }
  StartHeap();
}

Status RowSorter::OpenFileRuns() {
  merges_file_ = true;
  const int64_t piece_bytes = std::clamp(memory_bytes_max_ / static_cast<int64_t>(run_ends_.size()),
                                         kReadBytesMin, kReadBytesMax);
  CountMemory(-BytesOf(gathered_.capacity() + sorted_.capacity()));
  gathered_ = {};
  sorted_ = {};
  int64_t offset = 0;
  for (const int64_t end : run_ends_) {
    auto run = std::make_unique<Run>();
    run->offset = offset;
    run->unread_rows = (end - offset) / kRowBytes;
    run->piece.reserve(static_cast<size_t>(piece_bytes / kRowBytes));
    CountMemory(BytesOf(run->piece.capacity()));
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
  std::sort(heap_.begin(), heap_.end(),
            [](const Run* left, const Run* right) { return left->next->IsBefore(*right->next); });
  ShowFront();
}

void RowSorter::ShowFront() {
  if (heap_.empty()) {
    next_ = nullptr;
    end_ = nullptr;
    return;
  }
  // One row: then another run may come to the front.
  next_ = heap_.front()->next;
  end_ = next_ + 1;
}

void RowSorter::SiftDown() {
  Run* const moved = heap_.front();
  size_t position = 0;
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

Status RowSorter::Advance() {
  if (!heap_.empty()) {
    Run* const run = heap_.front();
    ++run->next;
    if (run->next == run->end && run->unread_rows > 0) {
      if (Status filled = FillPiece(run); !filled) return filled;
    }
    if (run->next == run->end) {
      heap_.front() = heap_.back();
      heap_.pop_back();
    }
    if (!heap_.empty()) SiftDown();
    ShowFront();
    if (!heap_.empty()) return {};
  }
  if (merges_file_) {
    next_ = nullptr;
  } else {
    OpenBucket();
  }
  return {};
}

}  // namespace braid
