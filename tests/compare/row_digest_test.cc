#include "engine/compare/row_digest.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "braid/column_builder.h"

namespace braid {
namespace {

RowBatch Texts(const std::vector<std::vector<std::optional<std::string>>>& rows) {
  std::vector<ColumnBuilder> builders;
  for (int column = 0; column < 2; ++column) builders.emplace_back(DataType::String());
  for (const auto& row : rows) {
    for (size_t column = 0; column < 2; ++column) {
      if (row[column]) {
        builders[column].AppendString(*row[column]);
      } else {
        builders[column].AppendNull();
      }
    }
  }
  auto schema = std::make_shared<const Schema>(
      Schema{{{"a", DataType::String()}, {"b", DataType::String()}}});
  std::vector<Column> columns;
  for (ColumnBuilder& builder : builders) columns.push_back(builder.Finish());
  return RowBatch(std::move(schema), std::move(columns), static_cast<int64_t>(rows.size()));
}

TEST(RowDigestTest, DiffersWhereAnyValueDoes) {
  const RowBatch rows = Texts({{"ab", "c"},
                               {"a", "bc"},
                               {"", "abc"},
                               {"abc", ""},
                               {std::nullopt, "abc"},
                               {"abc", std::nullopt},
                               {std::nullopt, std::nullopt}});
  std::vector<RowDigest> digests;
  const std::vector<int> columns = {0, 1};
  AppendDigests(rows, columns, 0, &digests);
  EXPECT_EQ(std::set<RowDigest>(digests.begin(), digests.end()).size(), digests.size());
  EXPECT_NE(DigestOf(rows, 0, columns, 0), DigestOf(rows, 0, columns, 1));
}

TEST(RowDigestTest, IsThatOfTheValuesAlone) {
  const RowBatch first = Texts({{"x", "y"}, {"ab", std::nullopt}});
  const RowBatch second = Texts({{"ab", std::nullopt}});
  const std::vector<int> columns = {0, 1};
  EXPECT_EQ(DigestOf(first, 1, columns, 0), DigestOf(second, 0, columns, 0));
  EXPECT_EQ(DigestOf(first, 1, std::vector<int>{0}, 0),
            DigestOf(second, 0, std::vector<int>{0}, 0));
}

}  // namespace
}  // namespace braid
