// Rows of one layout for the tests of stores: as values that compare and print, and as state rows.
//
// Thread rule: values and free functions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "state/state_delta.h"
#include "state/versioned_store.h"

namespace braid {

struct TestRow {
  PersistentId id = 0;
  uint64_t word = 0;
  std::optional<int64_t> time;
  std::optional<int64_t> number;
  std::optional<std::string> text;
  bool linkable = true;
  bool matched = false;

  friend bool operator==(const TestRow&, const TestRow&) = default;
};
std::ostream& operator<<(std::ostream& stream, const TestRow& row);

// Payload: number BIGINT, text STRING.
SideLayout TestLayout(const std::string& name, bool has_time);
StoreIdentity TestIdentity(bool has_time = true);

// A run of rows with rising ids; leaves out what may be left out.
StateRows MakeRun(std::span<const TestRow> rows, bool has_time = true);
std::vector<TestRow> RowsOf(const StateRows& run);

// All rows of a side, in the order in which they come; fails the test if they cannot be read.
std::vector<TestRow> ReadRows(VersionedStore* store, int64_t version, uint8_t side);
std::vector<PersistentId> ReadIds(VersionedStore* store, int64_t version, uint8_t side);

}  // namespace braid
