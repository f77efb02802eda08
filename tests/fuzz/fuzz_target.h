// Functions that read bytes which somebody else wrote: each must come back, whatever they are. A
// fuzzer (fuzzer_main.cc, preset `fuzz`) looks for bytes with which one does not; the bytes that it
// found, and those it began with, lie in corpus/<name> and are read by an ordinary test.
//
// Thread rule: free functions; one thread at a time.
#pragma once

#include <span>
#include <string_view>

namespace braid {

struct FuzzTarget {
  std::string_view name;
  // Ends the program where a decoder's contract is broken.
  void (*run)(std::string_view bytes);
};

std::span<const FuzzTarget> FuzzTargets();

// For the functions: a broken contract ends the program, sanitizers or not.
void Expect(bool holds, const char* what);

// The first byte chooses among several readings; 0 if there is none.
int TakeChoice(std::string_view* bytes, int choices);

// One a target; what they read stands in fuzz_targets.cc.
void FuzzCanary(std::string_view bytes);
void FuzzSql(std::string_view bytes);
void FuzzCsv(std::string_view bytes);
void FuzzJson(std::string_view bytes);
void FuzzSchemaGuess(std::string_view bytes);
void FuzzLines(std::string_view bytes);
void FuzzZstdFrames(std::string_view bytes);
void FuzzTimes(std::string_view bytes);
void FuzzStateRecords(std::string_view bytes);
void FuzzCommitMark(std::string_view bytes);
void FuzzPackedNumbers(std::string_view bytes);
void FuzzFileList(std::string_view bytes);
void FuzzOffsets(std::string_view bytes);
void FuzzEpochs(std::string_view bytes);
void FuzzControl(std::string_view bytes);
void FuzzBatchIndex(std::string_view bytes);

}  // namespace braid
