#include "engine/session/control_message.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace braid {
namespace {

TEST(ControlMessageTest, AnErrorIsTheSameOnTheOtherSide) {
  const Error error = {ErrorCode::kNotFound, "there is no version \"3\"\n", {}};
  const std::string line = ControlErrorLine(error);
  EXPECT_TRUE(line.starts_with(kControlErrorStart));
  const Error read = ReadControlError(line);
  EXPECT_EQ(read.code, error.code);
  EXPECT_EQ(read.message, error.message);
}

TEST(ControlMessageTest, AnAnswerThatMakesNoSenseIsAnError) {
  const std::vector<std::string> lines = {"{\"error\":", "{\"error\":7,\"code\":1}",
                                          "{\"error\":\"x\"}", "{\"error\":\"x\",\"code\":\"1\"}",
                                          "{\"error\":\"x\",\"code\":1e99}"};
  for (const std::string& line : lines) {
    EXPECT_EQ(ReadControlError(line).code, ErrorCode::kIo) << line;
  }
  const Error unknown = ReadControlError("{\"error\":\"of a later version\",\"code\":200}");
  EXPECT_EQ(unknown.code, ErrorCode::kIo);
  EXPECT_EQ(unknown.message, "of a later version");
}

TEST(ControlMessageTest, OnlyAnObjectHasACommand) {
  EXPECT_EQ(ControlCommand("{\"command\":\"stop\"}"), "stop");
  for (const char* request : {"", "stop", "[\"command\"]", "{\"command\":1}", "{\"command\":"}) {
    EXPECT_EQ(ControlCommand(request), "") << request;
  }
}

}  // namespace
}  // namespace braid
