#include "engine/session/control_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "state/rows/limits.h"
#include "tests/connectors/temporary_folder.h"

namespace braid {
namespace {

TEST(ControlServerTest, EndsAlsoWhenItsFolderIsGone) {
  TemporaryFolder folder;
  Result<std::unique_ptr<ControlServer>> server = ControlServer::Start(
      folder.path(), /*job=*/nullptr, [](const BatchProgress&) { return std::string(); });
  ASSERT_TRUE(server.has_value()) << server.error().ToString();
  std::filesystem::remove_all(folder.path());
  server->reset();
}

TEST(ControlServerTest, RefusesWhatIsNoRequest) {
  TemporaryFolder folder;
  const Result<std::unique_ptr<ControlServer>> server = ControlServer::Start(
      folder.path(), /*job=*/nullptr, [](const BatchProgress&) { return std::string(); });
  ASSERT_TRUE(server.has_value()) << server.error().ToString();
  for (const char* request : {"", "rows", "{}", "{\"command\":7}", "[\"rows\"]"}) {
    SCOPED_TRACE(request);
    const Result<ControlAnswer> asked =
        AskControl(folder.path(), request, [](const std::string&) -> Status { return {}; });
    ASSERT_FALSE(asked.has_value());
    EXPECT_EQ(asked.error().code, ErrorCode::kInvalidInput);
  }
}

TEST(ControlServerTest, ClosesTheConnectionOnARequestBeyondTheLimit) {
  TemporaryFolder folder;
  const Result<std::unique_ptr<ControlServer>> server = ControlServer::Start(
      folder.path(), /*job=*/nullptr, [](const BatchProgress&) { return std::string(); });
  ASSERT_TRUE(server.has_value()) << server.error().ToString();
  const auto ask = [&](size_t size) {
    return AskControl(folder.path(), std::string(size, 'x'),
                      [](const std::string&) -> Status { return {}; });
  };
  // With its line end.
  const Result<ControlAnswer> within = ask(kControlRequestBytesMax - 1);
  ASSERT_FALSE(within.has_value());
  EXPECT_EQ(within.error().code, ErrorCode::kInvalidInput) << within.error().ToString();
  const Result<ControlAnswer> beyond = ask(kControlRequestBytesMax);
  ASSERT_TRUE(beyond.has_value()) << beyond.error().ToString();
  EXPECT_EQ(*beyond, ControlAnswer::kEnded);
  // The server goes on.
  const Result<ControlAnswer> next = ask(1);
  ASSERT_FALSE(next.has_value());
  EXPECT_EQ(next.error().code, ErrorCode::kInvalidInput) << next.error().ToString();
}

TEST(ControlServerTest, AnAnswersLineBeyondTheLimitIsRefused) {
  constexpr size_t kLineBytesMax = 1'000;
  size_t line_bytes = 0;
  TemporaryFolder folder;
  const Result<std::unique_ptr<ControlServer>> server =
      ControlServer::Start(folder.path(), /*job=*/nullptr,
                           [&](const BatchProgress&) { return std::string(line_bytes, 'x'); });
  ASSERT_TRUE(server.has_value()) << server.error().ToString();
  (*server)->Publish({});
  const auto ask = [&](size_t size) {
    line_bytes = size;
    return AskControl(
        folder.path(), "{\"command\":\"progress\"}",
        [](const std::string&) -> Status { return {}; }, kLineBytesMax);
  };
  EXPECT_TRUE(ask(kLineBytesMax - 1).has_value());  // With its line end.
  const Result<ControlAnswer> beyond = ask(kLineBytesMax);
  ASSERT_FALSE(beyond.has_value());
  EXPECT_THAT(beyond.error().message,
              testing::HasSubstr("a line of its answer is longer than 1000 bytes"));
}

}  // namespace
}  // namespace braid
