#include "CBuild.h"

#ifndef STOREKEEPER_BUILD
#define STOREKEEPER_BUILD ""
#endif

const char *storekeeper_build(void) { return STOREKEEPER_BUILD; }
