// Small records and change lists: what is written comes back, what is damaged is refused.
#include "state/store/record_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "state/store/change_list.h"
#include "tests/state/store/damage.h"
#include "tests/state/store/test_rows.h"

namespace braid {
namespace {

using testing::HasSubstr;

struct WrittenRecord {
  std::string key;
  std::string record;
};

WrittenRecord Capture(const std::function<Status(RecordWriter*, const RecordSink&)>& write) {
  RecordWriter writer;
  WrittenRecord written;
  const Status status = write(&writer, [&](std::string_view key, std::string_view record) {
    written = {std::string(key), std::string(record)};
  });
  EXPECT_TRUE(status.has_value());
  return written;
}

ChunkHead SomeHead() {
  ChunkHead head;
  head.key = {1, -9, 4};
  head.version = -12;
  head.folded = true;
  head.ids.Append(MakePersistentId(1, 5), 10);
  head.ids.Append(MakePersistentId(2, 1), 3);
  head.null_times = 2;
  head.times = ChunkTimes{-4, 100, 3, 50};
  head.chunk_bytes = 1'234;
  head.chunk_checksum = 0xfedcba9876543210ULL;
  return head;
}

BatchPlan SomePlan() {
  BatchPlan plan;
  plan.batch_id = 12;
  plan.no_data = true;
  plan.late_watermark = Watermark{5};
  plan.sources = {{"t", "a", "b", std::string(3'000, 'r')}, {"u", "", "", ""}};
  plan.extension = std::string(2'000, 'e');
  return plan;
}

CommitRecord SomeCommit() {
  CommitRecord commit;
  commit.commit.batch_id = 3;
  commit.commit.thresholds[0] = EventTime{-1};
  commit.commit.thresholds.insert(commit.commit.thresholds.end(), {EventTime{7}, std::nullopt});
  commit.commit.num_state_rows = {1, 2, 3, 4};
  commit.commit.extension = std::string(2'000, 'e');
  commit.commit.tables = {{"t", EventTime{1}, {}}};
  commit.commit.source_ends_table = {"t"};
  commit.commit.source_ends = {"offset"};
  commit.next_lineage = 17;
  commit.digest = 99;
  return commit;
}

ChangeList SomeTimers() {
  ChangeList list;
  list.timers = {{1, {}, 50}, {1, {1, 2}, std::nullopt}, {1, {1, 3}, -7}, {~0ULL, {9}, 8}};
  return list;
}

ChangeList SomeCounts() {
  ChangeList list;
  list.counts = {{4, 1}, {5, 1}, {MakePersistentId(3, 9), -2}};
  return list;
}

ChangeList SomeMarks() {
  ChangeList list;
  list.ids.Append(4, 2);
  list.ids.Append(MakePersistentId(9, 9));
  return list;
}

WrittenRecord WriteList(ChangeListKind kind, const ChangeList& list) {
  return Capture([&](RecordWriter* writer, const RecordSink& sink) {
    return WriteChangeList(writer, {0, kind, 6}, list, EncodedIds(kind, list), sink);
  });
}

TEST(RecordCodecTest, ChunkHeadsComeBack) {
  const ChunkHead head = SomeHead();
  const WrittenRecord written = Capture([&](RecordWriter* writer, const RecordSink& sink) {
    return WriteChunkHead(writer, head, sink);
  });
  const auto read = ReadChunkHead(written.key, written.record);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->key, head.key);
  EXPECT_EQ(read->version, -12);
  EXPECT_TRUE(read->folded);
  EXPECT_EQ(read->ids.Encode(), head.ids.Encode());
  EXPECT_EQ(read->null_times, 2);
  EXPECT_EQ(read->times, head.times);
  EXPECT_EQ(read->chunk_bytes, 1'234U);
  EXPECT_EQ(read->chunk_checksum, head.chunk_checksum);
}

TEST(RecordCodecTest, CommitsComeBack) {
  for (const bool two_sided : {false, true}) {
    SCOPED_TRACE(two_sided);
    CommitRecord commit = SomeCommit();
    if (two_sided) {
      commit.commit.thresholds.resize(2);
      commit.commit.num_state_rows.resize(2);
      commit.commit.extension.clear();
    }
    const WrittenRecord written = Capture([&](RecordWriter* writer, const RecordSink& sink) {
      return WriteCommit(writer, commit, sink);
    });
    const auto read = ReadCommit(written.key, written.record);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->commit.thresholds, commit.commit.thresholds);
    EXPECT_EQ(read->commit.num_state_rows, commit.commit.num_state_rows);
    EXPECT_EQ(read->commit.extension, commit.commit.extension);
    EXPECT_EQ(read->next_lineage, 17U);
    EXPECT_EQ(read->digest, 99U);
  }
}

TEST(RecordCodecTest, ChangeListsComeBack) {
  const WrittenRecord timers = WriteList(ChangeListKind::kTimers, SomeTimers());
  const auto read_timers = ReadChangeList(timers.key, timers.record);
  ASSERT_TRUE(read_timers.has_value()) << read_timers.error().ToString();
  ASSERT_EQ(read_timers->timers.size(), 4U);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(read_timers->timers[i].word, SomeTimers().timers[i].word);
    EXPECT_EQ(read_timers->timers[i].key, SomeTimers().timers[i].key);
    EXPECT_EQ(read_timers->timers[i].time_ms, SomeTimers().timers[i].time_ms);
  }
  const WrittenRecord counts = WriteList(ChangeListKind::kCounts, SomeCounts());
  const auto read_counts = ReadChangeList(counts.key, counts.record);
  ASSERT_TRUE(read_counts.has_value());
  ASSERT_EQ(read_counts->counts.size(), 3U);
  EXPECT_EQ(read_counts->counts[2].id, MakePersistentId(3, 9));
  EXPECT_EQ(read_counts->counts[2].count, -2);
  const WrittenRecord marks = WriteList(ChangeListKind::kRemoved, SomeMarks());
  const auto read_marks = ReadChangeList(marks.key, marks.record);
  ASSERT_TRUE(read_marks.has_value());
  EXPECT_EQ(read_marks->ids.Encode(), SomeMarks().ids.Encode());
}

TEST(RecordCodecTest, AnotherFormatVersionIsRefusedNamingBoth) {
  const WrittenRecord written = Capture([&](RecordWriter* writer, const RecordSink& sink) {
    return WriteIdentity(writer, TestIdentity(), sink);
  });
  ASSERT_TRUE(ReadIdentity(written.record).has_value());
  std::string other = written.record;
  // Checksum, segment table, root pointer; the version is the struct's first field.
  ASSERT_EQ(other[24], 1);
  other[24] = 7;
  const auto read = ReadIdentity(Resealed(written.key, other));
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, ErrorCode::kConflict);
  EXPECT_THAT(read.error().message, HasSubstr("format version 7"));
  EXPECT_THAT(read.error().message, HasSubstr("versions 1 and 2"));
}

TEST(RecordCodecTest, ARecordUnderAnotherKeyIsRefused) {
  const WrittenRecord marks = WriteList(ChangeListKind::kRemoved, SomeMarks());
  const auto read =
      ReadChangeList(ChangeListRecordKey({1, ChangeListKind::kRemoved, 6}), marks.record);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, ErrorCode::kCorruption);
}

TEST(RecordCodecTest, RecordsAreReadAtAnyAlignment) {
  const WrittenRecord marks = WriteList(ChangeListKind::kMatched, SomeMarks());
  for (size_t shift = 0; shift < 8; ++shift) {
    const std::string shifted = std::string(shift, ' ') + marks.record;
    EXPECT_TRUE(ReadChangeList(marks.key, std::string_view(shifted).substr(shift)).has_value());
  }
}

TEST(RecordCodecTest, RecordsLargerThanTheirHintComeBack) {
  StoreIdentity identity = TestIdentity();
  identity.sides[0].name = std::string(100'000, 'n');
  const WrittenRecord written = Capture([&](RecordWriter* writer, const RecordSink& sink) {
    return WriteIdentity(writer, identity, sink);
  });
  EXPECT_EQ(ReadIdentity(written.record)->sides, identity.sides);
}

// Reads a record of some kind; whether it could.
struct Reader {
  const char* name;
  WrittenRecord written;
  std::function<std::optional<Error>(std::string_view)> read;
};

template <typename T>
std::optional<Error> ErrorOf(const Result<T>& result) {
  if (result.has_value()) return std::nullopt;
  return result.error();
}

std::vector<Reader> AllReaders() {
  std::vector<Reader> readers;
  readers.push_back({"identity", Capture([](RecordWriter* writer, const RecordSink& sink) {
                       return WriteIdentity(writer, TestIdentity(), sink);
                     }),
                     [](std::string_view record) { return ErrorOf(ReadIdentity(record)); }});
  readers.push_back({"plan", Capture([](RecordWriter* writer, const RecordSink& sink) {
                       return WritePlanRecord(writer, SomePlan(), sink);
                     }),
                     [](std::string_view record) { return ErrorOf(ReadPlanRecord(record)); }});
  readers.push_back(
      {"commit", Capture([](RecordWriter* writer, const RecordSink& sink) {
         return WriteCommit(writer, SomeCommit(), sink);
       }),
       [](std::string_view record) { return ErrorOf(ReadCommit(CommitRecordKey(3), record)); }});
  readers.push_back({"head", Capture([](RecordWriter* writer, const RecordSink& sink) {
                       return WriteChunkHead(writer, SomeHead(), sink);
                     }),
                     [](std::string_view record) {
                       return ErrorOf(ReadChunkHead(ChunkHeadRecordKey(SomeHead().key), record));
                     }});
  const std::pair<ChangeListKind, ChangeList> lists[] = {{ChangeListKind::kMatched, SomeMarks()},
                                                         {ChangeListKind::kTimers, SomeTimers()},
                                                         {ChangeListKind::kCounts, SomeCounts()}};
  for (const auto& [kind, list] : lists) {
    readers.push_back({"list", WriteList(kind, list), [kind = kind](std::string_view record) {
                         return ErrorOf(ReadChangeList(ChangeListRecordKey({0, kind, 6}), record));
                       }});
  }
  return readers;
}

TEST(RecordCodecTest, DamagedRecordsAreRefusedOrReadButNeverMore) {
  std::mt19937 random(1);
  for (const Reader& reader : AllReaders()) {
    SCOPED_TRACE(reader.name);
    ASSERT_FALSE(reader.read(reader.written.record).has_value());
    int refused = 0;
    for (int i = 0; i < 3'000; ++i) {
      const std::string damaged = Damaged(reader.written.record, &random);
      if (damaged != reader.written.record) {
        const std::optional<Error> error = reader.read(damaged);
        ASSERT_TRUE(error.has_value());
        EXPECT_EQ(error->code, ErrorCode::kCorruption);
      }
      const std::optional<Error> error = reader.read(Resealed(reader.written.key, damaged));
      if (!error) continue;
      ++refused;
      EXPECT_TRUE(error->code == ErrorCode::kCorruption || error->code == ErrorCode::kConflict);
    }
    EXPECT_GT(refused, 100);
  }
}

TEST(RecordCodecTest, KeysSortAsTheirNumbersAndAreDescribed) {
  EXPECT_LT(CommitRecordKey(-1), CommitRecordKey(0));
  EXPECT_LT(CommitRecordKey(255), CommitRecordKey(256));
  EXPECT_LT(ChunkRecordKey({0, 5, 9}), ChunkRecordKey({0, 6, 0}));
  EXPECT_EQ(ParseCommitRecordKey(CommitRecordKey(INT64_MIN)), INT64_MIN);
  EXPECT_EQ(ParseChunkHeadRecordKey(ChunkHeadRecordKey({1, -2, 3})), (ChunkKey{1, -2, 3}));
  EXPECT_FALSE(ParseChunkHeadRecordKey(ChunkRecordKey({1, -2, 3})));
  EXPECT_FALSE(ParseCommitRecordKey("V123"));
  EXPECT_FALSE(ParseChangeListRecordKey(std::string("L\0\x04", 3) + std::string(8, '\0')));
  EXPECT_EQ(DescribeRecordKey("I"), "identity");
  EXPECT_EQ(DescribeRecordKey("P"), "plan of the next batch");
  EXPECT_EQ(DescribeRecordKey(CommitRecordKey(4)), "commit of version 4");
  EXPECT_EQ(DescribeRecordKey(ChunkRecordKey({1, 2, 3})), "chunk of side 1, version 2, number 3");
  EXPECT_EQ(DescribeRecordKey(ChangeListRecordKey({0, ChangeListKind::kTimers, 2})),
            "timers of side 0, version 2");
  EXPECT_EQ(DescribeRecordKey("Z\x01"), "record with the unknown key 5a01");
}

}  // namespace
}  // namespace braid
