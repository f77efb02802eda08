#include "engine/perrecord/checkpoint_record.h"

#include <gtest/gtest.h>

#include <string>

namespace braid {
namespace {

CheckpointRecord SomeRecord() {
  CheckpointRecord record;
  TableCheckpoint& left = record.tables.emplace_back();
  left.table = "l";
  left.position = {std::string("\x00\xff\x80 any bytes", 13), 7};
  left.start = {"", 3};
  left.sent = -5;
  left.num_rows = 4;
  TableCheckpoint& right = record.tables.emplace_back();
  right.table = "r";
  right.ended = true;
  right.sent = kEndMillis;
  record.clocks = {{{kUnsetMillis, kEndMillis}, 12}, {{1, 2}, 3}};
  record.turn = 1;
  record.has_order = true;
  record.order = {{OrderEntry::Kind::kRows, 1, 5}, {OrderEntry::Kind::kWatermark, 0, kUnsetMillis}};
  return record;
}

TEST(CheckpointRecordTest, GivesBackWhatWasWritten) {
  const CheckpointRecord record = SomeRecord();
  const Result<CheckpointRecord> read = DecodeCheckpoint(EncodeCheckpoint(record));
  ASSERT_TRUE(read) << read.error().ToString();
  ASSERT_EQ(read->tables.size(), 2U);
  for (size_t table = 0; table < 2; ++table) {
    EXPECT_EQ(read->tables[table].table, record.tables[table].table);
    EXPECT_EQ(read->tables[table].position, record.tables[table].position);
    EXPECT_EQ(read->tables[table].start, record.tables[table].start);
    EXPECT_EQ(read->tables[table].sent, record.tables[table].sent);
    EXPECT_EQ(read->tables[table].ended, record.tables[table].ended);
    EXPECT_EQ(read->tables[table].num_rows, record.tables[table].num_rows);
  }
  ASSERT_EQ(read->clocks.size(), 2U);
  EXPECT_EQ(read->clocks[0].input_watermarks, record.clocks[0].input_watermarks);
  EXPECT_EQ(read->clocks[0].millis, 12);
  EXPECT_EQ(read->turn, 1U);
  ASSERT_TRUE(read->has_order);
  ASSERT_EQ(read->order.size(), 2U);
  EXPECT_EQ(read->order[1].kind, OrderEntry::Kind::kWatermark);
  EXPECT_EQ(read->order[1].value, kUnsetMillis);
}

TEST(CheckpointRecordTest, DamagedBytesAreAnErrorAndNoCrash) {
  const std::string bytes = EncodeCheckpoint(SomeRecord());
  for (size_t length = 0; length < bytes.size(); ++length) {
    const Result<CheckpointRecord> read = DecodeCheckpoint(bytes.substr(0, length));
    ASSERT_FALSE(read) << length;
    EXPECT_EQ(read.error().code, ErrorCode::kCorruption);
  }
}

}  // namespace
}  // namespace braid
