// Marks what the shared library shows; all else in it is hidden.
#pragma once

#if defined(__GNUC__)
#define BRAID_EXPORT __attribute__((visibility("default")))
#else
#define BRAID_EXPORT
#endif
