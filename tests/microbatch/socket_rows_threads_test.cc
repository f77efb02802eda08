// Rows that come over a socket wake a query that waits for them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "engine/connectors/memory.h"
#include "engine/connectors/socket_connector.h"
#include "engine/session/job.h"
#include "tests/connectors/tcp_peer.h"

namespace braid {
namespace {

TEST(SocketRowsTest, AreTakenAtOnceThoughTheClockStandsStill) {
  TcpServer server;
  const std::string text = fmt::format(
      "CREATE TABLE l (k BIGINT) WITH ('connector' = 'socket', 'hostname' = '127.0.0.1', "
      "'port' = '{}', 'format' = 'csv');\n"
      "SELECT k FROM l;\n",
      server.port());
  auto result = std::make_shared<MemoryResult>();
  ConnectorRegistry registry;
  registry.Add("socket", std::make_shared<SocketConnector>());
  // Whoever waits for it to move waits for ever.
  ManualClock clock;
  JobOptions options;
  options.connectors = &registry;
  options.clock = &clock;
  options.sink = [&result](const TableDescription& table) -> Result<std::unique_ptr<Sink>> {
    return std::make_unique<MemorySink>(table.name, result);
  };
  const Result<std::unique_ptr<Job>> job = Job::Prepare(text, options);
  ASSERT_TRUE(job.has_value()) << job.error().ToString();
  const Status opened = (*job)->Open();
  ASSERT_TRUE(opened.has_value()) << opened.error().ToString();

  constexpr int64_t kRows = 20;
  int64_t num_rows = 0;
  std::promise<void> taken[kRows];
  (*job)->running().SetProgressListener([&](const BatchProgress& progress) {
    for (int64_t row = 0; row < progress.num_output_rows; ++row) taken[num_rows++].set_value();
    if (num_rows == kRows) (*job)->Stop();
  });
  std::thread peer([&] {
    TcpPeer sender = server.Accept();
    // The next one only when the query has nothing left to do.
    for (int64_t row = 0; row < kRows; ++row) {
      sender.Send(fmt::format("{}\n", row));
      taken[row].get_future().wait();
    }
  });
  const Status run = (*job)->Run();
  peer.join();
  EXPECT_TRUE(run.has_value()) << run.error().ToString();
  EXPECT_EQ(result->num_rows(), kRows);
}

}  // namespace
}  // namespace braid
