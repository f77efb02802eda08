#include <string>

#include "engine/perrecord/checkpoint_record.h"
#include "engine/session/control_message.h"
#include "engine/session/state_view.h"
#include "tests/fuzz/fuzz_target.h"

namespace braid {

void FuzzEpochs(std::string_view bytes) {
  const Result<CheckpointRecord> record = DecodeCheckpoint(std::string(bytes));
  if (!record) return;
  const std::string encoded = EncodeCheckpoint(*record);
  const Result<CheckpointRecord> again = DecodeCheckpoint(encoded);
  Expect(again && EncodeCheckpoint(*again) == encoded,
         "an epoch that is written is read as it was");
}

// Both ends of the control socket.
void FuzzControl(std::string_view bytes) {
  const std::string line(bytes);
  static_cast<void>(ControlCommand(line));
  const Result<StateRequest> request = ParseStateRequest(line);
  if (request) {
    const Result<StateRequest> again = ParseStateRequest(FormatStateRequest(*request));
    Expect(again.has_value(), "a request that was read is read again");
  }
  const Error error = ReadControlError(line);
  Expect(ErrorCodeName(error.code) != nullptr, "every error has a name");
  const Error again = ReadControlError(ControlErrorLine(error));
  Expect(again.code == error.code, "an error that is told is the same on the other side");
}

}  // namespace braid
