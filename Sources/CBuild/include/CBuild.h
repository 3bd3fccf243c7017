// What a release says about its build.
#ifndef CBUILD_H
#define CBUILD_H

/// Returns the commit of the build and its day, such as "13479864a1b2 2026-11-25"; empty in builds other than releases.
const char *storekeeper_build(void);

#endif
