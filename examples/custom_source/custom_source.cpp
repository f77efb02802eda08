// A source and a sink of one's own, and a query that is stopped, fails and is started again without
// losing a row or giving one twice. The comments say what Braid asks of a source and of a sink.
#include <braid/braid.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace {

// ---- What is read ------------------------------------------------------------------------------

struct Entry {
  int64_t machine = 0;
  std::string text;
  braid::EventTime time;
};

// Entries in the order in which they were appended, numbered from 0. It stands for any log from
// which one may read again: a Kafka topic, a table with a rising key. It lives longer than the
// queries.
class Journal {
 public:
  void Append(Entry entry) {
    const std::lock_guard lock(mutex_);
    entries_.push_back(std::move(entry));
  }

  int64_t end() const {
    const std::lock_guard lock(mutex_);
    return first_ + static_cast<int64_t>(entries_.size());
  }

  // The entries numbered [begin, end). REQUIRES: they are there and were not dropped.
  std::vector<Entry> Read(int64_t begin, int64_t end) const {
    const std::lock_guard lock(mutex_);
    return {entries_.begin() + (begin - first_), entries_.begin() + (end - first_)};
  }

  int64_t first() const {
    const std::lock_guard lock(mutex_);
    return first_;
  }

  // Forgets the entries before `end`.
  void DropUntil(int64_t end) {
    const std::lock_guard lock(mutex_);
    if (end <= first_) return;
    entries_.erase(entries_.begin(), entries_.begin() + (end - first_));
    first_ = end;
  }

 private:
  mutable std::mutex mutex_;
  int64_t first_ = 0;  // The number of the first entry that is still there.
  std::vector<Entry> entries_;
};

// ---- A source ----------------------------------------------------------------------------------

// Reads a journal. Its offset is the number of entries that were given: "3" stands after the third.
// Whatever text an offset is, three things must hold. It says all that is needed to go on after it,
// in another process too. It changes with every slice. It is never empty: an empty one stands for
// the beginning.
class JournalSource final : public braid::Source {
 public:
  // `read_columns`: which columns of the table the query wants, in rising order. Slices hold these
  // and no others.
  JournalSource(std::string name, std::shared_ptr<Journal> journal,
                const braid::TableDescription& table, std::vector<int> read_columns)
      : name_(std::move(name)), journal_(std::move(journal)), columns_(std::move(read_columns)) {
    braid::Schema schema;
    for (const int column : columns_) {
      schema.fields.push_back(table.schema.fields[static_cast<size_t>(column)]);
    }
    schema_ = std::make_shared<const braid::Schema>(std::move(schema));
  }

  // For people: it stands in progress and in errors.
  std::string description() const override { return "JournalSource[" + name_ + "]"; }

  // A journal grows for ever. A source that says true must give kEnd at last.
  bool is_finite() const override { return false; }

  // Reading begins after `start`: empty, or an offset that this class made, perhaps in an earlier
  // run. After it, Next may come.
  braid::Status Open(const std::string& start) override { return Parse(start, &next_); }

  // The trigger is available-now: what is appended from here on is left for another run, and Next
  // says kEnd where it begins.
  braid::Status StopAtLatest() override {
    stop_at_ = journal_->end();
    return {};
  }

  // The rows after those that were given last, at most about limits.bytes_max bytes of them (not
  // looked at here: an entry is short). Without new rows it says so at once: Braid asks again.
  braid::Result<braid::SourceNext> Next(const braid::SliceLimits& /*limits*/) override {
    braid::SourceNext next;
    const int64_t end = stop_at_ >= 0 ? stop_at_ : journal_->end();
    if (next_ < end) {
      next.kind = braid::SourceNext::Kind::kSlice;
      next.slice = Slice(next_, end);
      next_ = end;
    } else if (stop_at_ >= 0) {
      next.kind = braid::SourceNext::Kind::kEnd;
    } else {
      next.kind = braid::SourceNext::Kind::kNothing;
    }
    return next;
  }

  // A batch was planned to read (start, end], and the program ended before its commit. Before Open,
  // Braid asks for exactly these rows again, in any number of slices. A source that cannot read
  // twice, such as a socket, puts what it received into SourceSlice::replay and makes its rows of
  // `replay`, where Braid gives all of that back; this one reads its journal again.
  braid::Status Replay(const std::string& start, const std::string& end,
                       const std::string& /*replay*/,
                       const std::function<braid::Status(braid::SourceSlice)>& consumer) override {
    int64_t first = 0;
    int64_t last = 0;
    if (braid::Status read = Parse(start, &first); !read) return read;
    if (braid::Status read = Parse(end, &last); !read) return read;
    if (last > journal_->end()) {
      return braid::Fail(braid::ErrorCode::kNotFound, description() + " is shorter than it was");
    }
    std::cout << "  " << name_ << ": entries " << first << " to " << last - 1 << " again\n";
    return consumer(Slice(first, last));
  }

