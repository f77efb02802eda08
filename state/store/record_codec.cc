#include "state/store/record_codec.h"

#include <capnp/message.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "checkpoint.capnp.h"
#include "state/store/row_layout.h"

namespace braid {

namespace {

constexpr std::string_view kIdentityKey(&kIdentityTag, 1);
constexpr std::string_view kPlanKey(&kPlanTag, 1);
// Room for the fixed part of a record; strings are counted where they may be long.
constexpr size_t kRecordBytes = 1'024;

capnp::Data::Reader AsData(std::string_view bytes) {
  return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
}

kj::StringPtr AsText(const std::string& text) { return {text.c_str(), text.size()}; }

std::string ToString(capnp::Data::Reader data) {
  return {reinterpret_cast<const char*>(data.begin()), data.size()};
}

std::string ToString(capnp::Text::Reader text) { return {text.cStr(), text.size()}; }

// Optional numbers are pointers to a Moment; absent is a null pointer.
template <typename Time>
std::optional<Time> ToTime(bool present, format::Moment::Reader moment) {
  if (!present) return std::nullopt;
  return Time{moment.getValue()};
}

tl::unexpected<Error> Damaged(std::string what) {
  return Fail(ErrorCode::kCorruption, std::move(what));
}

// Hands what was written to the sink under its key.
auto Under(std::string_view key, const RecordSink& sink) {
  return [key, &sink](std::string_view record) { sink(key, record); };
}

void FillField(const Field& field, format::Identity::Field::Builder record) {
  record.setName(AsText(field.name));
  record.setKind(static_cast<uint8_t>(field.type.kind));
  record.setPrecision(field.type.precision);
  record.setScale(field.type.scale);
  record.setLength(field.type.length);
}

Result<Field> ToField(format::Identity::Field::Reader record) {
  if (record.getKind() > static_cast<uint8_t>(TypeKind::kIntervalMonth)) {
    return Damaged(fmt::format("column {} has the unknown type {}", ToString(record.getName()),
                               record.getKind()));
  }
  return Field{ToString(record.getName()),
               {static_cast<TypeKind>(record.getKind()), record.getPrecision(), record.getScale(),
                record.getLength()}};
}

void FillSide(const SideLayout& layout, format::Identity::Side::Builder side) {
  side.setName(AsText(layout.name));
  side.setHashedKey(layout.hashed_key);
  side.setHasTime(layout.has_time);
  const auto& fields = layout.payload.fields;
  auto list = side.initPayload(static_cast<unsigned>(fields.size()));
  for (unsigned i = 0; i < list.size(); ++i) FillField(fields[i], list[i]);
  FillField(layout.key, side.initKey());
  FillField(layout.time, side.initTime());
}

Result<SideLayout> ToSide(format::Identity::Side::Reader side) {
  SideLayout layout;
  layout.name = ToString(side.getName());
  layout.hashed_key = side.getHashedKey();
  layout.has_time = side.getHasTime();
  for (const auto record : side.getPayload()) {
    Result<Field> field = ToField(record);
    if (!field) return tl::unexpected(field.error());
    layout.payload.fields.push_back(std::move(*field));
  }
  for (const auto& [record, field] :
       {std::pair(side.getKey(), &layout.key), std::pair(side.getTime(), &layout.time)}) {
    Result<Field> read = ToField(record);
    if (!read) return tl::unexpected(read.error());
    *field = std::move(*read);
  }
  return layout;
}

void FillPlan(const BatchPlan& plan, format::Plan::Builder record) {
  record.setBatchId(plan.batch_id);
  record.setNoData(plan.no_data);
  record.setFlush(plan.flush);
  if (plan.watermark) record.initWatermarkMillis().setValue(plan.watermark->millis);
  if (plan.late_watermark) record.initLateWatermarkMillis().setValue(plan.late_watermark->millis);
  record.setProcessingTimeMicros(plan.processing_time.micros);
  auto sources = record.initSources(static_cast<unsigned>(plan.sources.size()));
  for (unsigned i = 0; i < sources.size(); ++i) {
    const OffsetRange& source = plan.sources[i];
    sources[i].setTable(AsText(source.table));
    sources[i].setStart(AsData(source.start));
    sources[i].setEnd(AsData(source.end));
    sources[i].setReplay(AsData(source.replay));
  }
  if (!plan.extension.empty()) record.setExtension(AsData(plan.extension));
}

void FillLayout(const EarlierLayout& layout, format::Identity::Layout::Builder record) {
  const unsigned num_sides = static_cast<unsigned>(layout.sides.size());
  auto sides = record.initSides(num_sides);
  auto kept = record.initKept(num_sides);
  for (unsigned side = 0; side < num_sides; ++side) {
    FillSide(layout.sides[side], sides[side]);
    const std::vector<uint16_t>& columns = layout.kept[side];
    auto numbers = kept.init(side, static_cast<unsigned>(columns.size()));
    for (unsigned i = 0; i < numbers.size(); ++i) numbers.set(i, columns[i]);
  }
}

void FillFormerOutputs(const std::vector<FormerOutput>& values, format::Identity::Builder record) {
  if (values.empty()) return;
  auto outputs = record.initFormerOutputs(static_cast<unsigned>(values.size()));
  for (unsigned i = 0; i < outputs.size(); ++i) {
    outputs[i].setPath(AsText(values[i].path));
    outputs[i].setTable(AsText(values[i].table));
    outputs[i].setLastBatch(values[i].last_batch);
  }
}

// The earlier layouts, each of which must lead to the next.
Status ReadLayouts(format::Identity::Reader record, StoreIdentity* identity) {
  for (const auto layout : record.getEarlier()) {
    EarlierLayout& earlier = identity->earlier.emplace_back();
    for (const auto side : layout.getSides()) {
      Result<SideLayout> read = ToSide(side);
      if (!read) return tl::unexpected(read.error());
      earlier.sides.push_back(std::move(*read));
    }
    for (const auto columns : layout.getKept()) {
      std::vector<uint16_t>& kept = earlier.kept.emplace_back();
      for (const uint16_t column : columns) kept.push_back(column);
    }
  }
  for (size_t i = 0; i < identity->earlier.size(); ++i) {
    const EarlierLayout& earlier = identity->earlier[i];
    const bool is_last = i + 1 == identity->earlier.size();
    const auto& next = is_last ? identity->sides : identity->earlier[i + 1].sides;
    if (!LeadsTo(earlier, next)) return Damaged(fmt::format("its layout {} leads nowhere", i));
  }
  return {};
}

// The first two sides have fields of their own.
constexpr size_t kNamedSides = 2;

size_t NumSides(const BatchCommit& commit) {
  return std::max({commit.thresholds.size(), commit.num_state_rows.size(), kNamedSides});
}

int64_t StateRowsOf(const BatchCommit& commit, size_t side) {
  return side < commit.num_state_rows.size() ? commit.num_state_rows[side] : 0;
}

void FillSides(const BatchCommit& commit, format::Commit::Builder record) {
  const auto left = commit.threshold(0);
  const auto right = commit.threshold(1);
  if (left) record.initLeftThresholdMicros().setValue(left->micros);
  if (right) record.initRightThresholdMicros().setValue(right->micros);
  record.setLeftRows(StateRowsOf(commit, 0));
  record.setRightRows(StateRowsOf(commit, 1));
  const size_t num_sides = NumSides(commit);
  if (num_sides == kNamedSides) return;
  auto sides = record.initMoreSides(static_cast<unsigned>(num_sides - kNamedSides));
  for (unsigned i = 0; i < sides.size(); ++i) {
    const auto threshold = commit.threshold(kNamedSides + i);
    if (threshold) sides[i].initThresholdMicros().setValue(threshold->micros);
    sides[i].setRows(StateRowsOf(commit, kNamedSides + i));
  }
}

void ReadSides(format::Commit::Reader record, BatchCommit* commit) {
  commit->thresholds = {
      ToTime<EventTime>(record.hasLeftThresholdMicros(), record.getLeftThresholdMicros()),
      ToTime<EventTime>(record.hasRightThresholdMicros(), record.getRightThresholdMicros())};
  commit->num_state_rows = {record.getLeftRows(), record.getRightRows()};
  for (const auto side : record.getMoreSides()) {
    commit->thresholds.push_back(
        ToTime<EventTime>(side.hasThresholdMicros(), side.getThresholdMicros()));
    commit->num_state_rows.push_back(side.getRows());
  }
}

void FillCommit(const CommitRecord& value, format::Commit::Builder record) {
  const BatchCommit& commit = value.commit;
  record.setBatchId(commit.batch_id);
  record.setNoData(commit.no_data);
  record.setFinished(commit.finished);
  record.setRolledBack(commit.rolled_back);
  if (commit.watermark) record.initWatermarkMillis().setValue(commit.watermark->millis);
  if (commit.next_watermark) {
    record.initNextWatermarkMillis().setValue(commit.next_watermark->millis);
  }
  FillSides(commit, record);
  auto tables = record.initTables(static_cast<unsigned>(commit.tables.size()));
  for (unsigned i = 0; i < tables.size(); ++i) {
    const TableWatermark& table = commit.tables[i];
    tables[i].setName(AsText(table.table));
    if (table.max_time) tables[i].initMaxTimeMicros().setValue(table.max_time->micros);
    if (table.watermark) tables[i].initWatermarkMillis().setValue(table.watermark->millis);
    if (table.reached) tables[i].initReachedMicros().setValue(table.reached->micros);
  }
  auto ends = record.initSourceEnds(static_cast<unsigned>(commit.source_ends.size()));
  for (unsigned i = 0; i < ends.size(); ++i) {
    ends[i].setTable(AsText(commit.source_ends_table[i]));
    ends[i].setEnd(AsData(commit.source_ends[i]));
  }
  if (!commit.extension.empty()) record.setExtension(AsData(commit.extension));
  record.setNextLineage(value.next_lineage);
  record.setDigest(value.digest);
}

CommitRecord ToCommit(format::Commit::Reader record) {
  CommitRecord value;
  BatchCommit& commit = value.commit;
  commit.batch_id = record.getBatchId();
  commit.no_data = record.getNoData();
  commit.finished = record.getFinished();
  commit.rolled_back = record.getRolledBack();
  commit.watermark = ToTime<Watermark>(record.hasWatermarkMillis(), record.getWatermarkMillis());
  commit.next_watermark =
      ToTime<Watermark>(record.hasNextWatermarkMillis(), record.getNextWatermarkMillis());
  ReadSides(record, &commit);
  for (const auto table : record.getTables()) {
    commit.tables.push_back(
        {ToString(table.getName()),
         ToTime<EventTime>(table.hasMaxTimeMicros(), table.getMaxTimeMicros()),
         ToTime<Watermark>(table.hasWatermarkMillis(), table.getWatermarkMillis()),
         ToTime<EventTime>(table.hasReachedMicros(), table.getReachedMicros())});
  }
  for (const auto end : record.getSourceEnds()) {
    commit.source_ends_table.push_back(ToString(end.getTable()));
    commit.source_ends.push_back(ToString(end.getEnd()));
  }
  commit.extension = ToString(record.getExtension());
  value.next_lineage = record.getNextLineage();
  value.digest = record.getDigest();
  return value;
}

Result<ChunkHead> ToChunkHead(const ChunkKey& key, format::ChunkHead::Reader record) {
  ChunkHead head;
  head.key = key;
  head.version = record.getVersion();
  head.folded = record.getFolded();
  const capnp::Data::Reader ids = record.getIds();
  std::optional<IdRuns> runs = IdRuns::Decode({ids.begin(), ids.size()});
  if (!runs || runs->empty()) return Damaged("its row ids cannot be read");
  if (runs->size() > static_cast<uint64_t>(kChunkRowsMax)) {
    return Damaged(fmt::format("it says it has {} rows", runs->size()));
  }
  head.ids = std::move(*runs);
  head.null_times = record.getNullTimes();
  if (head.null_times > head.num_rows()) return Damaged("it has more NULL times than rows");
  if (head.null_times < head.num_rows()) {
    head.times = ChunkTimes{record.getMinTimeMicros(), record.getMaxTimeMicros(),
                            record.getEarlyTimeMicros(), record.getMiddleTimeMicros()};
    if (head.times->minimum > head.times->maximum) return Damaged("its times are out of order");
  }
  head.chunk_bytes = record.getChunkBytes();
  head.chunk_checksum = record.getChunkChecksum();
  head.layout = record.getLayout();
  return head;
}

}  // namespace

Status WriteIdentity(RecordWriter* writer, const StoreIdentity& identity, const RecordSink& sink) {
  const auto fill = [&](capnp::MessageBuilder& message) {
    auto record = message.initRoot<format::Identity>();
    record.setFormatVersion(identity.earlier.empty() ? kFormatVersion : kLayoutsFormatVersion);
    record.setQueryId(AsText(identity.query_id));
    record.setFingerprint(AsText(identity.fingerprint));
    auto sides = record.initSides(static_cast<unsigned>(identity.sides.size()));
    for (unsigned i = 0; i < sides.size(); ++i) FillSide(identity.sides[i], sides[i]);
    FillFormerOutputs(identity.former_outputs, record);
    if (identity.earlier.empty()) return;
    auto earlier = record.initEarlier(static_cast<unsigned>(identity.earlier.size()));
    for (unsigned i = 0; i < earlier.size(); ++i) FillLayout(identity.earlier[i], earlier[i]);
  };
  return writer->Write(kIdentityKey, kRecordBytes + identity.fingerprint.size(), fill,
                       Under(kIdentityKey, sink));
}

Status WritePlanRecord(RecordWriter* writer, const BatchPlan& plan, const RecordSink& sink) {
  size_t bytes = kRecordBytes + plan.extension.size();
  for (const OffsetRange& source : plan.sources) {
    bytes +=
        128 + source.table.size() + source.start.size() + source.end.size() + source.replay.size();
  }
  const auto fill = [&](capnp::MessageBuilder& message) {
    FillPlan(plan, message.initRoot<format::Plan>());
  };
  return writer->Write(kPlanKey, bytes, fill, Under(kPlanKey, sink));
}

Status WriteCommit(RecordWriter* writer, const CommitRecord& commit, const RecordSink& sink) {
  const std::string key = CommitRecordKey(commit.commit.batch_id);
  const auto fill = [&](capnp::MessageBuilder& message) {
    FillCommit(commit, message.initRoot<format::Commit>());
  };
  // A side is a struct of two words with a Moment of one.
  const size_t bytes = kRecordBytes + commit.commit.extension.size() + 24 * NumSides(commit.commit);
  return writer->Write(key, bytes, fill, Under(key, sink));
}

Status WriteChunkHead(RecordWriter* writer, const ChunkHead& head, const RecordSink& sink) {
  const std::string key = ChunkHeadRecordKey(head.key);
  const std::string ids = head.ids.Encode();
  const auto fill = [&](capnp::MessageBuilder& message) {
    auto record = message.initRoot<format::ChunkHead>();
    record.setVersion(head.version);
    record.setFolded(head.folded);
    record.setIds(AsData(ids));
    record.setNullTimes(static_cast<uint32_t>(head.null_times));
    if (head.times) {
      record.setMinTimeMicros(head.times->minimum);
      record.setMaxTimeMicros(head.times->maximum);
      record.setEarlyTimeMicros(head.times->early);
      record.setMiddleTimeMicros(head.times->middle);
    }
    record.setChunkBytes(head.chunk_bytes);
    record.setChunkChecksum(head.chunk_checksum);
    record.setLayout(head.layout);
  };
  return writer->Write(key, kRecordBytes + ids.size(), fill, Under(key, sink));
}

Result<StoreIdentity> ReadIdentity(std::string_view record) {
  StoreIdentity identity;
  const auto read = [&](capnp::MessageReader& message) -> Status {
    const auto value = message.getRoot<format::Identity>();
    const uint32_t format_version = value.getFormatVersion();
    if (format_version < kFormatVersion || format_version > kLayoutsFormatVersion) {
      return Fail(ErrorCode::kConflict,
                  fmt::format("the checkpoint has format version {}, this Braid reads versions {} "
                              "and {}",
                              format_version, kFormatVersion, kLayoutsFormatVersion));
    }
    identity.query_id = ToString(value.getQueryId());
    identity.fingerprint = ToString(value.getFingerprint());
    if (value.getSides().size() > kSidesMax) {
      return Damaged(fmt::format("it has more than {} sides", kSidesMax));
    }
    for (const auto side : value.getSides()) {
      Result<SideLayout> layout = ToSide(side);
      if (!layout) return tl::unexpected(layout.error());
      identity.sides.push_back(std::move(*layout));
    }
    for (const auto output : value.getFormerOutputs()) {
      identity.former_outputs.push_back(
          {ToString(output.getPath()), ToString(output.getTable()), output.getLastBatch()});
    }
    return ReadLayouts(value, &identity);
  };
  if (Status status = ReadRecord(kIdentityKey, record, read); !status) {
    return tl::unexpected(status.error());
  }
  return identity;
}

Result<BatchPlan> ReadPlanRecord(std::string_view record) {
  BatchPlan plan;
  const auto read = [&](capnp::MessageReader& message) -> Status {
    const auto value = message.getRoot<format::Plan>();
    plan.batch_id = value.getBatchId();
    plan.no_data = value.getNoData();
    plan.flush = value.getFlush();
    plan.watermark = ToTime<Watermark>(value.hasWatermarkMillis(), value.getWatermarkMillis());
    plan.late_watermark =
        ToTime<Watermark>(value.hasLateWatermarkMillis(), value.getLateWatermarkMillis());
    plan.processing_time = {value.getProcessingTimeMicros()};
    for (const auto source : value.getSources()) {
      plan.sources.push_back({ToString(source.getTable()), ToString(source.getStart()),
                              ToString(source.getEnd()), ToString(source.getReplay())});
    }
    plan.extension = ToString(value.getExtension());
    return {};
  };
  if (Status status = ReadRecord(kPlanKey, record, read); !status) {
    return tl::unexpected(status.error());
  }
  return plan;
}

Result<CommitRecord> ReadCommit(std::string_view key, std::string_view record) {
  const std::optional<int64_t> version = ParseCommitRecordKey(key);
  if (!version) return Damaged("the key has another form");
  CommitRecord commit;
  const auto read = [&](capnp::MessageReader& message) -> Status {
    const auto value = message.getRoot<format::Commit>();
    if (value.getMoreSides().size() > kSidesMax - kNamedSides) {
      return Damaged(fmt::format("it has more than {} sides", kSidesMax));
    }
    commit = ToCommit(value);
    if (commit.commit.batch_id != *version) return Damaged("it is of another version");
    return {};
  };
  if (Status status = ReadRecord(key, record, read); !status) {
    return tl::unexpected(status.error());
  }
  return commit;
}

Result<ChunkHead> ReadChunkHead(std::string_view key, std::string_view record) {
  const std::optional<ChunkKey> chunk = ParseChunkHeadRecordKey(key);
  if (!chunk || chunk->side >= kSidesMax) return Damaged("the key has another form");
  Result<ChunkHead> head = ChunkHead();
  const auto read = [&](capnp::MessageReader& message) -> Status {
    head = ToChunkHead(*chunk, message.getRoot<format::ChunkHead>());
    return {};
  };
  if (Status status = ReadRecord(key, record, read); !status) {
    return tl::unexpected(status.error());
  }
  return head;
}

}  // namespace braid
