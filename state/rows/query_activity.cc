#include "braid/query_activity.h"

namespace braid {

const char* BatchPhaseName(BatchPhase phase) {
  switch (phase) {
    case BatchPhase::kIdle:
      return "idle";
    case BatchPhase::kReading:
      return "reading";
    case BatchPhase::kPlanning:
      return "planning";
    case BatchPhase::kFiltering:
      return "filtering";
    case BatchPhase::kJoining:
      return "joining";
    case BatchPhase::kEvicting:
      return "evicting";
    case BatchPhase::kPublishing:
      return "publishing";
    case BatchPhase::kCommitting:
      return "committing";
  }
  return "";
}

}  // namespace braid
