#include "engine/connectors/compressed_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/iostreams/categories.hpp>
#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "engine/connectors/zstd_frames.h"

namespace braid {

namespace {

constexpr std::streamsize kRawBlockBytes = 64 << 10;

// What Boost's filters read from. A failed read is kept and shows as the end of the bytes.
class RawBytes {
 public:
  using char_type = char;
  using category = boost::iostreams::source_tag;

  explicit RawBytes(std::unique_ptr<InputFile> file) : file_(std::move(file)) {}

  std::streamsize read(char* bytes, std::streamsize size) {
    if (at_end_) return -1;
    const Result<size_t> count = file_->Read(bytes, static_cast<size_t>(size));
    if (!count) failure_ = count.error();
    at_end_ = !count || *count == 0;
    if (at_end_) return -1;
    frames_.Add({bytes, *count});
    num_bytes_ += static_cast<int64_t>(*count);
    return static_cast<std::streamsize>(*count);
  }

  bool at_end() const { return at_end_; }
  int64_t num_bytes() const { return num_bytes_; }
  const std::optional<Error>& failure() const { return failure_; }
  const ZstdFrames& frames() const { return frames_; }
  int64_t file_size() const { return file_->size(); }

 private:
  std::unique_ptr<InputFile> file_;
  ZstdFrames frames_;
  bool at_end_ = false;
  int64_t num_bytes_ = 0;
  std::optional<Error> failure_;
};

const char* NameOf(Compression compression) {
  switch (compression) {
    case Compression::kGzip:
      return "gzip";
    case Compression::kBzip2:
      return "bzip2";
    case Compression::kZstd:
      return "zstd";
    case Compression::kNone:
      break;
  }
  return "plain";
}

// Filter: one of Boost's decompressors, which throw.
template <typename Filter>
class CompressedFile final : public InputFile {
 public:
  CompressedFile(std::string path, Compression compression, std::unique_ptr<InputFile> raw,
                 Filter filter)
      : path_(std::move(path)),
        compression_(compression),
        raw_(std::move(raw)),
        filter_(std::move(filter)) {}

  Result<size_t> Read(char* bytes, size_t size) override {
    if (at_end_) return size_t{0};
    std::streamsize count = 0;
    try {
      // 0 says neither "end" nor "bytes": the filter wants to be asked again.
      while (count == 0) count = filter_.read(raw_, bytes, static_cast<std::streamsize>(size));
    } catch (const std::exception& exception) {
      return FailAsDamaged(exception.what());
    }
    if (count > 0) return static_cast<size_t>(count);
    at_end_ = true;
    const bool is_cut = compression_ == Compression::kZstd && !raw_.frames().is_between_frames();
    if (raw_.failure() || is_cut || raw_.num_bytes() == 0)
      return FailAsDamaged("the end is missing");
    return size_t{0};
  }

  Status Skip(int64_t count) override {
    std::vector<char> dropped(static_cast<size_t>(std::min<int64_t>(count, kRawBlockBytes)));
    while (count > 0) {
      const size_t wanted =
          static_cast<size_t>(std::min<int64_t>(count, static_cast<int64_t>(dropped.size())));
      const Result<size_t> taken = Read(dropped.data(), wanted);
      if (!taken) return tl::unexpected(taken.error());
      if (*taken == 0) break;
      count -= static_cast<int64_t>(*taken);
    }
    return {};
  }

  int64_t size() const override { return raw_.file_size(); }

 private:
  tl::unexpected<Error> FailAsDamaged(const char* reason) const {
    if (raw_.failure()) return tl::unexpected<Error>(*raw_.failure());
    Place place;
    place.file = path_;
    return Fail(ErrorCode::kInvalidInput,
                fmt::format("the {} file '{}' is {} ({})", NameOf(compression_), path_,
                            raw_.at_end() ? "cut short" : "damaged", reason),
                std::move(place));
  }

  std::string path_;
  Compression compression_;
  RawBytes raw_;
  Filter filter_;
  bool at_end_ = false;
};

template <typename Filter>
std::unique_ptr<InputFile> NewFile(const std::string& path, Compression compression,
                                   std::unique_ptr<InputFile> raw, Filter filter) {
  return std::make_unique<CompressedFile<Filter>>(path, compression, std::move(raw),
                                                  std::move(filter));
}

}  // namespace

std::unique_ptr<InputFile> NewCompressedFile(const std::string& path, Compression compression,
                                             std::unique_ptr<InputFile> raw) {
  namespace streams = boost::iostreams;
  switch (compression) {
    case Compression::kBzip2:
      return NewFile(path, compression, std::move(raw),
                     streams::bzip2_decompressor(false, kRawBlockBytes));
    case Compression::kZstd:
      return NewFile(path, compression, std::move(raw), streams::zstd_decompressor(kRawBlockBytes));
    case Compression::kGzip:
    case Compression::kNone:
      break;
  }
  return NewFile(path, compression, std::move(raw),
                 streams::gzip_decompressor(streams::gzip::default_window_bits, kRawBlockBytes));
}

}  // namespace braid
