#include "state/store/chunk_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "braid/column_builder.h"
#include "state/rows/limits.h"
#include "tests/state/store/damage.h"
#include "tests/state/store/test_rows.h"

namespace braid {
namespace {

using testing::HasSubstr;

struct WrittenChunk {
  ChunkHead head;
  std::string key;
  std::string record;
};

WrittenChunk Write(const StateRows& rows, RowRange range) {
  RecordWriter writer;
  WrittenChunk chunk;
  chunk.head = DescribeChunk(rows, range);
  chunk.head.key = {1, 7, 3};
  const Status written = WriteChunk(&writer, chunk.head.key, rows, range,
                                    [&](std::string_view key, std::string_view record) {
                                      chunk.key = key;
                                      chunk.record = record;
                                    });
  EXPECT_TRUE(written.has_value());
  chunk.head.chunk_bytes = static_cast<uint32_t>(chunk.record.size());
  chunk.head.chunk_checksum = RecordChecksum(chunk.record);
  return chunk;
}

WrittenChunk Write(const StateRows& rows) { return Write(rows, {0, rows.num_rows}); }

const DataType kAllTypes[] = {
    DataType::Boolean(),    DataType::TinyInt(),      DataType::SmallInt(),
    DataType::Int(),        DataType::BigInt(),       DataType::Float(),
    DataType::Double(),     DataType::Decimal(18, 4), DataType::String(),
    DataType::Bytes(),      DataType::Date(),         DataType::Timestamp(0),
    DataType::Timestamp(6), DataType::TimestampLtz(3)};

SideLayout AllTypesLayout() {
  SideLayout layout;
  layout.name = "all";
  layout.has_time = true;
  for (const DataType& type : kAllTypes) layout.payload.fields.push_back({type.ToString(), type});
  return layout;
}

// A value of any type from random bits.
Value RandomValue(DataType type, std::mt19937_64* random) {
  const uint64_t bits = (*random)() >> ((*random)() % 64);
  const int64_t number = static_cast<int64_t>(bits);
  switch (type.kind) {
    case TypeKind::kBoolean:
      return {type, number & 1};
    case TypeKind::kTinyInt:
      return {type, int64_t{static_cast<int8_t>(number)}};
    case TypeKind::kSmallInt:
      return {type, int64_t{static_cast<int16_t>(number)}};
    case TypeKind::kInt:
    case TypeKind::kDate:
      return {type, int64_t{static_cast<int32_t>(number)}};
    case TypeKind::kFloat:
      return {type, static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)))};
    case TypeKind::kDouble:
      return {type, std::bit_cast<double>(bits)};
    case TypeKind::kString:
    case TypeKind::kBytes:
      return {type, std::string(bits % 40, static_cast<char>(bits))};
    default:
      return {type, number};
  }
}

