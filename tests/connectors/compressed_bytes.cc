#include "tests/connectors/compressed_bytes.h"

#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>

namespace braid {

std::string Compress(Compression compression, std::string_view bytes) {
  namespace streams = boost::iostreams;
  std::string compressed;
  streams::filtering_ostream stream;
  if (compression == Compression::kGzip) stream.push(streams::gzip_compressor());
  if (compression == Compression::kBzip2) stream.push(streams::bzip2_compressor());
  if (compression == Compression::kZstd) stream.push(streams::zstd_compressor());
  stream.push(streams::back_inserter(compressed));
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.flush();
  stream.reset();
  return compressed;
}

std::string ExtensionOf(Compression compression) {
  if (compression == Compression::kGzip) return ".gz";
  if (compression == Compression::kBzip2) return ".bz2";
  return compression == Compression::kZstd ? ".zst" : "";
}

}  // namespace braid
