// Idle time-outs on sources that live, by the machine's clock.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/connectors/memory.h"
#include "engine/connectors/socket_connector.h"
#include "engine/session/job.h"
#include "tests/connectors/tcp_peer.h"

namespace braid {
namespace {

std::string SocketTable(const char* name, uint16_t port, const char* options) {
  return fmt::format(
      "CREATE TABLE {} (k BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) "
      "WITH ('connector' = 'socket', 'hostname' = '127.0.0.1', 'port' = '{}', 'format' = 'csv'{});"
      "\n",
      name, port, options);
}

TEST(IdleSourceTest, ASocketThatSaysNothingIsNotWaitedForWhetherItIsConnectedOrNot) {
  for (const bool connected : {true, false}) {
    TcpServer left;
    TcpServer right;
    const std::string text =
        SocketTable("l", left.port(), "") +
        SocketTable("r", right.port(), ", 'scan.watermark.idle-timeout' = '50 ms'") +
        "SELECT l.k, CAST(r.ts AS TIMESTAMP(3)) AS ts FROM l LEFT JOIN r ON l.k = r.k AND r.ts "
        "BETWEEN l.ts AND l.ts + INTERVAL '5' SECOND;\n";
    if (!connected) right.Close();

    auto result = std::make_shared<MemoryResult>();
    ConnectorRegistry registry;
    registry.Add("socket", std::make_shared<SocketConnector>());
    SystemClock clock;
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
    bool idle = false;
    (*job)->running().SetProgressListener([&](const BatchProgress& progress) {
      idle = progress.sources[1].idle;
      if (progress.num_output_rows > 0) (*job)->Stop();
    });
    std::vector<TcpPeer> peers;  // Open until the run has ended.
    std::thread peer([&] {
      peers.push_back(left.Accept());
      peers.back().Send("1,2024-01-01 00:00:10\n2,2024-01-01 00:01:00\n");
      if (connected) peers.push_back(right.Accept());
    });
    const Status run = (*job)->Run();
    peer.join();
    EXPECT_TRUE(run.has_value()) << run.error().ToString();
    EXPECT_TRUE(idle);
    EXPECT_EQ(result->num_rows(), 1);
  }
}

}  // namespace
}  // namespace braid