  // The batches that hold the rows up to `end` are committed: nobody asks for these rows again.
  // What was kept in case somebody would may go. It may come from another thread than Next.
  braid::Status Commit(const std::string& end) override {
    int64_t safe = 0;
    if (braid::Status read = Parse(end, &safe); !read) return read;
    journal_->DropUntil(safe);
    return {};
  }

  // The query is being stopped. A Next that waits, for a server's answer say, must now return soon:
  // with kNothing, or with Fail(kCancelled, …), which a stop does not count as a failure. Nothing
  // to do here, as Next never waits. From any thread.
  void Interrupt() override {}

  // For progress: how far the source could be read. From any thread.
  std::string latest_offset() const override { return std::to_string(journal_->end()); }

 private:
  braid::Status Parse(const std::string& offset, int64_t* number) const {
    *number = 0;
    if (!offset.empty()) {
      char* end = nullptr;
      *number = std::strtoll(offset.c_str(), &end, 10);
      if (*end != '\0' || *number < 0) {
        return braid::Fail(braid::ErrorCode::kCorruption,
                           "'" + offset + "' is no offset of " + description());
      }
    }
    if (*number >= journal_->first()) return {};
    return braid::Fail(braid::ErrorCode::kNotFound,
                       description() + " no longer has what follows offset " + offset);
  }

  braid::SourceSlice Slice(int64_t begin, int64_t end) const {
    const std::vector<Entry> entries = journal_->Read(begin, end);
    braid::SourceSlice slice;
    braid::RowBatchBuilder rows(schema_);
    for (size_t i = 0; i < columns_.size(); ++i) {
      braid::ColumnBuilder& column = rows.column(static_cast<int>(i));
      for (const Entry& entry : entries) {
        if (columns_[i] == 0) column.Append(entry.machine);
        if (columns_[i] == 1) column.AppendString(entry.text);
        if (columns_[i] == 2) column.Append(entry.time.micros);
      }
    }
    for (const Entry& entry : entries) {
      slice.num_bytes += static_cast<int64_t>(sizeof(Entry) + entry.text.size());
    }
    slice.rows = rows.Finish();
    slice.end = std::to_string(end);
    return slice;
  }

  const std::string name_;
  const std::shared_ptr<Journal> journal_;
  const std::vector<int> columns_;
  std::shared_ptr<const braid::Schema> schema_;
  int64_t next_ = 0;      // The entry that Next gives first.
  int64_t stop_at_ = -1;  // -1: nowhere.
};

braid::SourceFactory ReadFrom(std::shared_ptr<Journal> journal) {
  return [journal](const braid::TableDescription& table, const std::vector<int>& read_columns)
             -> braid::Result<std::unique_ptr<braid::Source>> {
    return std::make_unique<JournalSource>(table.name, journal, table, read_columns);
  };
}

// ---- A sink ------------------------------------------------------------------------------------

// Writes the rows of a batch to a file that is named after the batch's id, whole or not at all. So
// a batch that comes again writes the same file again instead of its rows twice.
class FileSink final : public braid::Sink {
 public:
  // `fails` is where the example wants a failure: after the file is there, before the batch counts.
  FileSink(std::filesystem::path folder, bool* fails) : folder_(std::move(folder)), fails_(fails) {}

  std::string description() const override { return "FileSink[" + folder_.string() + "]"; }

  // Batches before context.first_batch are committed. What there is of this one was left by a run
  // that ended before it could commit it.
  braid::Status Open(const braid::SinkContext& context) override {
    partitions_.resize(static_cast<size_t>(context.num_partitions));
    std::error_code failure;
    std::filesystem::create_directories(folder_, failure);
    if (!failure) std::filesystem::remove(File(context.first_batch), failure);
    if (failure) return braid::Fail(braid::ErrorCode::kIo, failure.message());
    return {};
  }

  // From here on Write gives the rows of this batch. What an attempt before wrote of it is void.
  braid::Status BeginBatch(int64_t /*batch_id*/) override {
    for (std::string& text : partitions_) text.clear();
    return {};
  }

  // May come for several partitions at the same time, but for one partition one after the other:
  // with a buffer for each there is nothing to lock.
  braid::Status Write(int partition, const braid::RowBatch& rows) override {
    std::string& text = partitions_[static_cast<size_t>(partition)];
    for (int64_t row = 0; row < rows.num_rows(); ++row) {
      for (int column = 0; column < rows.num_columns(); ++column) {
        if (column > 0) text += ',';
        text += braid::FormatValue(braid::ValueAt(rows.column(column), row));
      }
      text += '\n';
    }
    return {};
  }

