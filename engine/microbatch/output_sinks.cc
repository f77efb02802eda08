#include "engine/microbatch/output_sinks.h"

#include <functional>

namespace braid {

namespace {

// Up to the first that fails.
Status ForEach(const OutputSinks& sinks, const std::function<Status(Sink&)>& call) {
  for (const std::unique_ptr<Sink>* sink :
       {&sinks.result, &sinks.late_rows, &sinks.unmatched_rows}) {
    if (*sink == nullptr) continue;
    if (Status status = call(**sink); !status) return status;
  }
  return {};
}

}  // namespace

Status OutputSinks::Open(const SinkContext& context) {
  return ForEach(*this, [&](Sink& sink) { return sink.Open(context); });
}

Status OutputSinks::BeginBatch(int64_t batch_id) {
  return ForEach(*this, [&](Sink& sink) { return sink.BeginBatch(batch_id); });
}

Status OutputSinks::PublishBatch(int64_t batch_id) {
  return ForEach(*this, [&](Sink& sink) { return sink.PublishBatch(batch_id); });
}

Status OutputSinks::Close() {
  return ForEach(*this, [](Sink& sink) { return sink.Close(); });
}

void OutputSinks::Interrupt() {
  const Status status = ForEach(*this, [](Sink& sink) -> Status {
    sink.Interrupt();
    return {};
  });
  static_cast<void>(status);
}

}  // namespace braid
