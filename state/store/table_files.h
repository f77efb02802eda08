// The machine's files for LevelDB, with two differences. Tables are read by pread: LevelDB's own
// environment maps them into memory, where a compaction leaves each page that it has read resident
// until the table is deleted: as much again as all other memory of a long run.
//
// And the name CURRENT is synced when it changes. LevelDB leaves that to the file system: where the
// change could be lost, the manifest before would be read again with logs that were never synced,
// and what an attempt that was killed had written there would be missing behind later commits.
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
