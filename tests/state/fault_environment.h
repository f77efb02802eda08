// The machine's files as LevelDB sees them, with faults: writes that fail when told to, and a crash
// that loses what was not synced. Files are written at once but never really synced, so that tests
// with thousands of commits do not wait for a disk.
//
// Thread rule: any thread, as LevelDB asks of an Env; the controls from one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace leveldb {
class Env;
}

namespace braid {

class FaultEnvironment {
 public:
  FaultEnvironment();
  ~FaultEnvironment();
  FaultEnvironment(const FaultEnvironment&) = delete;
  FaultEnvironment& operator=(const FaultEnvironment&) = delete;

  leveldb::Env* env();

  // Calls that write (append, sync, new file, rename) from here on.
  int64_t num_writes() const;

  // The `count`-th of them from now on (1 = the next) fails, and all after it if `for_good`. An
  // append that fails has written the first half of its bytes, as a full disk would.
  void FailWrite(int64_t count, bool for_good);
  void HealWrites();

  // What a power failure leaves: every file ends where it was last synced; a file that never was
  // is gone. REQUIRES: no store is open.
  void Crash();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace braid
