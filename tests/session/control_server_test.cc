#include "engine/session/control_server.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <utility>

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
    const Result<bool> asked =
        AskControl(folder.path(), request, [](const std::string&) -> Status { return {}; });
    ASSERT_FALSE(asked.has_value());
    EXPECT_EQ(asked.error().code, ErrorCode::kInvalidInput);
  }
}

}  // namespace
}  // namespace braid
