// Turns rows into bytes: the writing half of a format (csv, json). Every record ends with '\n'.
//
// Thread rule: immutable; any number of threads may encode at the same time.
#pragma once

#include <memory>
#include <string>

#include "braid/connector.h"
#include "braid/error.h"
#include "braid/row_batch.h"

namespace braid {

class OptionReader;

class RowEncoder {
 public:
  virtual ~RowEncoder() = default;

  // Whether the kinds of rows (RowBatch::change_kind) are written; if not, all are insertions.
  virtual bool takes_changes() const { return false; }

  // Appends what stands at the beginning of each file: with 'csv.header' the names of the columns,
  // else nothing.
  virtual void AppendHeader(std::string* bytes) const = 0;

  // Appends one record a row. `rows` has the table's columns in order. Fails with kInvalidInput if
  // a value cannot be written with the table's options (a delimiter in a field while quotes are
  // disabled); then what was appended is unspecified.
  virtual Status Encode(const RowBatch& rows, std::string* bytes) const = 0;
};

// Makes the encoder that the table's 'format' asks for; `options` as for NewRowDecoder
// (row_decoder.h). Options that matter only for reading are checked and have no effect.
Result<std::unique_ptr<RowEncoder>> NewRowEncoder(const TableDescription& table,
                                                  OptionReader* options);

}  // namespace braid
