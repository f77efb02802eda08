#include "engine/compare/collected_rows.h"

#include <algorithm>
#include <string>
#include <utility>

namespace braid {

namespace {

class CollectingSink final : public Sink {
 public:
  explicit CollectingSink(std::shared_ptr<CollectedRows> rows) : rows_(std::move(rows)) {}

  std::string description() const override { return "rows that are compared"; }
  bool takes_changes() const override { return true; }
  Status Open(const SinkContext&) override { return {}; }
  Status BeginBatch(int64_t batch_id) override {
    batch_id_ = batch_id;
    return {};
  }
  Status Write(int, const RowBatch& rows) override {
    rows_->Add(rows, batch_id_);
    return {};
  }
  Status PublishBatch(int64_t) override { return {}; }

 private:
  std::shared_ptr<CollectedRows> rows_;
  int64_t batch_id_ = 0;
};

}  // namespace

void CollectedRows::Add(const RowBatch& rows, int64_t batch_id) {
  const std::lock_guard lock(mutex_);
  blocks_.push_back({rows, batch_id, num_rows_});
  num_rows_ += rows.num_rows();
  has_changes_ = has_changes_ || rows.has_change_kinds();
}

CollectedRows::Place CollectedRows::PlaceOf(int64_t row) const {
  const auto after =
      std::upper_bound(blocks_.begin(), blocks_.end(), row,
                       [](int64_t wanted, const Block& block) { return wanted < block.first_row; });
  const Block& block = *std::prev(after);
  return {&block, row - block.first_row};
}

SinkFactory CollectInto(std::shared_ptr<CollectedRows> rows) {
  return [rows](const TableDescription&) -> Result<std::unique_ptr<Sink>> {
    return std::make_unique<CollectingSink>(rows);
  };
}

}  // namespace braid
