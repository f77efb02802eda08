#include "state/rows/widened_column.h"

#include <gtest/gtest.h>

#include <limits>

#include "braid/column_builder.h"
#include "braid/value.h"

namespace braid {
namespace {

DataType Varchar(uint32_t length) { return {TypeKind::kString, 0, 0, length}; }

TEST(WidenedColumnTest, OnlyATypeThatHoldsAllValuesIsWider) {
  struct Case {
    DataType from;
    DataType to;
    bool is_wider;
  };
  for (const Case& c : {Case{DataType::Int(), DataType::Int(), true},
                        {DataType::TinyInt(), DataType::SmallInt(), true},
                        {DataType::Int(), DataType::BigInt(), true},
                        {DataType::BigInt(), DataType::Int(), false},
                        {DataType::Int(), DataType::Double(), false},
                        {DataType::Float(), DataType::Double(), true},
                        {DataType::Double(), DataType::Float(), false},
                        {DataType::Decimal(5, 2), DataType::Decimal(9, 2), true},
                        {DataType::Decimal(9, 2), DataType::Decimal(5, 2), false},
                        {DataType::Decimal(5, 2), DataType::Decimal(9, 3), false},
                        {DataType::Timestamp(3), DataType::Timestamp(6), true},
                        {DataType::Timestamp(6), DataType::Timestamp(3), false},
                        {DataType::Timestamp(3), DataType::TimestampLtz(3), false},
                        {DataType::Date(), DataType::Timestamp(3), false},
                        {Varchar(3), Varchar(9), true},
                        {Varchar(9), Varchar(3), false},
                        {Varchar(9), DataType::String(), true},
                        {DataType::String(), Varchar(9), false},
                        {DataType::String(), DataType::Bytes(), false},
                        {DataType::Boolean(), DataType::TinyInt(), false}}) {
    EXPECT_EQ(IsWidening(c.from, c.to), c.is_wider)
        << c.from.ToString() << " to " << c.to.ToString();
  }
}

template <typename From, typename To>
void ExpectKept(const DataType& from, const DataType& to) {
  ColumnBuilder builder(from);
  const From values[] = {std::numeric_limits<From>::lowest(), From{7},
                         std::numeric_limits<From>::max()};
  for (const From value : values) builder.Append(value);
  builder.AppendNull();
  const Column widened = ChangeWidth(builder.Finish(), to);
  ASSERT_TRUE(widened.type() == to);
  ASSERT_EQ(widened.length(), 4);
  for (size_t row = 0; row < 3; ++row) {
    EXPECT_EQ(widened.Values<To>()[row], static_cast<To>(values[row])) << to.ToString();
  }
  EXPECT_TRUE(widened.IsNull(3));
  EXPECT_FALSE(widened.IsNull(2));
  if (!IsNarrowing(to, from)) return;
  const Column back = ChangeWidth(widened, from);
  ASSERT_TRUE(back.type() == from);
  for (size_t row = 0; row < 3; ++row) EXPECT_EQ(back.Values<From>()[row], values[row]);
  EXPECT_TRUE(back.IsNull(3));
}

TEST(WidenedColumnTest, IntegersDecimalsAndTimesComeBackFromAWiderType) {
  EXPECT_TRUE(IsNarrowing(DataType::BigInt(), DataType::TinyInt()));
  EXPECT_TRUE(IsNarrowing(DataType::Decimal(9, 2), DataType::Decimal(5, 2)));
  EXPECT_TRUE(IsNarrowing(DataType::Timestamp(6), DataType::Timestamp(3)));
  EXPECT_FALSE(IsNarrowing(DataType::Int(), DataType::Int()));
  EXPECT_FALSE(IsNarrowing(DataType::Int(), DataType::BigInt()));
  EXPECT_FALSE(IsNarrowing(DataType::Double(), DataType::Float()));
  EXPECT_FALSE(IsNarrowing(DataType::Decimal(9, 3), DataType::Decimal(5, 2)));
  EXPECT_FALSE(IsNarrowing(DataType::String(), Varchar(3)));
}

TEST(WidenedColumnTest, ValuesAndNullsAreKept) {
  ExpectKept<int8_t, int16_t>(DataType::TinyInt(), DataType::SmallInt());
  ExpectKept<int8_t, int64_t>(DataType::TinyInt(), DataType::BigInt());
  ExpectKept<int16_t, int32_t>(DataType::SmallInt(), DataType::Int());
  ExpectKept<int32_t, int64_t>(DataType::Int(), DataType::BigInt());
  ExpectKept<float, double>(DataType::Float(), DataType::Double());
  ExpectKept<int64_t, int64_t>(DataType::Timestamp(3), DataType::Timestamp(6));
  ExpectKept<int64_t, int64_t>(DataType::Decimal(5, 2), DataType::Decimal(9, 2));
  ExpectKept<int32_t, int32_t>(DataType::Int(), DataType::Int());
}

}  // namespace
}  // namespace braid
