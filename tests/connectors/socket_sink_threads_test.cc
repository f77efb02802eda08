#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "engine/connectors/socket_connector.h"
#include "engine/connectors/socket_sink.h"
#include "tests/connectors/row_texts.h"
#include "tests/connectors/tcp_peer.h"

namespace braid {
namespace {

using std::chrono::steady_clock;
using testing::HasSubstr;

std::unique_ptr<Sink> NewSink(uint16_t port, const std::map<std::string, std::string>& more = {}) {
  TableDescription table;
  table.name = "t";
  table.schema = IdAndName();
  table.not_null = {0, 0};
  table.options = {{"connector", {"socket", {}}},
                   {"hostname", {"localhost", {}}},
                   {"port", {std::to_string(port), {}}},
                   {"format", {"csv", {}}},
                   {"socket.reconnect-backoff", {"1 ms", {}}},
                   {"socket.reconnect-backoff-max", {"5 ms", {}}}};
  for (const auto& [name, value] : more) table.options[name] = {value, {}};
  Result<std::unique_ptr<Sink>> sink = SocketConnector().NewSink(table, nullptr);
  EXPECT_TRUE(sink) << sink.error().ToString();
  SinkContext context;
  context.num_partitions = 2;
  EXPECT_TRUE((*sink)->Open(context));
  return std::move(*sink);
}

// Writes rows into both partitions and publishes them.
Status PublishRows(Sink* sink, int64_t batch, const std::string& name) {
  EXPECT_TRUE(sink->BeginBatch(batch));
  EXPECT_TRUE(sink->Write(1, MakeIdAndName({{batch, name}})));
  EXPECT_TRUE(sink->Write(0, MakeIdAndName({{batch, "x"}, {batch, "y"}})));
  return sink->PublishBatch(batch);
}

TEST(SocketSinkThreadsTest, SendsEachBatchWhenItIsPublished) {
  for (const auto& [format, expected] : std::vector<std::pair<std::string, std::string>>{
           {"csv", "1,x\n1,y\n1,a\n2,x\n2,y\n2,b\n"},
           {"json",
            "{\"id\":1,\"name\":\"x\"}\n{\"id\":1,\"name\":\"y\"}\n{\"id\":1,\"name\":\"a\"}\n"
            "{\"id\":2,\"name\":\"x\"}\n{\"id\":2,\"name\":\"y\"}\n{\"id\":2,\"name\":\"b\"}\n"}}) {
    TcpServer server;
    std::unique_ptr<Sink> sink = NewSink(server.port(), {{"format", format}});
    std::string received;
    std::thread receiver([&] { received = server.Accept().Receive(); });
    EXPECT_TRUE(PublishRows(sink.get(), 1, "a"));
    EXPECT_TRUE(PublishRows(sink.get(), 2, "b"));
    EXPECT_TRUE(sink->Close());
    receiver.join();
    EXPECT_EQ(received, expected);
  }
}

TEST(SocketSinkThreadsTest, SendsOverANewConnectionWhenTheReceiverHasClosed) {
  TcpServer server;
  std::unique_ptr<Sink> sink = NewSink(server.port(), {{"csv.header", "true"}});
  for (const int64_t batch : {1, 2}) {
    const std::string id = std::to_string(batch);
    const std::string expected = "id,name\n" + id + ",x\n" + id + ",y\n" + id + ",a\n";
    std::string received;
    std::thread receiver([&] { received = server.Accept().Receive(expected.size()); });
    EXPECT_TRUE(PublishRows(sink.get(), batch, "a"));
    receiver.join();
    EXPECT_EQ(received, expected);
  }
}

TEST(SocketSinkThreadsTest, SendsABatchFromItsBeginningWhenTheConnectionBreaks) {
  const std::string name(size_t{32} << 20, 'a');
  TcpServer server;
  std::unique_ptr<Sink> sink = NewSink(server.port());
  std::string received;
  std::thread receiver([&] {
    {
      TcpPeer peer = server.Accept();
      EXPECT_EQ(peer.Receive(1'000).size(), 1'000U);
      peer.Reset();
    }
    received = server.Accept().Receive();
  });
  EXPECT_TRUE(PublishRows(sink.get(), 1, name));
  EXPECT_TRUE(sink->Close());
  receiver.join();
  EXPECT_TRUE(received == "1,x\n1,y\n1," + name + "\n") << received.size();
}

TEST(SocketSinkThreadsTest, WaitsForAReceiverThatIsNotThereYet) {
  uint16_t port = 0;
  {
    TcpServer server;
    port = server.port();
  }
  std::unique_ptr<Sink> sink = NewSink(port);
  std::thread publisher([&] {
    EXPECT_TRUE(PublishRows(sink.get(), 1, "a"));
    EXPECT_TRUE(sink->Close());
  });
  while (sink->description().find("cannot connect") == std::string::npos) {
    std::this_thread::yield();
  }
  TcpServer server(port);
  EXPECT_EQ(server.Accept().Receive(), "1,x\n1,y\n1,a\n");
  publisher.join();
}

TEST(SocketSinkThreadsTest, FailsAtOnceWhenToldNotToReconnect) {
  TcpServer server;
  const uint16_t nobody = server.port();
  server.Close();
  std::unique_ptr<Sink> sink = NewSink(nobody, {{"socket.reconnect", "false"}});
  const Status published = PublishRows(sink.get(), 1, "a");
  ASSERT_FALSE(published);
  EXPECT_EQ(published.error().code, ErrorCode::kIo);
  EXPECT_THAT(published.error().message, HasSubstr("cannot connect"));
}

TEST(SocketSinkThreadsTest, InterruptEndsEveryWait) {
  TcpServer server;  // Never accepts nor reads.
  TcpServer deaf(0, 0);
  const TcpPeer only_one = TcpPeer::ConnectTo(deaf.port());
  TcpServer closed;
  const uint16_t nobody = closed.port();
  closed.Close();
  struct Case {
    const char* name;
    uint16_t port;
    std::map<std::string, std::string> options;
    size_t bytes;
    const char* status;
  };
  for (const Case& c : {
           Case{"a receiver that does not read", server.port(), {}, size_t{64} << 20, "connected"},
           Case{"nobody there", nobody, {{"socket.reconnect-backoff", "1 h"}}, 1, "cannot connect"},
           Case{"no answer", deaf.port(), {}, 1, "connecting"},
       }) {
    std::unique_ptr<Sink> sink = NewSink(c.port, c.options);
    steady_clock::time_point ended;
    std::thread publisher([&] {
      const Status published = PublishRows(sink.get(), 1, std::string(c.bytes, 'a'));
      ended = steady_clock::now();
      ASSERT_FALSE(published) << c.name;
      EXPECT_EQ(published.error().code, ErrorCode::kCancelled) << c.name;
    });
    while (sink->description().find(c.status) == std::string::npos) std::this_thread::yield();
    const auto interrupted = steady_clock::now();
    sink->Interrupt();
    publisher.join();
    EXPECT_LT(ended - interrupted, std::chrono::seconds(1)) << c.name;
  }
}

}  // namespace
}  // namespace braid
