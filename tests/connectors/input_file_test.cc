#include "engine/connectors/input_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/connectors/compressed_bytes.h"
#include "tests/connectors/temporary_folder.h"

namespace braid {
namespace {

using testing::HasSubstr;

struct ReadBytes {
  std::string bytes;
  std::optional<Error> error;
};

ReadBytes ReadToEnd(const std::string& path, size_t block, int64_t skip = 0) {
  ReadBytes read;
  Result<std::unique_ptr<InputFile>> file = InputFile::Open(path);
  if (file && skip > 0) {
    const Status skipped = (*file)->Skip(skip);
    if (!skipped) read.error = skipped.error();
  }
  if (!file) read.error = file.error();
  std::string buffer(block, '\0');
  while (!read.error) {
    const Result<size_t> count = (*file)->Read(buffer.data(), buffer.size());
    if (!count) read.error = count.error();
    if (!count || *count == 0) break;
    read.bytes.append(buffer, 0, *count);
  }
  return read;
}

// Lines that compress, but not to nothing.
std::string SomeLines(int count) {
  std::string lines;
  uint64_t random = 1;
  for (int line = 0; line < count; ++line) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    lines += std::to_string(line) + "," + std::to_string(random >> 40) + "\n";
  }
  return lines;
}

const std::vector<Compression> kCompressions = {Compression::kGzip, Compression::kBzip2,
                                                Compression::kZstd};

TEST(InputFileTest, TheEndOfTheNameChoosesTheCompression) {
  EXPECT_EQ(CompressionOf("a/b.csv"), Compression::kNone);
  EXPECT_EQ(CompressionOf("a/b.csv.gz"), Compression::kGzip);
  EXPECT_EQ(CompressionOf("a/b.GZ"), Compression::kGzip);
  EXPECT_EQ(CompressionOf("b.bz2"), Compression::kBzip2);
  EXPECT_EQ(CompressionOf("b.json.zst"), Compression::kZstd);
  EXPECT_EQ(CompressionOf("gz"), Compression::kNone);
  EXPECT_EQ(CompressionOf("a.gz/b"), Compression::kNone);
}

TEST(InputFileTest, CompressedBytesAreKnownByTheirBeginning) {
  for (const Compression compression : kCompressions) {
    EXPECT_EQ(CompressionOfBytes(Compress(compression, "1,2\n")), compression);
  }
  EXPECT_EQ(CompressionOfBytes("BZh,1\n"), Compression::kNone);
  EXPECT_EQ(CompressionOfBytes(""), Compression::kNone);
}

TEST(InputFileTest, ReadsPlainAndCompressedFilesWhole) {
  const TemporaryFolder folder;
  const std::string lines = SomeLines(20'000);
  folder.Write("lines.csv", lines);
  folder.Write("lines.csv.gz", Compress(Compression::kGzip, lines));
  folder.Write("lines.csv.bz2", Compress(Compression::kBzip2, lines));
  folder.Write("lines.csv.zst", Compress(Compression::kZstd, lines));
  for (const std::string name : {"lines.csv", "lines.csv.gz", "lines.csv.bz2", "lines.csv.zst"}) {
    for (const size_t block : {size_t{1000}, size_t{262'144}}) {
      const ReadBytes read = ReadToEnd(folder / name, block);
      ASSERT_FALSE(read.error) << read.error->ToString();
      EXPECT_EQ(read.bytes.size(), lines.size()) << name;
      EXPECT_TRUE(read.bytes == lines) << name;
      EXPECT_TRUE(ReadToEnd(folder / name, block, 123'456).bytes == lines.substr(123'456)) << name;
      EXPECT_EQ(ReadToEnd(folder / name, block, 99'999'999).bytes, "") << name;
    }
  }
}

TEST(InputFileTest, SeveralMembersInOneFileAreReadOneAfterTheOther) {
  const TemporaryFolder folder;
  for (const Compression compression : kCompressions) {
    const std::string name = "x" + ExtensionOf(compression);
    folder.Write(name, Compress(compression, SomeLines(3000)) + Compress(compression, "") +
                           Compress(compression, "last\n"));
    const ReadBytes read = ReadToEnd(folder / name, 10'000);
    ASSERT_FALSE(read.error) << read.error->ToString();
    EXPECT_TRUE(read.bytes == SomeLines(3000) + "last\n") << name;
  }
}

TEST(InputFileTest, AnEmptyCompressedFileHasNoBytes) {
  const TemporaryFolder folder;
  for (const Compression compression : kCompressions) {
    const std::string name = "x" + ExtensionOf(compression);
    folder.Write(name, Compress(compression, ""));
    const ReadBytes read = ReadToEnd(folder / name, 100);
    ASSERT_FALSE(read.error) << read.error->ToString();
    EXPECT_EQ(read.bytes, "");
  }
}

TEST(InputFileTest, AFileThatIsCutShortAnywhereIsAnErrorThatNamesIt) {
  const TemporaryFolder folder;
  for (const Compression compression : kCompressions) {
    const std::string name = "cut.csv" + ExtensionOf(compression);
    const std::string one = Compress(compression, SomeLines(40));
    const std::string two = one + Compress(compression, "second\n");
    for (size_t size = 0; size < two.size(); ++size) {
      if (size == one.size()) continue;
      // Every size near the ends of a frame, some of those between.
      const bool is_near_end = size < 40 || size + 20 > one.size();
      if (!is_near_end && size % 7 != 0) continue;
      folder.Write(name, two.substr(0, size));
      const ReadBytes read = ReadToEnd(folder / name, 64);
      ASSERT_TRUE(read.error) << name << " of " << size << " bytes";
      EXPECT_EQ(read.error->code, ErrorCode::kInvalidInput);
      EXPECT_THAT(read.error->message, HasSubstr(folder / name));
      EXPECT_THAT(read.error->message, HasSubstr("cut short"));
      EXPECT_EQ(read.error->place.file, folder / name);
    }
  }
}

TEST(InputFileTest, ADamagedByteIsAnErrorOrChangesNothing) {
  const TemporaryFolder folder;
  const std::string lines = SomeLines(200);
  // A zstd frame has a checksum only if its writer wanted one; the zstd command does, Boost not.
  for (const Compression compression : {Compression::kGzip, Compression::kBzip2}) {
    const std::string name = "bad.csv" + ExtensionOf(compression);
    const std::string whole = Compress(compression, lines);
    int errors = 0;
    for (size_t index = 0; index < whole.size(); index += 23) {
      std::string bytes = whole;
      bytes[index] = static_cast<char>(bytes[index] ^ 0x55);
      folder.Write(name, bytes);
      const ReadBytes read = ReadToEnd(folder / name, 4096);
      if (read.error) ++errors;
      EXPECT_TRUE(read.error || read.bytes == lines) << name << " byte " << index;
    }
    EXPECT_GT(errors, 10) << name;
  }
}

TEST(InputFileTest, WrongContentAndMissingFilesAreErrors) {
  const TemporaryFolder folder;
  folder.Write("plain.gz", "1,2\n3,4\n");
  folder.Write("plain.bz2", "1,2\n3,4\n");
  folder.Write("plain.zst", "1,2\n3,4\n");
  for (const std::string name : {"plain.gz", "plain.bz2", "plain.zst"}) {
    const ReadBytes read = ReadToEnd(folder / name, 100);
    ASSERT_TRUE(read.error) << name;
    EXPECT_EQ(read.error->code, ErrorCode::kInvalidInput);
  }
  EXPECT_EQ(InputFile::Open(folder / "none.csv").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(InputFile::Open(folder.path()).error().code, ErrorCode::kIo);
}

}  // namespace
}  // namespace braid
