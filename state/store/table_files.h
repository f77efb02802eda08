// The machine's files for LevelDB, but tables are read by pread. LevelDB's own environment maps
// them into memory, where a compaction leaves each page that it has read resident until the table
// is deleted: as much again as all other memory of a long run.
//
// Thread rule: any number of threads.
#pragma once

namespace leveldb {
class Env;
}

namespace braid {

// Lives as long as the process.
leveldb::Env* TableFiles();

}  // namespace braid
