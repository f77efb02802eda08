#include "engine/connectors/option_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Options MakeOptions(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Options options;
  int64_t line = 1;
  for (const auto& [name, value] : pairs) options[name] = {value, {"job.sql", ++line, 7, {}, {}}};
  return options;
}

TEST(OptionReaderTest, SizesAreReadAsFlinkWritesThem) {
  const std::vector<std::pair<std::string, std::optional<int64_t>>> cases = {
      {"512", 512},
      {"512b", 512},
      {"64 kb", 65'536},
      {"64K", 65'536},
      {"1 mb", 1'048'576},
      {"1 MiB", 1'048'576},
      {" 2 gb ", 2'147'483'648},
      {"1 tb", int64_t{1} << 40},
      {"0", 0},
      {"", std::nullopt},
      {"kb", std::nullopt},
      {"-1", std::nullopt},
      {"1.5 mb", std::nullopt},
      {"1 parsec", std::nullopt},
      {"99999999999 tb", std::nullopt},
  };
  for (const auto& [text, bytes] : cases) EXPECT_EQ(ParseSize(text), bytes) << "'" << text << "'";
}

TEST(OptionReaderTest, DurationsAreReadAsFlinkWritesThem) {
  const std::vector<std::pair<std::string, std::optional<int64_t>>> cases = {
      {"500 ms", 500'000},
      {"500", 500'000},
      {"10 s", 10'000'000},
      {"10s", 10'000'000},
      {"1 min", 60'000'000},
      {"2 h", 7'200'000'000},
      {"1 d", 86'400'000'000},
      {"50 us", 50},
      {"50 \xC2\xB5s", 50},
      {"3000 ns", 3},
      {"1 Minutes", 60'000'000},
      {"ten s", std::nullopt},
      {"10 fortnights", std::nullopt},
      {"", std::nullopt},
      {"-1 s", std::nullopt},
  };
  for (const auto& [text, micros] : cases) {
    const std::optional<Interval> duration = ParseDuration(text);
    EXPECT_EQ(duration ? std::optional(duration->micros) : std::nullopt, micros)
        << "'" << text << "'";
  }
}

TEST(OptionReaderTest, GivesWhatIsWrittenAndElseTheDefault) {
  const Options options = MakeOptions({{"path", "in"},
                                       {"header", "TRUE"},
                                       {"files", "12"},
                                       {"bytes", "2 kb"},
                                       {"interval", "3 s"},
                                       {"mode", "Drop"}});
  OptionReader reader(options, "table t", {});
  EXPECT_EQ(reader.RequiredText("path"), "in");
  EXPECT_TRUE(reader.Boolean("header", false));
  EXPECT_EQ(reader.Integer("files", 0, 1), 12);
  EXPECT_EQ(reader.Size("bytes", 1), 2'048);
  EXPECT_EQ(reader.Duration("interval", Seconds(1)), Seconds(3));
  EXPECT_EQ(reader.Choice<int>("mode", 0, {{"fail", 0}, {"drop", 1}}), 1);
  EXPECT_EQ(reader.Text("other", "otherwise"), "otherwise");
  EXPECT_FALSE(reader.Boolean("other flag", false));
  EXPECT_EQ(reader.Size("other size", 7), 7);
  EXPECT_FALSE(reader.OptionalDuration("other interval").has_value());
  EXPECT_TRUE(reader.Finish(nullptr));
}

TEST(OptionReaderTest, AValueThatCannotBeReadIsRefusedWithItsPlace) {
  struct Case {
    std::string value;
    void (*read)(OptionReader*);
    std::string message;
  };
  const std::vector<Case> cases = {
      {"yes", [](OptionReader* r) { r->Boolean("x", false); }, "must be one of: true, false"},
      {"1x", [](OptionReader* r) { r->Integer("x", 1); }, "is not a whole number"},
      {"0", [](OptionReader* r) { r->Integer("x", 1, 1); }, "must be 1 or more"},
      {"9", [](OptionReader* r) { r->Integer("x", 1, 1, 5); }, "must be from 1 to 5"},
      {"big", [](OptionReader* r) { r->Size("x", 1); }, "is not a size"},
      {"0", [](OptionReader* r) { r->Size("x", 1); }, "must be 1 bytes or more"},
      {"soon", [](OptionReader* r) { r->Duration("x", {}); }, "is not a length of time"},
      {"0 s", [](OptionReader* r) { r->Duration("x", {}); }, "is not a length of time"},
      {"", [](OptionReader* r) { r->RequiredText("x"); }, "the option 'x' is empty"},
  };
  for (const Case& test : cases) {
    const Options options = MakeOptions({{"x", test.value}});
    OptionReader reader(options, "table t", {});
    test.read(&reader);
    const Status status = reader.Finish(nullptr);
    ASSERT_FALSE(status) << test.value;
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidOption);
    EXPECT_THAT(status.error().message, HasSubstr(test.message));
    EXPECT_THAT(status.error().message, HasSubstr("table t: "));
    EXPECT_EQ(status.error().place.line, 2);
  }
}

TEST(OptionReaderTest, AMissingOptionIsNamedAtThePlaceOfTheTable) {
  const Options options;
  OptionReader reader(options, "table t", {"job.sql", 40, 1, {}, {}});
  reader.RequiredText("path");
  const Status status = reader.Finish(nullptr);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "table t: the option 'path' is missing");
  EXPECT_EQ(status.error().place.line, 40);
}

TEST(OptionReaderTest, AnUnknownOptionIsRefusedWithTheNearestKnownOne) {
  const Options options = MakeOptions({{"pth", "in"}});
  OptionReader reader(options, "table t", {});
  reader.RequiredText("path");
  reader.Text("format", "csv");
  const Status status = reader.Finish(nullptr);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "table t: unknown option 'pth'; did you mean 'path'?");
  EXPECT_EQ(status.error().place.line, 2);
}

TEST(OptionReaderTest, ANameUnlikeAllOthersIsRefusedWithAllThatAreKnown) {
  const Options options = MakeOptions({{"zzzzzz", "1"}});
  OptionReader reader(options, "table t", {});
  reader.Alias("directory", "path");
  reader.Text("path", "");
  reader.Text("format", "");
  const Status status = reader.Finish(nullptr);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "table t: unknown option 'zzzzzz'; known are directory, format, path");
}

TEST(OptionReaderTest, AnAliasMeansTheSameAndBothAreRefused) {
  {
    const Options options = MakeOptions({{"maxFilesPerTrigger", "3"}});
    OptionReader reader(options, "table t", {});
    reader.Alias("maxFilesPerTrigger", "source.max-files-per-trigger");
    EXPECT_EQ(reader.Integer("source.max-files-per-trigger", 0), 3);
    EXPECT_TRUE(reader.Finish(nullptr));
  }
  const Options options =
      MakeOptions({{"maxFilesPerTrigger", "3"}, {"source.max-files-per-trigger", "4"}});
  OptionReader reader(options, "table t", {});
  reader.Alias("maxFilesPerTrigger", "source.max-files-per-trigger");
  reader.Integer("source.max-files-per-trigger", 0);
  const Status status = reader.Finish(nullptr);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("mean the same"));
}

TEST(OptionReaderTest, OptionsWithoutEffectAreListedOnce) {
  const Options options = MakeOptions({{"auto-compaction", "true"},
                                       {"sink.rolling-policy.file-size", "1 mb"},
                                       {"sink.rolling-policy.check-interval", "1 min"},
                                       {"path", "in"},
                                       {"sink.existing", "overwrite"}});
  OptionReader reader(options, "table t", {});
  reader.RequiredText("path");
  reader.AcceptElsewhere("sink.existing");
  reader.AcceptWithoutEffect("auto-compaction");
  reader.AcceptWithoutEffect("sink.rolling-policy.*");
  std::vector<std::string> notes;
  ASSERT_TRUE(reader.Finish(&notes));
  EXPECT_THAT(notes, ElementsAre("table t: accepted, but without effect here: 'auto-compaction', "
                                 "'sink.rolling-policy.check-interval', "
                                 "'sink.rolling-policy.file-size'"));
  notes.clear();
  const Options none;
  OptionReader quiet(none, "table t", {});
  quiet.AcceptWithoutEffect("auto-compaction");
  ASSERT_TRUE(quiet.Finish(&notes));
  EXPECT_THAT(notes, IsEmpty());
}

}  // namespace
}  // namespace braid
