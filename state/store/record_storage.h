// An ordered map from keys to records that a store writes its versions to: what the in-memory and
// the LevelDB store differ in.
//
// Writes are staged by Put and Delete and made by Write, all or nothing. After a failed Write the
// storage refuses further ones, since what reached the disk is unknown: open it again.
// Errors: kIo, kCorruption; the message names the directory.
// Thread rule: one thread stages and writes; Get, Scan and TakeSnapshot from any thread at any
// time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "braid/error.h"

namespace braid {

class RecordStorage {
 public:
  // A moment of the map that later writes do not change. Release it before the storage goes.
  class Snapshot {
   public:
    virtual ~Snapshot() = default;
  };

  virtual ~RecordStorage() = default;

  // Copies key and record. One key at most once between two Writes.
  virtual void Put(std::string_view key, std::string_view record) = 0;
  virtual void Delete(std::string_view key) = 0;
  // Forgets what is staged.
  virtual void Discard() = 0;
  // Makes what is staged durable. Staged nothing afterwards, whatever the outcome.
  virtual Status Write() = 0;

  virtual std::shared_ptr<const Snapshot> TakeSnapshot() = 0;

  // `snapshot` may be null: as of now. kNotFound if there is no record.
  virtual Status Get(const Snapshot* snapshot, std::string_view key, std::string* record) = 0;
  // Calls `visit` for every key that begins with `prefix`, in order; stops with its error.
  virtual Status Scan(const Snapshot* snapshot, std::string_view prefix,
                      const std::function<Status(std::string_view, std::string_view)>& visit) = 0;

  // Where the records are, for messages: a directory, or "memory".
  virtual const std::string& location() const = 0;
};

}  // namespace braid
