// A running query's control socket: control.sock in the checkpoint directory. It answers one
// request a connection, a line of JSON, with lines (of JSON, unless rows are asked for as text);
// the last one is {"end":true} or {"error":"…","code":"…"}. Commands: versions, rows
// (state_view.h), progress, stop (after the running batch), abandon (without it).
//
// Ownership: borrows the job, which must be open and outlive it.
// Thread rule: Publish from the query's thread; requests are answered on a thread of its own, one
// after the other, and read the store by a snapshot: they never hold up the query.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "braid/error.h"
#include "braid/progress.h"
#include "engine/session/job.h"
#include "state/rows/limits.h"

namespace braid {

class ControlServer {
 public:
  // `to_json` spells the progress that is asked for. A socket file that an earlier run left is
  // replaced: the store's lock says that nobody else runs.
  static Result<std::unique_ptr<ControlServer>> Start(
      const std::string& directory, Job* job,
      std::function<std::string(const BatchProgress&)> to_json);
  ~ControlServer();

  // The newest progress, for those who ask.
  void Publish(const BatchProgress& progress);

 private:
  class Implementation;
  explicit ControlServer(std::unique_ptr<Implementation> implementation);

  std::unique_ptr<Implementation> implementation_;
};

enum class ControlAnswer : uint8_t {
  kGiven,
  kNobody,  // Nobody listens there: nothing runs.
  kEnded,   // The query ended before it gave a line of the answer.
};

// Asks the query that runs on `directory`. Gives the answer's lines without the last one. kIo: the
// query ended in the midst of them, or a line is longer than `line_bytes_max`, its end included.
Result<ControlAnswer> AskControl(const std::string& directory, const std::string& request,
                                 const std::function<Status(const std::string&)>& consumer,
                                 size_t line_bytes_max = kControlLineBytesMax);

}  // namespace braid