StateRows RandomRows(int64_t count, int null_percent, std::mt19937_64* random) {
  StateRows rows;
  rows.num_rows = count;
  PersistentId id = MakePersistentId(2, 0);
  ColumnBuilder times(DataType::Timestamp(6));
  for (int64_t i = 0; i < count; ++i) {
    id += 1 + (null_percent > 0 ? (*random)() % 3 : 0);
    rows.ids.push_back(id);
    rows.words.push_back((*random)());
    rows.linkable.push_back((*random)() % 100 >= static_cast<uint64_t>(null_percent) ? 1 : 0);
    rows.matched.push_back((*random)() % 100 < static_cast<uint64_t>(null_percent) ? 1 : 0);
    if ((*random)() % 100 < static_cast<uint64_t>(null_percent)) {
      times.AppendNull();
    } else {
      times.Append(static_cast<int64_t>((*random)() % 1'000'000) * 1'000);
    }
  }
  rows.first_id = rows.ids[0];
  rows.times = times.Finish();
  for (const DataType& type : kAllTypes) {
    ColumnBuilder builder(type);
    for (int64_t i = 0; i < count; ++i) {
      const bool is_null = (*random)() % 100 < static_cast<uint64_t>(null_percent);
      builder.AppendValue(is_null ? Value::Null(type) : RandomValue(type, random));
    }
    rows.payload.push_back(builder.Finish());
  }
  return rows;
}

// Bit for bit, so that NaNs and signs of zero count.
void ExpectEqualColumns(const Column& read, const Column& written, RowRange range) {
  ASSERT_EQ(read.type(), written.type());
  ASSERT_EQ(read.length(), range.count);
  int64_t nulls = 0;
  for (int64_t i = 0; i < range.count; ++i) {
    const int64_t row = range.begin + i;
    ASSERT_EQ(read.IsNull(i), written.IsNull(row)) << row;
    nulls += read.IsNull(i) ? 1 : 0;
    if (read.IsNull(i)) continue;
    if (read.type().is_variable_width()) {
      ASSERT_EQ(read.String(i), written.String(row));
      continue;
    }
    const size_t width = static_cast<size_t>(read.type().byte_width());
    const char* left = static_cast<const char*>(read.raw_values()) + static_cast<size_t>(i) * width;
    const char* right =
        static_cast<const char*>(written.raw_values()) + static_cast<size_t>(row) * width;
    ASSERT_EQ(std::string_view(left, width), std::string_view(right, width)) << row;
  }
  EXPECT_EQ(read.null_count(), nulls);
}

TEST(ChunkCodecTest, RowsOfAllTypesComeBack) {
  std::mt19937_64 random(1);
  for (const int null_percent : {0, 10, 100}) {
    const StateRows rows = RandomRows(1'100, null_percent, &random);
    ASSERT_TRUE(CheckStateRows(AllTypesLayout(), rows).has_value());
    for (const RowRange range : {RowRange{0, 1'100}, {0, 1}, {1, 1}, {13, 500}, {1'099, 1}}) {
      const WrittenChunk chunk = Write(rows, range);
      const auto read = ReadChunk(chunk.head, AllTypesLayout(), chunk.record);
      ASSERT_TRUE(read.has_value()) << read.error().ToString();
      ASSERT_EQ(read->num_rows, range.count);
      for (int64_t i = 0; i < range.count; ++i) {
        const size_t from = static_cast<size_t>(range.begin + i);
        const size_t to = static_cast<size_t>(i);
        ASSERT_EQ(read->IdAt(i), rows.IdAt(range.begin + i));
        ASSERT_EQ(read->words[to], rows.words[from]);
        ASSERT_EQ(read->linkable.empty() ? 1 : read->linkable[to], rows.linkable[from]);
        ASSERT_EQ(read->matched.empty() ? 0 : read->matched[to], rows.matched[from]);
      }
      ExpectEqualColumns(*read->times, *rows.times, range);
      for (size_t column = 0; column < rows.payload.size(); ++column) {
        SCOPED_TRACE(kAllTypes[column].ToString());
        ExpectEqualColumns(read->payload[column], rows.payload[column], range);
      }
    }
  }
}

TEST(ChunkCodecTest, HeadsSayWhatTimesTheRowsHave) {
  std::vector<TestRow> rows(101);
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].id = 5 + 2 * i;
    rows[i].time = static_cast<int64_t>(1'000 - i);
  }
  rows[3].time.reset();
  const ChunkHead head = DescribeChunk(MakeRun(rows), {0, 101});
  EXPECT_EQ(head.num_rows(), 101);
  EXPECT_EQ(head.null_times, 1);
  EXPECT_EQ(head.times, (ChunkTimes{900, 1'000, 912, 950}));
  EXPECT_EQ(head.ids.first(), 5U);
  EXPECT_EQ(head.ids.last(), 205U);

  for (TestRow& row : rows) row.time.reset();
  EXPECT_EQ(DescribeChunk(MakeRun(rows), {0, 101}).times, std::nullopt);
  EXPECT_EQ(DescribeChunk(MakeRun(rows, /*has_time=*/false), {0, 101}).null_times, 101);
}

TEST(ChunkCodecTest, PackedRowsAreSmall) {
  std::mt19937_64 random(1);
  StateRows rows;
  rows.first_id = 1;
  rows.num_rows = 10'000;
  ColumnBuilder times(DataType::Timestamp(3));
  ColumnBuilder numbers(DataType::BigInt());
  ColumnBuilder prices(DataType::Double());
  for (int64_t i = 0; i < rows.num_rows; ++i) {
    rows.words.push_back(random() % (1ULL << 40));
    prices.Append(static_cast<double>(random() % 10'000) / 100);
    times.Append(1'767'225'600'000'000 + i / 10 * 1'000);
    numbers.Append(static_cast<int64_t>(random() % 1'000));
  }
  rows.times = times.Finish();
  prices.SetNull(5'000);
  rows.payload = {numbers.Finish(), prices.Finish()};
  // 5 bytes of key, 2 of time, 2 of each column, and a bit whether there is a price.
  const WrittenChunk chunk = Write(rows);
  EXPECT_LT(chunk.record.size(), 11 * 10'000 + 10'000 / 8 + 400);
  SideLayout layout;
  layout.has_time = true;
  layout.payload.fields = {{"number", DataType::BigInt()}, {"price", DataType::Double()}};
  const auto read = ReadChunk(chunk.head, layout, chunk.record);
  ASSERT_TRUE(read.has_value()) << read.error().ToString();
  ExpectEqualColumns(read->payload[1], rows.payload[1], {0, rows.num_rows});
}

TEST(ChunkCodecTest, AChunkOfAnotherHeadOrLayoutIsRefused) {
  std::vector<TestRow> rows(10);
  for (size_t i = 0; i < rows.size(); ++i) rows[i].id = i + 1;
  const WrittenChunk chunk = Write(MakeRun(rows));
  const SideLayout layout = TestLayout("l", true);
  const auto fails = [&](const ChunkHead& head, const SideLayout& as, const char* message) {
    const auto read = ReadChunk(head, as, chunk.record);
    ASSERT_FALSE(read.has_value()) << message;
    EXPECT_EQ(read.error().code, ErrorCode::kCorruption);
    EXPECT_THAT(read.error().message, HasSubstr(message));
  };
  ChunkHead head = chunk.head;
  head.key.index = 4;
  fails(head, layout, "checksum");
  head = chunk.head;
  head.chunk_bytes += 1;
  fails(head, layout, "bytes");
  head = chunk.head;
  head.chunk_checksum += 1;
  fails(head, layout, "not the one of its head");
  head = chunk.head;
  head.ids.Append(100);
  fails(head, layout, "11");
  fails(chunk.head, TestLayout("l", false), "it has times");
  SideLayout other = layout;
  other.payload.fields.pop_back();
  fails(chunk.head, other, "columns");
  other = layout;
  other.payload.fields[0].type = DataType::Double();
  fails(chunk.head, other, "kind");
}

TEST(ChunkCodecTest, RowsThatDoNotFitTheLayoutAreAFault) {
  std::vector<TestRow> rows(3);
  for (size_t i = 0; i < rows.size(); ++i) rows[i].id = i + 1;
  const StateRows good = MakeRun(rows);
  const SideLayout layout = TestLayout("l", true);
  EXPECT_TRUE(CheckStateRows(layout, good).has_value());
  StateRows bad = good;
  bad.ids = {1, 3, 2};
  EXPECT_FALSE(CheckStateRows(layout, bad).has_value());
  bad = good;
  bad.linkable = {1};
  EXPECT_FALSE(CheckStateRows(layout, bad).has_value());
  bad = good;
  std::swap(bad.payload[0], bad.payload[1]);
  EXPECT_FALSE(CheckStateRows(layout, bad).has_value());
}

TEST(ChunkCodecTest, DamagedChunksAreRefusedOrReadButNeverMore) {
  std::mt19937_64 numbers(1);
  std::mt19937 random(1);
  for (const int null_percent : {0, 20}) {
    const WrittenChunk chunk = Write(RandomRows(70, null_percent, &numbers));
    int refused = 0;
    for (int i = 0; i < 4'000; ++i) {
      const std::string damaged = Damaged(chunk.record, &random);
      if (damaged != chunk.record) {
        const auto read = ReadChunk(chunk.head, AllTypesLayout(), damaged);
        ASSERT_FALSE(read.has_value());
        EXPECT_EQ(read.error().code, ErrorCode::kCorruption);
      }
      // The same under a checksum that fits: whatever comes of it, it stays within the bytes.
      const std::string resealed = Resealed(chunk.key, damaged);
      ChunkHead head = chunk.head;
      head.chunk_bytes = static_cast<uint32_t>(resealed.size());
      if (resealed.size() >= 8) head.chunk_checksum = RecordChecksum(resealed);
      const auto read = ReadChunk(head, AllTypesLayout(), resealed);
      if (read.has_value()) {
        EXPECT_EQ(read->num_rows, 70);
        EXPECT_TRUE(CheckStateRows(AllTypesLayout(), *read).has_value());
      } else {
        EXPECT_EQ(read.error().code, ErrorCode::kCorruption);
        ++refused;
      }
    }
    EXPECT_GT(refused, 500);
  }
}

TEST(ChunkCodecTest, RefusesARowBeyondTheLimit) {
  // Lengths alone: no byte of the text is looked at.
  const int32_t offsets[] = {0, static_cast<int32_t>(kStoredRowBytesMax)};
  StateRows rows;
  rows.num_rows = 1;
  rows.words = {1};
  rows.payload.emplace_back(DataType::String(), 1, 0, nullptr, "", offsets, nullptr);
  RecordWriter writer;
  const Status written =
      WriteChunk(&writer, {1, 7, 3}, rows, {0, 1},
                 [](std::string_view, std::string_view) { FAIL() << "it was written"; });
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(written.error().message, HasSubstr("a row may have 512 MiB"));
}

}  // namespace
}  // namespace braid
