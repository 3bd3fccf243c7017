#include "CPostgres.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

struct cpostgres_functions cpostgres;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[512];
static int is_loaded;

// Where the library is, by the systems' own rules of search first.
static const char *const places[] = {
    "libpq.so.5",
    "libpq.5.dylib",
    "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
    "/usr/local/opt/libpq/lib/libpq.5.dylib",
};

static void *find(void *library, const char *name) {
    void *function = dlsym(library, name);
    if (!function && !*problem)
        snprintf(problem, sizeof problem, "libpq has no %s: version 14 or newer is needed", name);
    return function;
}

static void load(void) {
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof places / sizeof *places; i++) library = dlopen(places[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(problem, sizeof problem, "PostgreSQL's client library, libpq.so.5, cannot be loaded; install it (Debian's package: libpq5)");
        return;
    }
#define CPOSTGRES_FIND(type, name, parameters, arguments) *(void **)&cpostgres.name = find(library, #name);
#define CPOSTGRES_VOID_FIND(name, parameters, arguments) *(void **)&cpostgres.name = find(library, #name);
    CPOSTGRES_FUNCTIONS(CPOSTGRES_FIND)
    CPOSTGRES_PROCEDURES(CPOSTGRES_VOID_FIND)
    is_loaded = !*problem;
}

const char *cpostgres_load(void) {
    pthread_once(&once, load);
    return is_loaded ? NULL : problem;
}
