#include "braid/table.h"

#include <gtest/gtest.h>

#include <string>

#include "braid/engine.h"

namespace braid {
namespace {

TEST(TableTest, IsWhatCreateTableSays) {
  Table table("my `table`");
  table.NotNullColumn("id", DataType::BigInt())
      .Column("time", DataType::Timestamp(3))
      .ComputedColumn("late", Col("time") + Seconds(1))
      .Watermark("time", Seconds(5))
      .PrimaryKey({"id"})
      .With("connector", "file's");
  EXPECT_EQ(table.ToSql(),
            "CREATE TABLE `my ``table``` (\n"
            "  `id` BIGINT NOT NULL,\n"
            "  `time` TIMESTAMP(3),\n"
            "  `late` AS (`time` + INTERVAL '0 00:00:01.000000' DAY TO SECOND),\n"
            "  WATERMARK FOR `time` AS `time` - INTERVAL '0 00:00:05.000000' DAY TO SECOND,\n"
            "  PRIMARY KEY (`id`) NOT ENFORCED\n"
            ") WITH (\n"
            "  'connector' = 'file''s'\n"
            ")");
}

TEST(TableTest, HowItsWatermarkMovesIsWritten) {
  Table table("t");
  table.Column("ts", DataType::Timestamp(3))
      .Watermark("ts")
      .PeriodicWatermarks(100)
      .IdleTimeout(Seconds(3))
      .MaxAhead(Milliseconds(5));
  EXPECT_EQ(table.ToSql(),
            "CREATE TABLE `t` (\n"
            "  `ts` TIMESTAMP(3),\n"
            "  WATERMARK FOR `ts` AS `ts`\n"
            ") WITH (\n"
            "  'scan.watermark.emit.strategy' = 'on-periodic',\n"
            "  'scan.watermark.emit.periodic-records' = '100',\n"
            "  'scan.watermark.idle-timeout' = '3000000 us',\n"
            "  'scan.watermark.max-ahead' = '5000 us'\n"
            ")");
  const Result<std::string> plan = Engine::Create()->From(table).SelectAll().Explain();
  EXPECT_TRUE(plan) << plan.error().ToString();
}

}  // namespace
}  // namespace braid
