#include "state/rows/key_word.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "braid/column_builder.h"

namespace braid {
namespace {

using testing::ElementsAre;

constexpr uint8_t kPlain[] = {0, 0};
constexpr uint8_t kNullSafe[] = {1, 1};

Column ColumnOf(DataType type, const std::vector<Value>& values) {
  ColumnBuilder builder(type);
  for (const Value& value : values) builder.AppendValue(value);
  return builder.Finish();
}

Column Doubles(const std::vector<double>& values) {
  ColumnBuilder builder(DataType::Double());
  for (const double value : values) builder.Append(value);
  return builder.Finish();
}

Column Strings(const std::vector<std::string>& values) {
  ColumnBuilder builder(DataType::String());
  for (const std::string& value : values) builder.AppendString(value);
  return builder.Finish();
}

KeyWords WordsOf(const std::vector<Column>& keys, std::span<const uint8_t> null_safe) {
  return ComputeKeyWords(keys, null_safe.first(keys.size()), keys[0].length());
}

TEST(KeyWordTest, OneColumnOfFixedWidthIsItsOwnWord) {
  const std::vector<DataType> integer = {DataType::BigInt()};
  const std::vector<DataType> text = {DataType::String()};
  const std::vector<DataType> two = {DataType::Int(), DataType::Int()};
  EXPECT_EQ(KeyWordKindOf(integer, std::span(kPlain).first(1)), KeyWordKind::kExact);
  EXPECT_EQ(KeyWordKindOf(integer, std::span(kNullSafe).first(1)), KeyWordKind::kHash);
  EXPECT_EQ(KeyWordKindOf(text, std::span(kPlain).first(1)), KeyWordKind::kHash);
  EXPECT_EQ(KeyWordKindOf(two, kPlain), KeyWordKind::kHash);
  EXPECT_EQ(KeyWordKindOf({}, {}), KeyWordKind::kExact);

  const Column numbers = ColumnOf(DataType::BigInt(), {Value::BigInt(-1), Value::BigInt(7)});
  EXPECT_THAT(WordsOf({numbers}, kPlain).words, ElementsAre(~uint64_t{0}, 7));
}

TEST(KeyWordTest, IntegersOfAllWidthsGiveTheSameWord) {
  std::set<uint64_t> words;
  for (const DataType& type :
       {DataType::TinyInt(), DataType::SmallInt(), DataType::Int(), DataType::BigInt()}) {
    words.insert(WordsOf({ColumnOf(type, {{type, int64_t{-5}}})}, kPlain).words[0]);
  }
  EXPECT_EQ(words.size(), 1U);
}

TEST(KeyWordTest, AllNansAreOneKeyAndSoAreBothZeros) {
  const KeyWords keys = WordsOf({Doubles({std::nan("1"), -std::nan("2"), 0.0, -0.0, 1.0})}, kPlain);
  EXPECT_EQ(keys.words[0], keys.words[1]);
  EXPECT_EQ(keys.words[2], keys.words[3]);
  EXPECT_NE(keys.words[3], keys.words[4]);
}

TEST(KeyWordTest, ANullIsLinkableOnlyInANullSafeColumn) {
  const Column column = ColumnOf(DataType::BigInt(), {Value::BigInt(1), Value::Null()});
  const KeyWords plain = WordsOf({column}, kPlain);
  EXPECT_TRUE(plain.IsLinkable(0));
  EXPECT_FALSE(plain.IsLinkable(1));
  const KeyWords null_safe = WordsOf({column}, kNullSafe);
  EXPECT_TRUE(null_safe.IsLinkable(0));
  EXPECT_TRUE(null_safe.IsLinkable(1));
  EXPECT_NE(null_safe.words[0], null_safe.words[1]);
}

TEST(KeyWordTest, TheOrderOfColumnsCounts) {
  const Column left = Strings({"a", "b"});
  const Column right = Strings({"b", "a"});
  const KeyWords keys = WordsOf({left, right}, kPlain);
  EXPECT_NE(keys.words[0], keys.words[1]);
}

TEST(KeyWordTest, NoColumnsMeanOneKeyForAllRows) {
  const KeyWords keys = ComputeKeyWords({}, {}, 3);
  EXPECT_THAT(keys.words, ElementsAre(0, 0, 0));
  EXPECT_TRUE(keys.IsLinkable(2));
}

TEST(KeyWordTest, PartitionsAreInRangeAndEvenlyFilled) {
  for (const uint32_t partitions : {1U, 2U, 3U, 7U, 64U}) {
    std::vector<int> rows(partitions, 0);
    for (uint64_t word = 0; word < 64'000; ++word) ++rows[PartitionOf(word, partitions)];
    const double expected = 64'000.0 / partitions;
    for (const int count : rows) EXPECT_NEAR(count, expected, expected * 0.2) << partitions;
  }
}

TEST(KeyWordTest, KeepEqualKeysComparesEveryColumnAndKeepsTheOrder) {
  const std::vector<Column> left = {Strings({"a", "a", "b"}), Doubles({1, std::nan(""), 0.0})};
  const std::vector<Column> right = {Strings({"a", "b", "a"}), Doubles({std::nan(""), -0.0, 1.0})};
  std::vector<int32_t> left_rows = {0, 0, 1, 1, 2, 2};
  std::vector<int32_t> right_rows = {0, 2, 0, 1, 1, 0};
  KeepEqualKeys(left, right, kPlain, &left_rows, &right_rows);
  EXPECT_THAT(left_rows, ElementsAre(0, 1, 2));
  EXPECT_THAT(right_rows, ElementsAre(2, 0, 1));
}

TEST(KeyWordTest, KeepEqualKeysMatchesNullsOnlyWhereTheColumnIsNullSafe) {
  const std::vector<Column> column = {
      ColumnOf(DataType::BigInt(), {Value::Null(), Value::BigInt(0)})};
  for (const bool null_safe : {false, true}) {
    std::vector<int32_t> left_rows = {0, 0, 1, 1};
    std::vector<int32_t> right_rows = {0, 1, 0, 1};
    KeepEqualKeys(column, column, std::span(null_safe ? kNullSafe : kPlain).first(1), &left_rows,
                  &right_rows);
    EXPECT_EQ(left_rows, null_safe ? std::vector<int32_t>({0, 1}) : std::vector<int32_t>({1}));
    EXPECT_EQ(right_rows, left_rows);
  }
}

// Words are stored in checkpoints: a change of these figures loses every user's state.
TEST(KeyWordTest, WordsStayWhatTheyAre) {
  const KeyWords text = WordsOf({Strings({"", "EWR"})}, kPlain);
  const KeyWords both = WordsOf({Strings({"", "EWR"}), Strings({"x", "y"})}, kPlain);
  EXPECT_THAT(text.words, ElementsAre(3'244'421'341'483'603'138U, 2'909'190'538'698'636'226U));
  EXPECT_THAT(both.words, ElementsAre(13'970'416'671'181'980'910U, 15'297'360'928'854'623'474U));
  EXPECT_EQ(MixKeyWord(0), 10'447'267'063'600'845'631U);
  EXPECT_EQ(WordsOf({Doubles({0.1})}, kPlain).words[0], 4'591'870'180'066'957'722U);
}

}  // namespace
}  // namespace braid
