#include "braid/table.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace braid
