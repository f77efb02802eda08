// What may be no longer, wider or deeper, each with its reason. Beyond a limit is an error that
// names it and the place, or a bad record; docs/limits.md is the user's list.
#pragma once

#include <cstddef>
#include <cstdint>

namespace braid {

// A job is written by people or by a small program; more is most likely a data file by mistake. It
// also keeps every offset in 32 bits and bounds the parser's stack.
constexpr size_t kMaxScriptBytes = 8U << 20;

// How deep expressions, joins, subqueries and views may be nested: binding, planning and evaluation
// recurse, and this keeps them well inside a thread's stack. AND, OR, ||, IN and CASE lists are
// flat.
constexpr int kMaxNesting = 300;

// Columns of one table or one intermediate result; `SELECT *` over views that join themselves would
// double them with each view.
constexpr size_t kMaxColumns = 4'096;

// Nodes of one query's plan; views that join themselves would double them with each view.
constexpr int64_t kMaxPlanNodes = 10'000;

// Joins of one query: a store keeps the state of so many, two sides each.
constexpr size_t kJoinsMax = 32;

// What one batch takes of a socket: it is logged as one record of the checkpoint.
constexpr int64_t kSocketTriggerBytesMax = int64_t{256} << 20;

// Connections that a listening socket keeps open at once.
constexpr int64_t kConnectionsMax = 100'000;

// A record of a file or a line of a connection: it is held in memory whole. What an open quote
// swallowed is read again line by line.
constexpr size_t kRecordBytesMax = size_t{16} << 20;

// Bytes of records that are decoded at once: strings are indexed by 32 bits.
constexpr size_t kDecodeBytesMax = size_t{1} << 30;

// How deep objects and arrays of JSON may be nested, as Jackson has it: what is deeper is refused,
// so that it does not exhaust the stack.
constexpr int kJsonDepthMax = 1'000;

// One text that a function makes.
constexpr int64_t kTextBytesMax = int64_t{64} << 20;

// The texts and BYTES of one row's join key. A longer one is no key that somebody meant, and each
// comparison of two keys would read it.
constexpr int64_t kKeyBytesMax = int64_t{64} << 20;

// A row as a checkpoint holds it, in one record: what Cap'n Proto can hold of one text. Rows of
// files and functions are far below it; a program may give longer ones.
constexpr size_t kStoredRowBytesMax = size_t{512} << 20;

// Threads of a query, and versions that a checkpoint keeps: far beyond what helps.
constexpr int64_t kParallelismMax = 256;
constexpr int64_t kRetainVersionsMax = 10'000;

// What the two ends of a control socket take from each other before they have read a line end. A
// request names a version and a side; a line of an answer may be a row with long texts.
constexpr size_t kControlRequestBytesMax = 64 << 10;
constexpr size_t kControlLineBytesMax = size_t{256} << 20;

}  // namespace braid
