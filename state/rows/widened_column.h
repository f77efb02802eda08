// Columns of a wider type: every value of the narrow type is one of the wide type, with the same
// key word (key_word.h). And back.
//
// Thread rule: free functions over immutable arrays.
#pragma once

#include "braid/data_type.h"
#include "braid/row_batch.h"

namespace braid {

// Whether all values of `from` can be kept as `to`: the types are equal but maybe for a text's
// length, or `to` is a longer integer, DOUBLE for FLOAT, a longer DECIMAL of the same scale, a
// TIMESTAMP with more fraction digits, a text with a larger limit or none.
bool IsWidening(const DataType& from, const DataType& to);

// Whether values that `to` had before they were widened to `from` can be had again: integers,
// DECIMALs of the same scale and TIMESTAMPs.
bool IsNarrowing(const DataType& from, const DataType& to);

// The column as `type`; shares the arrays where they are the same. Of values that do not fit what
// comes out is not defined. REQUIRES: IsWidening or IsNarrowing from the column's type to it.
Column ChangeWidth(const Column& column, const DataType& type);

}  // namespace braid
