// Lets the heap of the braid command come from huge pages: a run touches most of its memory once,
// and the first touch of a page costs more than what is done with it.
//
// The library leaves the heap of the program that it is a part of alone.
#pragma once

namespace braid {

// Call first of all, while there is one thread. Reserves addresses, not memory. Does nothing where
// the C library or the kernel knows no such thing; a refusal costs speed only.
void UseHugeHeap();

}  // namespace braid
