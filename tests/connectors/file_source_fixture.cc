#include "tests/connectors/file_source_fixture.h"

#include <utility>

#include "engine/connectors/filesystem_options.h"
#include "tests/connectors/row_texts.h"

namespace braid {

namespace {

void AddSlice(SourceSlice slice, ReadRows* read) {
  for (std::string& text : RowTexts(slice.rows)) read->rows.push_back(std::move(text));
  read->num_bad_records += slice.num_bad_records;
  read->offsets.push_back(slice.end);
  read->rows_at.push_back(read->rows.size());
  slice.rows = RowBatch();
  read->slices.push_back(std::move(slice));
}

}  // namespace

std::unique_ptr<FileSource> FileSourceFixture::NewSource(
    const std::string& path, const std::map<std::string, std::string>& options) {
  TableDescription table;
  table.name = "t";
  table.schema = IdAndName();
  table.not_null = {0, 0};
  table.options["path"].value = folder_ / path;
  table.options["format"].value = "csv";
  for (const auto& [name, value] : options) table.options[name].value = value;

  OptionReader reader(table.options, "table t", {});
  const FilesystemOptions read = ReadFilesystemOptions(&reader);
  Result<std::unique_ptr<RowDecoder>> decoder = NewRowDecoder(table, {0, 1}, &reader);
  const Status finished = reader.Finish(nullptr);
  EXPECT_TRUE(finished) << finished.error().ToString();
  EXPECT_TRUE(decoder) << decoder.error().ToString();
  Result<FileFinder> finder = FileFinder::Create(read.path, read.path_regex);
  EXPECT_TRUE(finder) << finder.error().ToString();

  FileSource::Options source_options;
  source_options.table = "t";
  source_options.monitor_interval = read.monitor_interval;
  source_options.settle_time = read.settle_time;
  source_options.trigger_limits = read.trigger_limits;
  source_options.ignore_missing_files = read.ignore_missing_files;
  source_options.bad_records_folder = read.bad_records_folder;
  source_options.now = [this] {
    ++num_looks_;
    return now_;
  };
  source_options.warn = [this](const std::string& text) { warnings_.push_back(text); };
  auto source = std::make_unique<FileSource>(std::move(source_options), std::move(*finder),
                                             std::move(*decoder), NewPosixFileOperations());
  source->KeepIn(folder_ / "kept");
  return source;
}

std::unique_ptr<FileSource> FileSourceFixture::OpenSource(
    const std::string& path, const std::map<std::string, std::string>& options,
    const std::string& start) {
  std::unique_ptr<FileSource> source = NewSource(path, options);
  const Status opened = source->Open(start);
  EXPECT_TRUE(opened) << opened.error().ToString();
  return source;
}

ReadRows FileSourceFixture::ReadAll(FileSource* source, const SliceLimits& limits) {
  ReadRows read;
  for (;;) {
    Result<SourceNext> next = source->Next(limits);
    if (!next) {
      read.error = next.error().ToString();
      return read;
    }
    read.last = next->kind;
    if (next->kind != SourceNext::Kind::kSlice) return read;
    AddSlice(std::move(next->slice), &read);
  }
}

ReadRows FileSourceFixture::ReadFrom(const std::string& path,
                                     const std::map<std::string, std::string>& options,
                                     const std::string& start, const SliceLimits& limits) {
  return ReadAll(OpenSource(path, options, start).get(), limits);
}

std::string FileSourceFixture::ReadAndCommit(const std::string& path) {
  const std::unique_ptr<FileSource> source = OpenSource(path);
  std::string end = ReadAll(source.get()).offsets.back();
  const Status committed = source->Commit(end);
  EXPECT_TRUE(committed) << path;
  return end;
}

ReadRows FileSourceFixture::ReplayOf(const std::string& path,
                                     const std::map<std::string, std::string>& options,
                                     const std::string& start, const std::string& end) {
  ReadRows read;
  const Status replayed =
      NewSource(path, options)->Replay(start, end, "", [&read](SourceSlice slice) -> Status {
        AddSlice(std::move(slice), &read);
        return {};
      });
  if (!replayed) read.error = replayed.error().ToString();
  return read;
}

}  // namespace braid
