// The two ends of the control socket's talk as texts (control_server.h): what a request asks for,
// and what a line of an answer says. Neither end trusts the other.
//
// Thread rule: free functions.
#pragma once

#include <string>

#include "braid/error.h"

namespace braid {

// No line of an answer that carries something begins like these two.
inline constexpr const char* kControlEndLine = "{\"end\":true}";
inline constexpr const char* kControlErrorStart = "{\"error\":";

// The request's "command"; empty if it has none, or is no JSON object.
std::string ControlCommand(const std::string& request);

// The line, with its end, that tells the other side of an error.
std::string ControlErrorLine(const Error& error);

// What such a line tells. kIo for one that no ControlErrorLine has written.
// REQUIRES: it begins with kControlErrorStart.
Error ReadControlError(const std::string& line);

}  // namespace braid
