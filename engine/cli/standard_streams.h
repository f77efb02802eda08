// The standard descriptors, which a caller may have closed: `braid run job.sql 2>&-`.
#pragma once

namespace braid {

// Takes the numbers 0 to 2 where they are free, so that no file that is opened later gets one: what
// is printed would be written into it, be it the log of a checkpoint. Reading standard input and
// printing rows fail as before; messages have no reader. Call it before anything is opened.
void HoldStandardDescriptors();

}  // namespace braid
