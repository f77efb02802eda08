#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "engine/connectors/line_block.h"
#include "engine/connectors/line_decoder.h"
#include "engine/connectors/line_splitter.h"
#include "engine/connectors/option_reader.h"
#include "engine/connectors/zstd_frames.h"
#include "tests/fuzz/fuzz_target.h"

namespace braid {

namespace {

LineBlock Split(std::string_view bytes, size_t step) {
  LineSplitter splitter(40);
  LineBlock block;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(step, bytes.size()))) {
    splitter.Append(bytes.substr(0, step), &block);
  }
  splitter.Finish(&block);
  return block;
}

void DecodeText(std::string_view text, const char* format) {
  TableDescription table;
  table.name = "t";
  table.schema.fields = {{"s", DataType::String()}};
  table.not_null.assign(1, 0);
  table.options["format"] = Option{format, {}};
  table.options["bad-records"] = Option{"drop", {}};
  OptionReader reader(table.options, "table t", {});
  const Result<std::unique_ptr<LineDecoder>> decoder = LineDecoder::New(table, {0}, &reader);
  Expect(decoder.has_value(), "the format's options are right");
  DecodeResult result;
  const Result<RowBatch> rows = (*decoder)->Decode(text, 1, &result);
  if (rows) {
    // The last one may have no end.
    Expect(rows->num_rows() <= CountLines(text) + 1, "a line is one row at most");
  }
}

}  // namespace

// Lines are the same however the bytes come; a text of lines is taken apart, also one that was
// never written so.
void FuzzLines(std::string_view bytes) {
  const int choice = TakeChoice(&bytes, 4);
  const LineBlock whole = Split(bytes, std::max<size_t>(bytes.size(), 1));
  const LineBlock in_bytes = Split(bytes, 1);
  Expect(whole.text == in_bytes.text && whole.num_lines == in_bytes.num_lines,
         "lines do not depend on how the bytes come");
  Expect(CountLines(whole.text) == whole.num_lines, "a text has the lines that were put into it");
  constexpr const char* kFormats[] = {"raw", "csv", "json"};
  const char* const format = kFormats[choice % 3];
  DecodeText(whole.text, format);
  DecodeText(bytes, format);
}

void FuzzZstdFrames(std::string_view bytes) {
  ZstdFrames whole;
  whole.Add(bytes);
  ZstdFrames in_bytes;
  for (; !bytes.empty(); bytes.remove_prefix(1)) in_bytes.Add(bytes.substr(0, 1));
  Expect(whole.is_between_frames() == in_bytes.is_between_frames(),
         "frames do not depend on how the bytes come");
}

}  // namespace braid