  // All rows are written: makes them visible together. The commit comes right after it; if the
  // program ends in between, the batch comes again, so this may be called twice for one id.
  braid::Status PublishBatch(int64_t batch_id) override {
    const bool empty = std::all_of(partitions_.begin(), partitions_.end(),
                                   [](const std::string& text) { return text.empty(); });
    if (empty) return {};
    const std::filesystem::path unfinished = File(batch_id) += ".unfinished";
    std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
    for (const std::string& text : partitions_) file << text;
    file.close();
    if (!file) return braid::Fail(braid::ErrorCode::kIo, "cannot write " + unfinished.string());
    // Where a crash of the machine counts (context.durable), the file is synced before this.
    std::error_code failure;
    std::filesystem::rename(unfinished, File(batch_id), failure);
    if (failure) return braid::Fail(braid::ErrorCode::kIo, failure.message());
    if (!std::exchange(*fails_, false)) return {};
    return braid::Fail(braid::ErrorCode::kIo, "the power failed after the file was written");
  }

  // As for a source. Files do not make anybody wait.
  void Interrupt() override {}

 private:
  std::filesystem::path File(int64_t batch_id) const {
    return folder_ / ("batch-" + std::to_string(batch_id) + ".csv");
  }

  const std::filesystem::path folder_;
  bool* const fails_;
  std::vector<std::string> partitions_;
};

// ---- A query that uses both --------------------------------------------------------------------

// Tables of the program are declared without WITH.
constexpr const char* kJob = R"sql(
  CREATE TABLE faults (
    machine BIGINT, fault STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '1' SECOND);
  CREATE TABLE repairs (
    machine BIGINT, repair STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '1' SECOND);
  SELECT f.machine, f.fault, r.repair
  FROM faults AS f JOIN repairs AS r
    ON f.machine = r.machine AND r.ts BETWEEN f.ts AND f.ts + INTERVAL '1' HOUR
)sql";

const std::filesystem::path kOutput = "out/custom_source";
const std::string kCheckpoint = "checkpoint/custom_source";

class Workshop {
 public:
  void Fault(int64_t machine, std::string text, int64_t second) {
    faults_->Append({machine, std::move(text), braid::EventTime{} + braid::Seconds(second)});
  }
  void Repair(int64_t machine, std::string text, int64_t second) {
    repairs_->Append({machine, std::move(text), braid::EventTime{} + braid::Seconds(second)});
  }

  // Starts the query, lets it do all there is to do, and stops it. With the same checkpoint, the
  // next call goes on where this one ends.
  braid::Status Run(bool power_fails) {
    auto engine = braid::Engine::Create({.checkpoint_directory = kCheckpoint, .parallelism = 2});
    if (!engine) return tl::unexpected(engine.error());
    power_fails_ = power_fails;
    auto query = engine->Sql(kJob)
                     .Source("faults", ReadFrom(faults_))
                     .Source("repairs", ReadFrom(repairs_))
                     .Sink([this](const braid::TableDescription&)
                               -> braid::Result<std::unique_ptr<braid::Sink>> {
                       return std::make_unique<FileSink>(kOutput, &power_fails_);
                     })
                     .Start();
    if (!query) return tl::unexpected(query.error());
    if (braid::Status done = query->ProcessAllAvailable(); !done) return done;
    query->Stop();
    return query->AwaitTermination();
  }

  int64_t num_kept() const {
    return faults_->end() - faults_->first() + repairs_->end() - repairs_->first();
  }

 private:
  std::shared_ptr<Journal> faults_ = std::make_shared<Journal>();
  std::shared_ptr<Journal> repairs_ = std::make_shared<Journal>();
  bool power_fails_ = false;
};

// The lines of all files, in order.
std::vector<std::string> Lines() {
  std::vector<std::string> lines;
  for (const auto& entry : std::filesystem::directory_iterator(kOutput)) {
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

void RunAndShow(const std::string& title, Workshop* workshop, bool power_fails) {
  std::cout << title << ":\n";
  const braid::Status ran = workshop->Run(power_fails);
  std::cout << "  ended: " << (ran ? "well" : ran.error().ToString()) << '\n';
  for (const std::string& line : Lines()) std::cout << "  " << line << '\n';
  std::cout << "  entries that the journals still keep: " << workshop->num_kept() << '\n';
}

}  // namespace

int main() {
  std::filesystem::remove_all(kCheckpoint);  // Each time from the beginning.
  std::filesystem::remove_all(kOutput);
  Workshop workshop;

  workshop.Fault(1, "stuck", 0);
  workshop.Fault(2, "hot", 10);
  workshop.Repair(1, "oiled", 20);
  RunAndShow("The first run is stopped", &workshop, false);

  workshop.Fault(3, "loud", 30);
  workshop.Repair(2, "cooled", 40);
  RunAndShow("The second run fails between Publish and commit", &workshop, true);

  workshop.Repair(3, "tightened", 50);
  RunAndShow("The third run goes on", &workshop, false);
  return 0;
}
