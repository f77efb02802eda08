#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "engine/connectors/socket_connector.h"
#include "engine/connectors/socket_source.h"
#include "tests/connectors/row_texts.h"
#include "tests/connectors/tcp_peer.h"

namespace braid {
namespace {

using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// No test waits longer for what must come.
constexpr std::chrono::seconds kLong(60);

// A source of (id BIGINT, name STRING) in csv; attempts to connect follow at once.
std::unique_ptr<SocketSource> NewSource(uint16_t port,
                                        const std::map<std::string, std::string>& more = {}) {
  std::map<std::string, std::string> options = {{"connector", "socket"},
                                                {"hostname", "127.0.0.1"},
                                                {"port", std::to_string(port)},
                                                {"format", "csv"},
                                                {"socket.reconnect-backoff", "1 ms"},
                                                {"socket.reconnect-backoff-max", "5 ms"}};
  for (const auto& [name, value] : more) options[name] = value;
  TableDescription table;
  table.name = "t";
  table.schema = IdAndName();
  table.not_null = {0, 0};
  for (const auto& [name, value] : options) table.options[name] = {value, {}};
  std::vector<std::string> notes;
  Result<std::unique_ptr<Source>> source = SocketConnector().NewSource(table, {0, 1}, &notes);
  EXPECT_TRUE(source) << source.error().ToString();
  EXPECT_THAT(notes, ElementsAre(HasSubstr("are lost when the job stops or crashes")));
  return std::unique_ptr<SocketSource>(static_cast<SocketSource*>(source->release()));
}

std::unique_ptr<SocketSource> OpenSource(uint16_t port,
                                         const std::map<std::string, std::string>& more = {}) {
  std::unique_ptr<SocketSource> source = NewSource(port, more);
  const Status opened = source->Open("");
  EXPECT_TRUE(opened) << opened.error().ToString();
  return source;
}

struct Given {
  std::vector<std::string> rows;
  std::vector<SourceSlice> slices;
  bool ended = false;
  std::string error;
};

// Reads until `enough` rows are there, the end, or an error.
Given ReadUntil(SocketSource* source, size_t enough, int64_t bytes_max = 1 << 20) {
  Given given;
  const auto give_up = steady_clock::now() + kLong;
  while (given.rows.size() < enough && steady_clock::now() < give_up) {
    Result<SourceNext> next = source->Next({.bytes_max = bytes_max, .one_file = false});
    if (!next) {
      given.error = next.error().ToString();
      break;
    }
    if (next->kind == SourceNext::Kind::kEnd) {
      given.ended = true;
      break;
    }
    if (next->kind == SourceNext::Kind::kNothing) {
      std::this_thread::yield();
      continue;
    }
    for (std::string& row : RowTexts(next->slice.rows)) given.rows.push_back(std::move(row));
    given.slices.push_back(std::move(next->slice));
  }
  return given;
}

Given ReadToEnd(SocketSource* source) { return ReadUntil(source, SIZE_MAX); }

template <typename Condition>
bool Await(Condition condition) {
  const auto give_up = steady_clock::now() + kLong;
  while (!condition()) {
    if (steady_clock::now() > give_up) return false;
    std::this_thread::yield();
  }
  return true;
}

std::string Line(int id) { return std::to_string(id) + ",name " + std::to_string(id % 97) + "\n"; }

std::vector<std::string> RowsUpTo(int count) {
  std::vector<std::string> rows;
  for (int id = 0; id < count; ++id) {
    const std::string line = Line(id);
    rows.push_back(line.substr(0, line.size() - 1));
  }
  return rows;
}

// Sends rows first...end in odd pieces over one connection, then half a line and a reset.
void SendInPieces(TcpPeer peer, int first, int end, bool reset, std::mt19937* random) {
  std::string bytes;
  for (int id = first; id < end; ++id) bytes += Line(id);
  if (reset) bytes += "77,half a li";
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const size_t piece = std::min<size_t>(rest.size(), 1 + (*random)() % 5'000);
    peer.Send(rest.substr(0, piece));
    rest.remove_prefix(piece);
  }
  peer.AwaitDelivery();
  if (reset) peer.Reset();
}

TEST(SocketSourceThreadsTest, EveryWholeLineArrivesOnceOverManyBrokenConnections) {
  constexpr int kRows = 100'000;
  constexpr int kRowsOfOne = 4'000;
  TcpServer server;
  const std::unique_ptr<SocketSource> source =
      OpenSource(server.port(), {{"source.queue-bytes", "64 kb"}});
  std::thread sender([&server] {
    std::mt19937 random(7);
    for (int first = 0; first < kRows; first += kRowsOfOne) {
      SendInPieces(server.Accept(), first, first + kRowsOfOne, first / kRowsOfOne % 2 == 0,
                   &random);
    }
  });
  const Given given = ReadUntil(source.get(), kRows);
  sender.join();
  EXPECT_EQ(given.error, "");
  EXPECT_EQ(given.rows, RowsUpTo(kRows));
  EXPECT_EQ(given.slices.back().end, "{\"lines\":100000}");
  EXPECT_EQ(source->latest_offset(), "{\"lines\":100000}");
  EXPECT_FALSE(source->is_finite());
}

TEST(SocketSourceThreadsTest, SeveralSendersAtOnceWhenItListens) {
  constexpr int kSenders = 8;
  constexpr int kRowsOfOne = 5'000;
  const std::unique_ptr<SocketSource> source =
      OpenSource(0, {{"socket.mode", "listen"}, {"socket.max-connections", "3"}});
  ASSERT_NE(source->port(), 0);
  std::vector<std::thread> senders;
  for (int sender = 0; sender < kSenders; ++sender) {
    senders.emplace_back([&source, sender] {
      std::mt19937 random(static_cast<unsigned>(sender));
      SendInPieces(TcpPeer::ConnectTo(source->port()), sender * kRowsOfOne,
                   (sender + 1) * kRowsOfOne, sender % 2 == 0, &random);
    });
  }
  Given given = ReadUntil(source.get(), kSenders * kRowsOfOne);
  for (std::thread& sender : senders) sender.join();
  EXPECT_EQ(given.error, "");
  std::sort(given.rows.begin(), given.rows.end());
  std::vector<std::string> all = RowsUpTo(kSenders * kRowsOfOne);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(given.rows, all);
  EXPECT_TRUE(Await([&] {
    return source->description().find("all senders have closed") != std::string::npos;
  })) << source->description();
}

TEST(SocketSourceThreadsTest, ASlowReaderMakesTheSenderWaitAndMemoryStaysFlat) {
  TcpServer server;
  const std::unique_ptr<SocketSource> source =
      OpenSource(server.port(), {{"source.queue-bytes", "100 kb"}});
  TcpPeer peer = server.Accept();
  std::string bytes;
  int rows = 0;
  while (bytes.size() < 64 << 20) bytes += Line(rows++);
  // Nobody reads: the sender gets as far as the queue and what the two systems keep.
  size_t sent = 0;
  const auto stands_still = [&] {
    const auto until = steady_clock::now() + std::chrono::milliseconds(300);
    while (steady_clock::now() < until) {
      const size_t more = peer.SendSome(std::string_view(bytes).substr(sent, 1 << 20));
      sent += more;
      if (more > 0) return false;
    }
    return true;
  };
  ASSERT_TRUE(Await(stands_still));
  EXPECT_LT(sent, size_t{32} << 20);
  EXPECT_GE(source->backlog_bytes().value(), 100 << 10);
  EXPECT_LE(source->backlog_bytes().value(), (100 << 10) + (64 << 10));

  std::thread sender([&] {
    peer.Send(std::string_view(bytes).substr(sent));
    peer.Close();
  });
  int64_t most = 0;
  int64_t given = 0;
  while (given < rows) {
    const Result<SourceNext> next = source->Next({.bytes_max = 1 << 20, .one_file = false});
    ASSERT_TRUE(next);
    if (next->kind == SourceNext::Kind::kSlice) given += next->slice.rows.num_rows();
    most = std::max(most, source->backlog_bytes().value());
  }
  sender.join();
  EXPECT_EQ(given, rows);
  EXPECT_LE(most, (100 << 10) + (64 << 10));
}

TEST(SocketSourceThreadsTest, AThousandReconnectsLeaveNoDescriptorBehind) {
  TcpServer server;
  const int64_t before = CountOpenDescriptors();
  {
    const std::unique_ptr<SocketSource> source = OpenSource(server.port());
    for (int round = 0; round < 1'000; ++round) {
      TcpPeer peer = server.Accept();
      peer.Send(Line(round));
      if (round % 3 == 0) {
        peer.AwaitDelivery();
        peer.Reset();
      }
    }
    EXPECT_EQ(ReadUntil(source.get(), 1'000).rows, RowsUpTo(1'000));
    // Its own descriptors and at most one connection.
    EXPECT_LE(CountOpenDescriptors(), before + 6);
  }
  EXPECT_EQ(CountOpenDescriptors(), before);
}

TEST(SocketSourceThreadsTest, StopsAtOnceWhateverItWaitsFor) {
  TcpServer server;
  TcpServer deaf(0, 0);
  const TcpPeer only_one = TcpPeer::ConnectTo(deaf.port());
  TcpServer closed;
  const uint16_t nobody = closed.port();
  closed.Close();
  struct Case {
    const char* name;
    std::unique_ptr<SocketSource> source;
  };
  std::vector<Case> cases;
  cases.push_back({"a silent peer", OpenSource(server.port())});
  TcpPeer silent = server.Accept();
  cases.push_back({"nobody there", OpenSource(nobody, {{"socket.reconnect-backoff", "1 h"}})});
  cases.push_back({"no sender", OpenSource(0, {{"socket.mode", "listen"}})});
  cases.push_back({"no answer", OpenSource(deaf.port())});
  cases.push_back({"a full queue", OpenSource(server.port(), {{"source.queue-bytes", "1 kb"}})});
  TcpPeer eager = server.Accept();
  eager.Send(std::string(100'000, '\n'));
  ASSERT_TRUE(Await([&] { return cases.back().source->backlog_bytes().value() > 1'000; }));
  for (Case& c : cases) {
    const auto begun = steady_clock::now();
    c.source->Interrupt();
    EXPECT_TRUE(c.source->Next({})) << c.name;
    c.source.reset();
    EXPECT_LT(steady_clock::now() - begun, std::chrono::seconds(1)) << c.name;
  }
}

TEST(SocketSourceThreadsTest, SaysWhatBecameOfTheConnection) {
  TcpServer server;
  const std::unique_ptr<SocketSource> source =
      OpenSource(server.port(), {{"socket.reconnect-backoff", "1 h"}});
  const std::string address = "127.0.0.1:" + std::to_string(server.port());
  {
    TcpPeer peer = server.Accept();
    EXPECT_TRUE(Await([&] {
      return source->description() == "SocketSource[" + address + ": connected]";
    })) << source->description();
    peer.Send("1,a\n2,last line");
  }
  EXPECT_THAT(ReadUntil(source.get(), 2).rows, ElementsAre("1,a", "2,last line"));
  EXPECT_TRUE(Await([&] {
    return source->description() ==
           "SocketSource[" + address +
               ": the peer has closed the connection; next attempt after 3600000 ms]";
  })) << source->description();
}

TEST(SocketSourceThreadsTest, EndsAtWhatHasArrived) {
  struct Case {
    const char* name;
    std::map<std::string, std::string> options;
    bool closes;
    bool latest;
  };
  for (const Case& c : {
           Case{"the peer closes", {{"source.idle-timeout", "1 h"}}, true, true},
           Case{"the peer says no more", {{"source.idle-timeout", "200 ms"}}, false, true},
           Case{"without reconnecting", {{"socket.reconnect", "false"}}, true, false},
       }) {
    TcpServer server;
    const std::unique_ptr<SocketSource> source = OpenSource(server.port(), c.options);
    if (c.latest) {
      ASSERT_TRUE(source->StopAtLatest());
    }
    TcpPeer peer = server.Accept();
    peer.Send("1,a\n2,b\n");
    if (c.closes) {
      peer.Send("3,c");
      peer.Close();
    }
    const Given given = ReadToEnd(source.get());
    EXPECT_EQ(given.error, "") << c.name;
    EXPECT_TRUE(given.ended) << c.name;
    EXPECT_EQ(given.rows.size(), c.closes ? 3U : 2U) << c.name;
    EXPECT_TRUE(ReadToEnd(source.get()).ended) << c.name;
  }
}

TEST(SocketSourceThreadsTest, WhatHasArrivedFromNobodyIsAnError) {
  TcpServer server;
  const uint16_t nobody = server.port();
  server.Close();
  const std::unique_ptr<SocketSource> source =
      OpenSource(nobody, {{"source.idle-timeout", "100 ms"}});
  ASSERT_TRUE(source->StopAtLatest());
  EXPECT_THAT(ReadToEnd(source.get()).error, HasSubstr("Connection refused"));
}

TEST(SocketSourceThreadsTest, RefusesToListenWhereAnotherListens) {
  TcpServer server;
  const std::unique_ptr<SocketSource> source =
      NewSource(server.port(), {{"socket.mode", "listen"}});
  const Status opened = source->Open("");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kIo);
  EXPECT_THAT(opened.error().message, HasSubstr("cannot listen at 127.0.0.1:"));
}

TEST(SocketSourceThreadsTest, LoggedLinesGiveTheSameRowsAgain) {
  TcpServer server;
  const std::unique_ptr<SocketSource> source =
      NewSource(server.port(), {{"bad-records", "drop"}, {"source.max-line-bytes", "20"}});
  source->KeepIn("unused");
  ASSERT_TRUE(source->Open("{\"lines\":5}"));
  {
    TcpPeer peer = server.Accept();
    peer.Send("1,a\nx,bad\n2,\"open\n3,c\n");
    peer.Send(std::string("\0,z\n", 4) + std::string(1'000, 'l') + "\n4,d");
  }
  std::vector<SourceSlice> slices;
  std::vector<std::string> rows;
  while (rows.size() < 3) {
    Given given = ReadUntil(source.get(), 1, 10);
    for (std::string& row : given.rows) rows.push_back(std::move(row));
    for (SourceSlice& slice : given.slices) slices.push_back(std::move(slice));
  }
  EXPECT_THAT(rows, ElementsAre("1,a", "3,c", "4,d"));
  EXPECT_GT(slices.size(), 1U);
  std::string replay;
  for (const SourceSlice& slice : slices) replay += slice.replay;
  EXPECT_EQ(slices.back().end, "{\"lines\":12}");

  const std::unique_ptr<SocketSource> another = NewSource(1, {{"bad-records", "drop"}});
  std::vector<std::string> again;
  const Status replayed =
      another->Replay("{\"lines\":5}", "{\"lines\":12}", replay, [&](SourceSlice slice) -> Status {
        for (std::string& row : RowTexts(slice.rows)) again.push_back(std::move(row));
        EXPECT_EQ(slice.end, "{\"lines\":12}");
        EXPECT_EQ(slice.num_bad_records, 4);
        return {};
      });
  EXPECT_TRUE(replayed);
  EXPECT_EQ(again, rows);

  const auto nothing = [](const SourceSlice&) -> Status { return {}; };
  for (const auto& [end, text] : std::vector<std::pair<std::string, std::string>>{
           {"{\"lines\":13}", replay}, {"{\"lines\":12}", ""}, {"{\"rows\":12}", replay}}) {
    const Status failed = another->Replay("{\"lines\":5}", end, text, nothing);
    ASSERT_FALSE(failed) << end;
    EXPECT_EQ(failed.error().code, ErrorCode::kCorruption);
  }
}

TEST(SocketSourceThreadsTest, WithoutACheckpointNothingIsLogged) {
  TcpServer server;
  const std::unique_ptr<SocketSource> source = OpenSource(server.port());
  TcpPeer peer = server.Accept();
  peer.Send("1,a\n");
  const Given given = ReadUntil(source.get(), 1);
  ASSERT_EQ(given.slices.size(), 1U);
  EXPECT_THAT(given.slices[0].replay, IsEmpty());
}

TEST(SocketSourceThreadsTest, ABadLineIsNamed) {
  TcpServer server;
  const std::unique_ptr<SocketSource> source = OpenSource(server.port());
  TcpPeer peer = server.Accept();
  peer.Send("1,a\nx,b\n");
  EXPECT_THAT(ReadUntil(source.get(), 2).error,
              HasSubstr("socket 127.0.0.1:" + std::to_string(server.port()) + ":2: "));
}

}  // namespace
}  // namespace braid
