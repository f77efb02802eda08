// Chunks: a piece of a run of state rows as a record of packed columns, and back.
//
// A chunk does not hold the ids of its rows; they stand in its head, which is read without it.
// Thread rule: free functions; the RecordWriter is for one thread at a time.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "state/state_delta.h"
#include "state/store/record_codec.h"
#include "state/versioned_store.h"

namespace braid {

// Which rows of a run a chunk holds.
struct RowRange {
  int64_t begin = 0;
  int64_t count = 0;
};

// Says what is wrong with rows that do not follow the layout (kInternal).
Status CheckStateRows(const SideLayout& layout, const StateRows& rows);

// Cuts a run into chunks of at most 16 Ki rows and about 4 MiB of strings.
std::vector<RowRange> CutIntoChunks(const StateRows& rows);

// Everything of the head but the key, the version and the chunk's size and checksum.
// REQUIRES: CheckStateRows.
ChunkHead DescribeChunk(const StateRows& rows, RowRange range);

// kInvalidInput if a single row is larger than a record can be.
// REQUIRES: CheckStateRows, range.count <= kChunkRowsMax.
Status WriteChunk(RecordWriter* writer, const ChunkKey& key, const StateRows& rows, RowRange range,
                  const RecordSink& sink);

// The rows with their ids. kCorruption for anything that does not fit layout and head.
Result<StateRows> ReadChunk(const ChunkHead& head, const SideLayout& layout,
                            std::string_view record);

}  // namespace braid
