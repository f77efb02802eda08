#include "state/faults/fail_point.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace braid {

namespace {

constexpr const char* kVariable = "BRAID_FAIL_POINT";
constexpr std::string_view kAny = "any";

// clang-format off
constexpr auto kNames = std::to_array<std::string_view>({
    // The file of bad records of a table (bad-records.path).
    "bad-records.create", "bad-records.cut", "bad-records.sync", "bad-records.write",
    // _braid_batches in the folder of a table that is written, where batches share files.
    "index.create", "index.rename", "index.sync", "index.write",
    // The list of input files that a table of files keeps in the checkpoint.
    "list.create-folder", "list.open", "list.sync", "list.sync-folder", "list.write",
    // _braid_owner in the folder of a table that is written.
    "owner.close", "owner.create", "owner.rename", "owner.sync", "owner.write",
    // The files of such a table.
    "sink.close", "sink.create", "sink.create-folder", "sink.open", "sink.remove", "sink.rename",
    "sink.sync", "sink.sync-folder", "sink.write",
    // The store: its transactions, and below them what LevelDB does.
    "state.commit",
    "state.create-folder",
    "state.current.create", "state.current.rename", "state.current.sync", "state.current.write",
    "state.identity",
    "state.log.create", "state.log.sync", "state.log.write",
    "state.manifest.create", "state.manifest.sync", "state.manifest.write",
    "state.mark",
    "state.plan",
    "state.remove",
    "state.sync-folder",
    "state.table.create", "state.table.sync", "state.table.write",
});
// clang-format on

static_assert(std::is_sorted(kNames.begin(), kNames.end()));

enum class Action : uint8_t { kKill, kTear, kFail };

struct Fault {
  std::string name;
  int64_t first = 1;  // Passes, from 1.
  int64_t last = 1;
  Action action = Action::kKill;
  int error = 0;
};

[[noreturn]] void Refuse(std::string_view text) {
  std::fputs(fmt::format("{}: '{}' is not understood\n", kVariable, text).c_str(), stderr);
  std::abort();
}

bool IsKnown(std::string_view name) {
  return name == kAny || std::binary_search(kNames.begin(), kNames.end(), name);
}

// Takes a number from the front of *text.
int64_t TakeNumber(std::string_view* text, std::string_view whole) {
  int64_t number = 0;
  const auto [end, failure] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (failure != std::errc() || number < 1) Refuse(whole);
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return number;
}

// "sink.rename:3+2=kill"
Fault ParseFault(std::string_view text) {
  const std::string_view whole = text;
  Fault fault;
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || !IsKnown(text.substr(0, colon))) Refuse(whole);
  fault.name = text.substr(0, colon);
  text.remove_prefix(colon + 1);
  fault.first = fault.last = TakeNumber(&text, whole);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    fault.last = fault.first + TakeNumber(&text, whole) - 1;
  }
  if (text == "=kill") {
    fault.action = Action::kKill;
  } else if (text == "=tear") {
    fault.action = Action::kTear;
  } else if (text == "=ENOSPC" || text == "=EIO") {
    fault.action = Action::kFail;
    fault.error = text == "=EIO" ? EIO : ENOSPC;
  } else {
    Refuse(whole);
  }
  return fault;
}

// The faults of this process and how often each point was passed.
class Faults {
 public:
  Faults() {
    const char* const chosen = std::getenv(kVariable);
    for (std::string_view text = chosen == nullptr ? "" : chosen; !text.empty();) {
      const size_t end = std::min(text.find(','), text.size());
      faults_.push_back(ParseFault(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  std::optional<Fault> Pass(std::string_view name) {
    if (!IsKnown(name) || name == kAny) Refuse(name);
    if (faults_.empty()) return std::nullopt;
    const std::lock_guard lock(mutex_);
    const int64_t passes = ++passes_[std::string(name)];
    ++passes_of_any_;
    for (const Fault& fault : faults_) {
      const int64_t pass = fault.name == kAny ? passes_of_any_ : passes;
      const bool is_meant = fault.name == kAny || fault.name == name;
      if (is_meant && fault.first <= pass && pass <= fault.last) return fault;
    }
    return std::nullopt;
  }

 private:
  std::vector<Fault> faults_;
  std::mutex mutex_;
  std::map<std::string, int64_t> passes_;  // Guarded by mutex_, as below.
  int64_t passes_of_any_ = 0;
};

std::optional<Fault> Pass(std::string_view name) {
  // Never destroyed: a thread of the store may outlive static objects.
  static Faults& faults = *new Faults();
  return faults.Pass(name);
}

}  // namespace

int PassFailPoint(std::string_view name) {
  const std::optional<Fault> fault = Pass(name);
  if (!fault) return 0;
  if (fault->action != Action::kFail) Die();
  return fault->error;
}

WriteFault PassWriteFailPoint(std::string_view name) {
  const std::optional<Fault> fault = Pass(name);
  if (!fault) return {};
  if (fault->action == Action::kKill) Die();
  return {fault->error, fault->action == Action::kTear};
}

void Die() {
  kill(getpid(), SIGKILL);
  // Until it has come.
  while (true) pause();
}

std::span<const std::string_view> FailPointNames() { return kNames; }

}  // namespace braid
