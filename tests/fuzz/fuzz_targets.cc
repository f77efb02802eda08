#include "tests/fuzz/fuzz_target.h"

namespace braid {

namespace {

constexpr FuzzTarget kTargets[] = {
    {"sql", FuzzSql},                   // A job's text: lexer, parser, binder.
    {"csv", FuzzCsv},                   // A file of csv, in one piece and cut in two.
    {"json", FuzzJson},                 // The same of json and debezium-json.
    {"schema_guess", FuzzSchemaGuess},  // What files without a declaration hold.
    {"lines", FuzzLines},               // Bytes of a connection to lines, and logged lines to rows.
    {"zstd_frames", FuzzZstdFrames},    // Where frames of a .zst file end.
    {"times", FuzzTimes},               // Times, zones, formats of times.
    {"state_records", FuzzStateRecords},    // Every record of a checkpoint.
    {"commit_mark", FuzzCommitMark},        // What was committed last, beside a checkpoint's store.
    {"packed_numbers", FuzzPackedNumbers},  // Packed integers, decimals and ids.
    {"file_list", FuzzFileList},            // The list of files that a source has found.
    {"offsets", FuzzOffsets},               // Offsets of tables of files.
    {"epochs", FuzzEpochs},                 // What the per-record mode adds to plans and commits.
    {"control", FuzzControl},               // Requests and answers of the control socket.
    {"batch_index", FuzzBatchIndex},        // Where batches begin in files that they share.
};

}  // namespace

std::span<const FuzzTarget> FuzzTargets() { return kTargets; }

}  // namespace braid
