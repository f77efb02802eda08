#include "braid/query.h"

#include <utility>

#include "engine/library/query_run.h"

namespace braid {

Query::Query(std::shared_ptr<QueryRun> run) : run_(std::move(run)) {}
Query::Query(Query&& other) noexcept = default;
Query& Query::operator=(Query&& other) noexcept = default;
Query::~Query() = default;

const std::string& Query::id() const { return run_->identity().id; }
const std::string& Query::run_id() const { return run_->identity().run_id; }
const std::string& Query::name() const { return run_->identity().name; }
const std::vector<std::string>& Query::warnings() const { return run_->warnings(); }
const std::vector<std::string>& Query::notes() const { return run_->notes(); }

void Query::Stop() { run_->Stop(); }
void Query::Abandon() { run_->Abandon(); }
braid::Status Query::AwaitTermination() { return run_->AwaitTermination(); }
Result<bool> Query::AwaitTermination(std::chrono::milliseconds timeout) {
  return run_->AwaitTermination(timeout);
}
braid::Status Query::ProcessAllAvailable() { return run_->ProcessAllAvailable(); }

std::optional<BatchProgress> Query::LastProgress() const { return run_->last_progress(); }
std::vector<BatchProgress> Query::RecentProgress() const { return run_->recent_progress(); }
QueryStatus Query::Status() const { return run_->status(); }
std::optional<braid::Error> Query::Error() const { return run_->error(); }

}  // namespace braid
