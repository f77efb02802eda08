// Makes up rows: 'datagen'. Row n is the same in every run with the same options, so offsets, which
// count rows, are all that a restart and a replay need.
//
// It gives `rows_per_second` rows a second, counted from Open. It is finite if the number of rows
// or the end of a sequence is set; all of them then count as existing from the start.
//
// Thread rule: that of Source.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/source.h"
#include "engine/connectors/generated_field.h"

namespace braid {

class DatagenSource final : public Source {
 public:
  struct Options {
    std::string table;
    int64_t rows_per_second = 10'000;
    std::optional<int64_t> num_rows;
    int64_t trigger_bytes_max = 4 << 20;
    std::function<std::chrono::nanoseconds()> now;  // A clock that never goes back.
  };

  // `fields`: one a field of `schema`, the columns that are read.
  DatagenSource(Options options, std::shared_ptr<const Schema> schema,
                std::vector<GeneratedField> fields);

  TriggerLimits trigger_limits() const override { return {options_.trigger_bytes_max, 0}; }
  std::string description() const override;
  bool is_finite() const override { return options_.num_rows.has_value(); }
  Status Open(const std::string& start) override;
  // kInvalidOption for a source that never ends: nothing exists now.
  Status StopAtLatest() override;
  Result<SourceNext> Next(const SliceLimits& limits) override;
  Status Replay(const std::string& start, const std::string& end, const std::string& replay,
                const std::function<Status(SourceSlice)>& consumer) override;
  Status Commit(const std::string& end) override;
  std::string latest_offset() const override;

 private:
  // Rows that are due by now, counted from the first of all.
  int64_t NumDue() const;
  SourceSlice Generate(int64_t first, int64_t count) const;

  const Options options_;
  const std::shared_ptr<const Schema> schema_;
  const std::vector<GeneratedField> fields_;
  int64_t row_bytes_ = 1;
  int64_t num_start_ = 0;  // Rows before Open.
  std::chrono::nanoseconds opened_{0};
  std::atomic<int64_t> num_given_ = 0;
};

}  // namespace braid
