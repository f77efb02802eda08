#include "engine/session/watermark_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace braid {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;

using Pairs = std::vector<std::pair<std::string, std::string>>;

TableDefinition Clicks(const Pairs& options) {
  TableDefinition table;
  table.name = "clicks";
  table.columns.resize(2);
  table.columns[0].name = "id";
  table.columns[0].type = DataType::BigInt();
  table.columns[1].name = "clicked";
  table.columns[1].type = DataType::Timestamp(3);
  table.watermark.emplace();
  table.watermark->column = 1;
  table.options["connector"] = {"memory", {}};
  for (const auto& [name, value] : options) table.options[name] = {value, {}};
  return table;
}

Settings SettingsOf(const Pairs& pairs) {
  SettingList list;
  for (const auto& [name, value] : pairs) list.emplace_back(name, Option{value, {}});
  Result<Settings> settings = ReadSettings(list);
  EXPECT_TRUE(settings.has_value()) << settings.error().ToString();
  return settings ? *settings : Settings();
}

TEST(WatermarkReaderTest, EmitsOnEveryRecordAndIsNeverIdleUnlessToldOtherwise) {
  const Result<WatermarkOptions> read = ReadWatermarkOptions(Clicks({}), Settings(), nullptr);
  ASSERT_TRUE(read.has_value());
  EXPECT_FALSE(read->periodic);
  EXPECT_EQ(read->periodic_records, 1'000);
  EXPECT_EQ(read->periodic_interval, Milliseconds(200));
  EXPECT_EQ(read->idle_timeout, std::nullopt);
  EXPECT_EQ(read->max_ahead, std::nullopt);
}

TEST(WatermarkReaderTest, ReadsWhatTheTableSays) {
  const Result<WatermarkOptions> read =
      ReadWatermarkOptions(Clicks({{"scan.watermark.emit.strategy", "on-periodic"},
                                   {"scan.watermark.emit.periodic-records", "7"},
                                   {"scan.watermark.idle-timeout", "10 s"},
                                   {"scan.watermark.max-ahead", "1 h"}}),
                           SettingsOf({{"pipeline.auto-watermark-interval", "50 ms"}}), nullptr);
  ASSERT_TRUE(read.has_value()) << read.error().ToString();
  EXPECT_TRUE(read->periodic);
  EXPECT_EQ(read->periodic_records, 7);
  EXPECT_EQ(read->periodic_interval, Milliseconds(50));
  EXPECT_THAT(read->idle_timeout, Optional(Seconds(10)));
  EXPECT_THAT(read->max_ahead, Optional(Seconds(3'600)));
}

TEST(WatermarkReaderTest, ATablesIdleTimeoutWinsOverTheSettingAlsoWithZero) {
  struct Case {
    std::string name;
    std::string setting;
    Pairs options;
    std::optional<Interval> expected;
  };
  for (const Case& one : {
           Case{"the setting alone", "1 min", {}, Seconds(60)},
           Case{"both", "1 min", {{"scan.watermark.idle-timeout", "5 s"}}, Seconds(5)},
           Case{"never", "1 min", {{"scan.watermark.idle-timeout", "0 s"}}, std::nullopt},
           Case{"the setting of Flink's default", "0 ms", {}, std::nullopt},
           Case{"a number alone is milliseconds", "1500", {}, Milliseconds(1'500)},
       }) {
    const Result<WatermarkOptions> read = ReadWatermarkOptions(
        Clicks(one.options), SettingsOf({{"table.exec.source.idle-timeout", one.setting}}),
        nullptr);
    ASSERT_TRUE(read.has_value()) << one.name;
    EXPECT_EQ(read->idle_timeout, one.expected) << one.name;
  }
}

TEST(WatermarkReaderTest, RefusesWhatItCannotTake) {
  struct Case {
    Pairs options;
    std::string message;
  };
  for (const Case& one : {
           Case{{{"scan.watermark.emit.strategy", "sometimes"}}, "on-event, on-periodic"},
           Case{{{"scan.watermark.emit.periodic-records", "10"}}, "counts only with"},
           Case{{{"scan.watermark.emit.strategy", "on-periodic"},
                 {"scan.watermark.emit.periodic-records", "0"}},
                "must be 1 or more"},
           Case{{{"scan.watermark.idle-timeout", "soon"}}, "is not a length of time"},
           Case{{{"scan.watermark.idle-time-out", "1 s"}},
                "did you mean 'scan.watermark.idle-timeout'?"},
       }) {
    const Result<WatermarkOptions> read =
        ReadWatermarkOptions(Clicks(one.options), Settings(), nullptr);
    ASSERT_FALSE(read.has_value()) << one.message;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidOption);
    EXPECT_THAT(read.error().message, HasSubstr("table clicks: "));
    EXPECT_THAT(read.error().message, HasSubstr(one.message));
  }
}

TEST(WatermarkReaderTest, RefusesATableWithoutWatermarkAndSaysWhatToAdd) {
  TableDefinition table = Clicks({{"scan.watermark.idle-timeout", "1 s"}});
  table.watermark.reset();
  const Result<WatermarkOptions> read = ReadWatermarkOptions(table, Settings(), nullptr);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, ErrorCode::kInvalidOption);
  EXPECT_THAT(read.error().message, HasSubstr("'scan.watermark.idle-timeout'"));
  EXPECT_THAT(read.error().message,
              HasSubstr("WATERMARK FOR clicked AS clicked - INTERVAL '5' SECOND"));

  // The setting is for those that have one.
  table.options.erase("scan.watermark.idle-timeout");
  EXPECT_TRUE(ReadWatermarkOptions(table, SettingsOf({{"table.exec.source.idle-timeout", "1 s"}}),
                                   nullptr));
}

TEST(WatermarkReaderTest, SaysWhatHasNoEffect) {
  const TableDefinition table = Clicks(
      {{"scan.watermark.emit.strategy", "on-periodic"}, {"scan.watermark.alignment.group", "g"}});
  std::vector<std::string> notes;
  ASSERT_TRUE(ReadWatermarkOptions(table, Settings(), &notes));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("'scan.watermark.alignment.group'"),
                                 ::testing::AllOf(HasSubstr("micro-batch"),
                                                  HasSubstr("'scan.watermark.emit.strategy'"))));

  notes.clear();
  ASSERT_TRUE(ReadWatermarkOptions(Clicks({{"scan.watermark.emit.strategy", "on-periodic"}}),
                                   SettingsOf({{"execution.mode", "per-record"}}), &notes));
  EXPECT_THAT(notes, IsEmpty());
}

TEST(WatermarkReaderTest, TheIntervalOfWatermarksHasNoEffectInMicroBatchMode) {
  const Pairs interval = {{"pipeline.auto-watermark-interval", "1 s"}};
  EXPECT_THAT(SettingsOf(interval).notes,
              ElementsAre(HasSubstr("'pipeline.auto-watermark-interval'")));
  Pairs per_record = interval;
  per_record.emplace_back("execution.mode", "per-record");
  EXPECT_THAT(SettingsOf(per_record).notes, IsEmpty());
}

}  // namespace
}  // namespace braid
