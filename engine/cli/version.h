// The version that `braid --version` prints.
#pragma once

#define BRAID_VERSION "0.1.0"
