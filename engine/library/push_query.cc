#include "braid/push_query.h"

#include <utility>

#include "engine/library/push_query_state.h"

namespace braid {

PushQuery::PushQuery(std::unique_ptr<PushQueryState> state) : state_(std::move(state)) {}
PushQuery::PushQuery(PushQuery&& other) noexcept = default;
PushQuery& PushQuery::operator=(PushQuery&& other) noexcept = default;
PushQuery::~PushQuery() = default;

Status PushQuery::PushLeft(const RowBatch& rows) {
  return state_->Push(state_->FindSide(Side::kLeft, "PushLeft"), rows);
}
Status PushQuery::PushRight(const RowBatch& rows) {
  return state_->Push(state_->FindSide(Side::kRight, "PushRight"), rows);
}
Status PushQuery::Push(std::string_view table, const RowBatch& rows) {
  return state_->Push(state_->Find(table), rows);
}

Status PushQuery::AdvanceWatermark(Watermark watermark) {
  return state_->AdvanceWatermark(state_->AllTables(), watermark);
}
Status PushQuery::AdvanceLeftWatermark(Watermark watermark) {
  return state_->AdvanceWatermark(state_->FindSide(Side::kLeft, "AdvanceLeftWatermark"), watermark);
}
Status PushQuery::AdvanceRightWatermark(Watermark watermark) {
  return state_->AdvanceWatermark(state_->FindSide(Side::kRight, "AdvanceRightWatermark"),
                                  watermark);
}
Status PushQuery::AdvanceWatermark(std::string_view table, Watermark watermark) {
  return state_->AdvanceWatermark(state_->Find(table), watermark);
}

Status PushQuery::AdvanceClock(EventTime now) { return state_->AdvanceClock(now); }

Status PushQuery::EndOfInput() { return state_->EndOfInput(); }

Result<std::shared_ptr<const Schema>> PushQuery::left_schema() const {
  return state_->SchemaOf(state_->FindSide(Side::kLeft, "left_schema"));
}
Result<std::shared_ptr<const Schema>> PushQuery::right_schema() const {
  return state_->SchemaOf(state_->FindSide(Side::kRight, "right_schema"));
}
Result<std::shared_ptr<const Schema>> PushQuery::schema(std::string_view table) const {
  return state_->SchemaOf(state_->Find(table));
}
const Schema& PushQuery::output_schema() const { return state_->job->plan().output; }

int64_t PushQuery::num_left_rows() const {
  const PerRecordJoin* join = state_->uppermost();
  return join == nullptr ? 0 : join->num_state_rows(Side::kLeft);
}
int64_t PushQuery::num_right_rows() const {
  const PerRecordJoin* join = state_->uppermost();
  return join == nullptr ? 0 : join->num_state_rows(Side::kRight);
}
int64_t PushQuery::num_state_rows() const { return state_->query->tree().num_state_rows(); }
std::vector<int64_t> PushQuery::timer_millis() const {
  const PerRecordJoin* join = state_->uppermost();
  return join == nullptr ? std::vector<int64_t>() : join->timer_times();
}
std::optional<Watermark> PushQuery::watermark() const { return state_->query->watermark(); }

}  // namespace braid
