#include "engine/library/guarded_sink.h"

#include <utility>

namespace braid {

namespace {

constexpr const char* kWhat = "the sink";

}  // namespace

GuardedSink::GuardedSink(std::unique_ptr<Sink> sink) : sink_(std::move(sink)) {}

GuardedSink::~GuardedSink() = default;

std::string GuardedSink::description() const {
  return thrown_.Or(kWhat, kWhat, [&] { return sink_->description(); });
}

std::string GuardedSink::location() const {
  return thrown_.Or(kWhat, "", [&] { return sink_->location(); });
}

bool GuardedSink::takes_changes() const {
  return thrown_.Or(kWhat, false, [&] { return sink_->takes_changes(); });
}

Status GuardedSink::Open(const SinkContext& context) {
  if (Status fine = thrown_.status(); !fine) return fine;
  return CallProgram(kWhat, [&] { return sink_->Open(context); });
}

Status GuardedSink::BeginBatch(int64_t batch_id) {
  if (Status fine = thrown_.status(); !fine) return fine;
  return CallProgram(kWhat, [&] { return sink_->BeginBatch(batch_id); });
}

Status GuardedSink::Write(int partition, const RowBatch& rows) {
  return CallProgram(kWhat, [&] { return sink_->Write(partition, rows); });
}

Status GuardedSink::PublishBatch(int64_t batch_id) {
  return CallProgram(kWhat, [&] { return sink_->PublishBatch(batch_id); });
}

Status GuardedSink::Close() {
  return CallProgram(kWhat, [&] { return sink_->Close(); });
}

void GuardedSink::Interrupt() {
  thrown_.Try(kWhat, [&] { sink_->Interrupt(); });
}

SinkFactory GuardSink(SinkFactory factory) {
  return [factory =
              std::move(factory)](const TableDescription& table) -> Result<std::unique_ptr<Sink>> {
    Result<std::unique_ptr<Sink>> sink = CallProgram(kWhat, [&] { return factory(table); });
    if (!sink) return sink;
    if (*sink == nullptr) return Fail(ErrorCode::kProgram, "the sink is null", table.place);
    return std::make_unique<GuardedSink>(std::move(*sink));
  };
}

}  // namespace braid
