#include "engine/sql/source_text.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "state/rows/limits.h"

namespace braid {
namespace {

const std::map<std::string, std::string>& Defines() {
  static const std::map<std::string, std::string> defines = {{"DIR", "/data"},  {"N", "5"},
                                                             {"EMPTY", ""},     {"LOOP", "${N}"},
                                                             {"LINES", "a\nb"}, {"x_1", "y"}};
  return defines;
}

SourceText Source(const std::string& written) {
  Result<SourceText> source = SourceText::Create(written, "job.sql", Defines());
  EXPECT_TRUE(source.has_value()) << source.error().ToString();
  return std::move(*source);
}

TEST(SourceTextTest, SubstitutesNamesOutsideOfComments) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"SELECT ${N}", "SELECT 5"},
      {"'${DIR}/x'", "'/data/x'"},
      {"`${N}`", "`5`"},
      {"${DIR}${N}", "/data5"},
      {"a${EMPTY}b", "ab"},
      {"${x_1}", "y"},
      {"${LOOP}", "${N}"},
      {"-- ${NOPE}\n${N}", "-- ${NOPE}\n5"},
      {"/* ${NOPE} */ ${N}", "/* ${NOPE} */ 5"},
      {"/*/ ${NOPE} */ ${N}", "/*/ ${NOPE} */ 5"},
      {"'--' ${N}", "'--' 5"},
      {"'it''s /*' ${N}", "'it''s /*' 5"},
      {"`--` ${N} -- ${NOPE}", "`--` 5 -- ${NOPE}"},
      {"- ${N} - -${N}", "- 5 - -5"},
      {"$N $ {N} ${} ${1} ${a b} ${N", "$N $ {N} ${} ${1} ${a b} ${N"},
      {"\xEF\xBB\xBFSELECT", "SELECT"},
  };
  for (const auto& [written, text] : cases) EXPECT_EQ(Source(written).text(), text) << written;
}

TEST(SourceTextTest, NamesAnUnknownNameAndTheFlagThatGivesIt) {
  const Result<SourceText> source = SourceText::Create("a\n  'x${NOPE}'", "job.sql", Defines());
  ASSERT_FALSE(source.has_value());
  EXPECT_EQ(source.error().ToString(),
            "job.sql:2:5: invalid query: ${NOPE} has no value; give it with --define NOPE=…");
}

TEST(SourceTextTest, PlacesCountLinesAndCharacters) {
  const SourceText source = Source("one\r\nzwölf €x\n\nlast");
  const auto place_of = [&](const std::string& part) {
    const Place place = source.PlaceAt(static_cast<uint32_t>(source.text().find(part)));
    return std::to_string(place.line) + ":" + std::to_string(place.column);
  };
  EXPECT_EQ(place_of("one"), "1:1");
  EXPECT_EQ(place_of("zw"), "2:1");
  EXPECT_EQ(place_of("lf"), "2:4");
  EXPECT_EQ(place_of("x"), "2:8");
  EXPECT_EQ(place_of("last"), "4:1");
  EXPECT_EQ(source.PlaceAt(static_cast<uint32_t>(source.text().size())).column, 5);
  EXPECT_EQ(source.PlaceAt(0).file, "job.sql");
}

TEST(SourceTextTest, PlacesAreThoseOfTheWrittenText) {
  const SourceText source = Source("a ${DIR} b\n${LINES} c ${EMPTY}d");
  const auto place_of = [&](const std::string& part) {
    const Place place = source.PlaceAt(static_cast<uint32_t>(source.text().rfind(part)));
    return std::to_string(place.line) + ":" + std::to_string(place.column);
  };
  EXPECT_EQ(source.text(), "a /data b\na\nb c d");
  EXPECT_EQ(place_of("/data"), "1:3");
  EXPECT_EQ(place_of("ata"), "1:3");
  EXPECT_EQ(place_of(" b"), "1:9");
  EXPECT_EQ(place_of("b c"), "2:1");
  EXPECT_EQ(place_of("c"), "2:10");
  EXPECT_EQ(place_of("d"), "2:20");
}

TEST(SourceTextTest, AColumnInALongLineIsExact) {
  std::string line;
  for (int count = 0; count < 1000; ++count) line += "é";
  const SourceText source = Source("x\n" + line + "${N}z");
  EXPECT_EQ(source.PlaceAt(static_cast<uint32_t>(source.text().find('z'))).column, 1005);
  EXPECT_EQ(source.PlaceAt(2).column, 1);
}

TEST(SourceTextTest, WrittenGivesTheTextBack) {
  const SourceText source = Source("SELECT '${DIR}/x', ${N}; next");
  const auto end = static_cast<uint32_t>(source.text().find(';'));
  EXPECT_EQ(source.Written({0, end}), "SELECT '${DIR}/x', ${N}");
  EXPECT_EQ(source.Slice({0, end}), "SELECT '/data/x', 5");
  EXPECT_EQ(source.Written({3, 3}), "");
}

TEST(SourceTextTest, RefusesATextThatIsTooLong) {
  const std::string text(kMaxScriptBytes + 1, ' ');
  const Result<SourceText> source = SourceText::Create(text, "", {});
  ASSERT_FALSE(source.has_value());
  EXPECT_EQ(source.error().code, ErrorCode::kInvalidQuery);
  std::string references;
  for (int count = 0; count < 100; ++count) references += "${BIG}";
  const Result<SourceText> grown =
      SourceText::Create(references, "", {{"BIG", std::string(kMaxScriptBytes / 10, ' ')}});
  EXPECT_FALSE(grown.has_value());
}

TEST(SourceTextTest, AnEmptyTextHasAPlace) {
  const SourceText source = Source("");
  EXPECT_EQ(source.PlaceAt(0).line, 1);
  EXPECT_EQ(source.PlaceAt(0).column, 1);
}

TEST(SourceTextTest, VerbatimTextIsAsItWasWritten) {
  const Result<SourceText> source = SourceText::CreateVerbatim("SELECT '${NOPE}'", "");
  ASSERT_TRUE(source);
  EXPECT_EQ(source->text(), "SELECT '${NOPE}'");
}

}  // namespace
}  // namespace braid
