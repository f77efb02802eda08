// Lets all threads of the braid command share one heap that keeps what it was given: a run touches
// most of its memory once, and the first touch of a page costs more than what is done with it.
//
// Not from huge pages: they save page faults, but on a virtual machine whose host has to find the
// memory first they cost up to a third of a run more.
//
// The library leaves the heap of the program that it is a part of alone.
#pragma once

namespace braid {

// Call first of all, while there is one thread. Does nothing where the C library knows no such
// thing.
void UseSharedHeap();

}  // namespace braid
