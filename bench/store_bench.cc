// What making state durable costs.
//
//   store_bench [--runs=5] [--rows=2000000] [--load-rows=5000000]
//
// First table: where the bytes of chunks go. `leveldb`: chunks and all else in one LevelDB, one
// synced write a batch. `segments`: the bytes of chunks in a file a batch (written, synced, its
// folder synced), LevelDB has the small records, one synced write a batch. Rows as in the ad-click
// workload (peers W1): impressions wait 64 seconds of event time, a third as many clicks 4 seconds;
// chunks are deleted ten batches after they died. Runs of the two are interleaved; the table has
// medians. CPU is that of the whole process, compaction included; written bytes are those given to
// write(2).
//
// Second table: the versioned store itself with the same rows, three impressions in ten marked as
// matched; commit, and opening and reading the newest version.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "braid/column_builder.h"
#include "state/store/chunk_codec.h"
#include "state/store/leveldb_storage.h"
#include "state/versioned_store.h"

namespace braid {
namespace {

[[noreturn]] void Stop(const std::string& message) {
  fmt::print(stderr, "store_bench: {}\n", message);
  std::exit(1);
}

uint64_t Random(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

constexpr int64_t kRowsPerMillisecond = 10;
constexpr int64_t kMillisecond = 1'000;
constexpr int64_t kWaits[2] = {64'000 * kMillisecond, 4'000 * kMillisecond};

// Rows `begin` to `end` of one side of the workload.
StateRows MakeRows(int side, int64_t begin, int64_t end, uint64_t* random) {
  StateRows rows;
  rows.first_id = MakePersistentId(static_cast<uint32_t>(side), static_cast<uint64_t>(begin) + 1);
  rows.num_rows = end - begin;
  ColumnBuilder times(DataType::Timestamp(3));
  ColumnBuilder user(DataType::BigInt());
  ColumnBuilder campaign(DataType::BigInt());
  ColumnBuilder price(DataType::Double());
  for (int64_t row = begin; row < end; ++row) {
    const int64_t late = static_cast<int64_t>(Random(random) % 4'000);
    const int64_t arrival = side == 0 ? row / kRowsPerMillisecond : row / 3;
    times.Append((1'767'225'600'000 + arrival - late) * kMillisecond);
    rows.words.push_back((static_cast<uint64_t>(row) * 0x9e3779b97f4a7c15ULL) >> 24);
    user.Append(static_cast<int64_t>(Random(random) % 1'000'000));
    campaign.Append(static_cast<int64_t>(Random(random) % 1'000));
    price.Append(static_cast<double>(1 + Random(random) % 10'000) / 100.0);
  }
  rows.times = times.Finish();
  if (side == 0) rows.payload = {campaign.Finish(), price.Finish()};
  if (side == 1) rows.payload = {user.Finish()};
  return rows;
}

int64_t PayloadBytes(const StateRows& rows) {
  int64_t bytes = rows.num_rows * 8 + rows.times->byte_size();
  for (const Column& column : rows.payload) bytes += column.byte_size();
  return bytes;
}

// Where the records of a batch go.
class Target {
 public:
  virtual ~Target() = default;
  virtual void Put(std::string_view key, std::string_view record) = 0;
  virtual void Delete(std::string_view key, int64_t batch) = 0;
  virtual void EndBatch(int64_t batch) = 0;
};

class LevelDbTarget : public Target {
 public:
  explicit LevelDbTarget(const std::string& folder) {
    Result<std::unique_ptr<RecordStorage>> opened = OpenLevelDbStorage(folder, {});
    if (!opened) Stop(opened.error().ToString());
    storage_ = std::move(*opened);
  }
  void Put(std::string_view key, std::string_view record) override { storage_->Put(key, record); }
  void Delete(std::string_view key, int64_t) override { storage_->Delete(key); }
  void EndBatch(int64_t) override {
    if (const Status status = storage_->Write(); !status) Stop(status.error().ToString());
  }

 private:
  std::unique_ptr<RecordStorage> storage_;
};

class SegmentTarget final : public LevelDbTarget {
 public:
  explicit SegmentTarget(const std::string& folder)
      : LevelDbTarget(folder), folder_(folder), folder_file_(open(folder.c_str(), O_RDONLY)) {}
  ~SegmentTarget() override { close(folder_file_); }

  void Put(std::string_view key, std::string_view record) override {
    if (key[0] != kChunkTag) return LevelDbTarget::Put(key, record);
    bytes_.append(record);
    ++pending_;
  }
  void Delete(std::string_view key, int64_t batch) override {
    if (key[0] != kChunkTag) return LevelDbTarget::Delete(key, batch);
    if (--chunks_[batch] == 0) dead_.push_back(batch);
  }
  void EndBatch(int64_t batch) override {
    const int file = open(Path(batch).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0) Stop("cannot create a segment");
    const ssize_t written = write(file, bytes_.data(), bytes_.size());
    if (written != std::ssize(bytes_) || fdatasync(file) != 0) Stop("cannot write a segment");
    close(file);
    if (fsync(folder_file_) != 0) Stop("cannot sync the folder");
    chunks_[batch] = pending_;
    pending_ = 0;
    bytes_.clear();
    LevelDbTarget::EndBatch(batch);
    for (const int64_t segment : dead_) unlink(Path(segment).c_str());
    dead_.clear();
  }

 private:
  std::string Path(int64_t batch) const { return fmt::format("{}/{:06}.segment", folder_, batch); }

  const std::string folder_;
  const int folder_file_;
  std::string bytes_;
  int64_t pending_ = 0;
  std::map<int64_t, int64_t> chunks_;  // Left in each segment.
  std::vector<int64_t> dead_;
};

double CpuSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

int64_t BytesGivenToWrite() {
  std::ifstream stream("/proc/self/io");
  std::string name;
  int64_t number = 0;
  while (stream >> name >> number) {
    if (name == "wchar:") return number;
  }
  return 0;
}

struct Figures {
  double cpu_ns = 0;    // A row.
  double wall_ns = 0;   // A row.
  double written = 0;   // Bytes a byte of payload.
  double worst_ms = 0;  // The longest batch.
};

struct LiveChunk {
  ChunkKey key;
  int64_t last_time = 0;
};

struct Workload {
  std::vector<std::vector<StateRows>> batches;
  int64_t num_rows = 0;
  int64_t payload_bytes = 0;
};

Workload MakeWorkload(int64_t num_rows, int64_t batch_rows) {
  Workload workload;
  uint64_t random = 42;
  for (int64_t begin = 0; begin < num_rows; begin += batch_rows) {
    const int64_t end = std::min(begin + batch_rows, num_rows);
    std::vector<StateRows>& batch = workload.batches.emplace_back();
    batch.push_back(MakeRows(0, begin, end, &random));
    batch.push_back(MakeRows(1, begin * 3 / 10, end * 3 / 10, &random));
    for (const StateRows& rows : batch) {
      workload.num_rows += rows.num_rows;
      workload.payload_bytes += PayloadBytes(rows);
    }
  }
  return workload;
}

Figures Run(const Workload& workload, Target* target) {
  RecordWriter writer;
  const auto sink = [&](std::string_view key, std::string_view record) {
    target->Put(key, record);
  };
  std::deque<LiveChunk> live[2];
  Figures figures;
  const double cpu = CpuSeconds();
  const int64_t bytes = BytesGivenToWrite();
  const auto start = std::chrono::steady_clock::now();
  for (int64_t batch = 0; batch < std::ssize(workload.batches); ++batch) {
    const auto batch_start = std::chrono::steady_clock::now();
    for (uint8_t side = 0; side < 2; ++side) {
      const StateRows& rows = workload.batches[static_cast<size_t>(batch)][side];
      uint32_t index = 0;
      for (const RowRange range : CutIntoChunks(rows)) {
        ChunkHead head = DescribeChunk(rows, range);
        head.key = {side, batch, index++};
        if (!WriteChunk(&writer, head.key, rows, range, sink)) Stop("cannot encode");
        if (!WriteChunkHead(&writer, head, sink)) Stop("cannot encode");
        live[side].push_back({head.key, head.times->maximum});
      }
      const int64_t dead_below = live[side].back().last_time - kWaits[side];
      while (live[side].front().last_time < dead_below &&
             live[side].front().key.written + 10 < batch) {
        const ChunkKey key = live[side].front().key;
        target->Delete(ChunkRecordKey(key), key.written);
        target->Delete(ChunkHeadRecordKey(key), key.written);
        live[side].pop_front();
      }
    }
    target->EndBatch(batch);
    const std::chrono::duration<double, std::milli> took =
        std::chrono::steady_clock::now() - batch_start;
    figures.worst_ms = std::max(figures.worst_ms, took.count());
  }
  const std::chrono::duration<double, std::nano> wall = std::chrono::steady_clock::now() - start;
  const double rows = static_cast<double>(workload.num_rows);
  figures.cpu_ns = (CpuSeconds() - cpu) * 1e9 / rows;
  figures.wall_ns = wall.count() / rows;
  figures.written = static_cast<double>(BytesGivenToWrite() - bytes) /
                    static_cast<double>(workload.payload_bytes);
  return figures;
}

StoreIdentity Identity() {
  SideLayout left;
  left.name = "impressions";
  left.has_time = true;
  left.payload.fields = {{"campaign", DataType::BigInt()}, {"price", DataType::Double()}};
  SideLayout right;
  right.name = "clicks";
  right.has_time = true;
  right.payload.fields = {{"user", DataType::BigInt()}};
  return {"bench", "bench", {left, right}};
}

// Commits the workload; `windows`: with thresholds, so that rows die.
Figures RunStore(const Workload& workload, bool windows, VersionedStore* store) {
  if (const Status status = store->Create(Identity()); !status) Stop(status.error().ToString());
  Figures figures;
  const double cpu = CpuSeconds();
  const int64_t bytes = BytesGivenToWrite();
  const auto start = std::chrono::steady_clock::now();
  int64_t now = 0;
  for (int64_t batch = 0; batch < std::ssize(workload.batches); ++batch) {
    const auto batch_start = std::chrono::steady_clock::now();
    BatchCommit commit;
    commit.batch_id = batch;
    std::vector<SideDelta> deltas(2);
    const auto& sides = workload.batches[static_cast<size_t>(batch)];
    now = std::max(now, sides[0].times->Values<int64_t>()[0]);
    for (uint8_t side = 0; side < 2; ++side) {
      deltas[side].side = side;
      deltas[side].rows = {sides[side]};
      if (windows) commit.thresholds[side] = EventTime{now - kWaits[side]};
    }
    if (batch > 0) {
      const StateRows& before = workload.batches[static_cast<size_t>(batch - 1)][0];
      for (int64_t row = 0; row < before.num_rows; row += 3) {
        deltas[0].matched.push_back(before.IdAt(row));
      }
    }
    if (const Status status = store->Commit(commit, deltas, nullptr); !status) {
      Stop(status.error().ToString());
    }
    const std::chrono::duration<double, std::milli> took =
        std::chrono::steady_clock::now() - batch_start;
    figures.worst_ms = std::max(figures.worst_ms, took.count());
  }
  const std::chrono::duration<double, std::nano> wall = std::chrono::steady_clock::now() - start;
  const double rows = static_cast<double>(workload.num_rows);
  figures.cpu_ns = (CpuSeconds() - cpu) * 1e9 / rows;
  figures.wall_ns = wall.count() / rows;
  figures.written = static_cast<double>(BytesGivenToWrite() - bytes) /
                    static_cast<double>(workload.payload_bytes);
  return figures;
}

// Opens the store and reads the newest version of both sides; the figures are a row read.
Figures RunLoad(const std::string& folder, int64_t* num_rows) {
  const double cpu = CpuSeconds();
  const auto start = std::chrono::steady_clock::now();
  const auto store = OpenLevelDbStore(folder, {}, /*read_only=*/false);
  if (!store) Stop(store.error().ToString());
  const int64_t version = (*(*store)->LatestVersion())->version;
  *num_rows = 0;
  for (uint8_t side = 0; side < 2; ++side) {
    const Status status = (*store)->ReadSide(version, side, [&](const StateRows& rows) -> Status {
      *num_rows += rows.num_rows;
      return {};
    });
    if (!status) Stop(status.error().ToString());
  }
  const std::chrono::duration<double, std::nano> wall = std::chrono::steady_clock::now() - start;
  Figures figures;
  figures.cpu_ns = (CpuSeconds() - cpu) * 1e9 / static_cast<double>(*num_rows);
  figures.wall_ns = wall.count() / static_cast<double>(*num_rows);
  return figures;
}

double Median(std::vector<Figures> runs, double Figures::*figure) {
  std::sort(runs.begin(), runs.end(),
            [&](const Figures& a, const Figures& b) { return a.*figure < b.*figure; });
  return runs[runs.size() / 2].*figure;
}

std::string NewFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "store_bench_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) Stop("cannot create a folder for the store");
  return name;
}

void PrintFigures(const std::string& name, int64_t batch_rows, const std::vector<Figures>& runs) {
  fmt::print("{:>9} {:>9} {:>9.1f} {:>9.1f} {:>9.2f} {:>9.1f}\n", name, batch_rows,
             Median(runs, &Figures::cpu_ns), Median(runs, &Figures::wall_ns),
             Median(runs, &Figures::written), Median(runs, &Figures::worst_ms));
}

void CompareTargets(int runs, int64_t num_rows) {
  fmt::print("{:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "target", "batch", "CPU ns", "wall ns",
             "written", "worst ms");
  for (const int64_t batch_rows : {1'000, 10'000, 100'000}) {
    // Small batches are mostly syncs: a few hundred of them say enough.
    const Workload workload = MakeWorkload(std::min(num_rows, batch_rows * 500), batch_rows);
    std::vector<Figures> figures[2];
    for (int run = 0; run < 2 * runs; ++run) {
      const int kind = run % 2;
      const std::string folder = NewFolder();
      {
        std::unique_ptr<Target> target;
        if (kind == 0) target = std::make_unique<LevelDbTarget>(folder);
        if (kind == 1) target = std::make_unique<SegmentTarget>(folder);
        figures[kind].push_back(Run(workload, target.get()));
      }
      std::filesystem::remove_all(folder);
    }
    PrintFigures("leveldb", batch_rows, figures[0]);
    PrintFigures("segments", batch_rows, figures[1]);
  }
}

std::unique_ptr<VersionedStore> NewStore(bool durable, const std::string& folder) {
  if (!durable) return NewMemoryStore({});
  Result<std::unique_ptr<VersionedStore>> opened = OpenLevelDbStore(folder, {}, false);
  if (!opened) Stop(opened.error().ToString());
  return std::move(*opened);
}

void MeasureCommits(int runs, int64_t num_rows) {
  fmt::print("\n{:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "store", "batch", "CPU ns", "wall ns",
             "written", "worst ms");
  for (const int64_t batch_rows : {100, 1'000, 10'000, 100'000}) {
    const Workload workload = MakeWorkload(std::min(num_rows, batch_rows * 500), batch_rows);
    std::vector<Figures> figures[2];
    for (int run = 0; run < 2 * runs; ++run) {
      const std::string folder = NewFolder();
      {
        const std::unique_ptr<VersionedStore> store = NewStore(run % 2 == 0, folder);
        figures[run % 2].push_back(RunStore(workload, /*windows=*/true, store.get()));
      }
      std::filesystem::remove_all(folder);
    }
    PrintFigures("leveldb", batch_rows, figures[0]);
    PrintFigures("memory", batch_rows, figures[1]);
  }
}

void MeasureLoad(int runs, int64_t num_rows) {
  for (const int64_t batch_rows : {1'000, 100'000}) {
    const Workload workload = MakeWorkload(num_rows * 10 / 13, batch_rows);
    const std::string folder = NewFolder();
    RunStore(workload, /*windows=*/false, NewStore(true, folder).get());
    std::vector<Figures> figures;
    int64_t rows = 0;
    for (int run = 0; run < runs; ++run) figures.push_back(RunLoad(folder, &rows));
    if (rows != workload.num_rows)
      Stop(fmt::format("{} rows instead of {}", rows, workload.num_rows));
    PrintFigures("load", batch_rows, figures);
    std::filesystem::remove_all(folder);
  }
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) {
  int runs = 5;
  int64_t num_rows = 2'000'000;
  int64_t load_rows = 5'000'000;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--runs=", 7) == 0) runs = std::atoi(argv[i] + 7);
    if (std::strncmp(argv[i], "--rows=", 7) == 0) num_rows = std::atoll(argv[i] + 7);
    if (std::strncmp(argv[i], "--load-rows=", 12) == 0) load_rows = std::atoll(argv[i] + 12);
  }
  runs = std::max(runs, 1);
  num_rows = std::max<int64_t>(num_rows, 100'000);
  if (std::getenv("BRAID_BENCH_SMOKE") != nullptr) {
    runs = 1;
    num_rows = load_rows = 100'000;
  }
  braid::CompareTargets(runs, num_rows);
  braid::MeasureCommits(runs, num_rows);
  braid::MeasureLoad(runs, std::max<int64_t>(load_rows, 100'000));
}
