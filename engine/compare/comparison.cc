#include "engine/compare/comparison.h"

namespace braid {

const char* RowKindName(RowKind kind) {
  switch (kind) {
    case RowKind::kMatched:
      return "matched";
    case RowKind::kPadded:
      return "padded";
    case RowKind::kRetracted:
      return "retracted";
  }
  return "";
}

const char* DifferenceReasonName(DifferenceReason reason) {
  switch (reason) {
    case DifferenceReason::kLate:
      return "late";
    case DifferenceReason::kAtWatermark:
      return "at-watermark";
    case DifferenceReason::kPartnerLate:
      return "partner-late";
    case DifferenceReason::kPaddedEarly:
      return "padded-early";
    case DifferenceReason::kStateGone:
      return "state-gone";
    case DifferenceReason::kBoundary:
      return "boundary";
    case DifferenceReason::kOtherContent:
      return "other-content";
    case DifferenceReason::kUnknown:
      return "unknown";
  }
  return "";
}

const char* ModeName(Mode mode) { return mode == Mode::kMicroBatch ? "micro-batch" : "per-record"; }

}  // namespace braid
