// The column of a csv or json table that says what each row changes: +I, -U, +U or -D, the option
// 'changelog.column'. It may be declared, as a STRING, and then stands at its place like any other
// column; if it is not, it stands in the data alone: in front, where places count.
//
// Thread rule: values and free functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "braid/connector.h"
#include "braid/row_batch.h"
#include "braid/schema.h"

namespace braid {

class OptionReader;

inline constexpr std::string_view kChangelogColumnOption = "changelog.column";

struct ChangelogColumn {
  std::string name;                // As the table declares it, if it does.
  std::optional<size_t> declared;  // Its place among the columns of the table.
};

// Reads 'changelog.column'; absent if it is not given. A declared column of another type than
// STRING is refused; errors are kept in `options`.
std::optional<ChangelogColumn> ReadChangelogColumn(const TableDescription& table,
                                                   OptionReader* options);

// The columns as they stand in the data: `column` in front of them if it is not declared.
Schema WithChangelogColumn(const Schema& schema, const ChangelogColumn& column);

// The rows as they stand in the data: the kind of each is the text of its `column`. The batch given
// back has no kinds.
RowBatch ShowChangeKinds(const RowBatch& rows, const ChangelogColumn& column);

}  // namespace braid
