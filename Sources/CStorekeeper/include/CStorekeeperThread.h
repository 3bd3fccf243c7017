// What the Swift part of the library needs of C: variables of a thread, what happens at fork(), and event descriptors.
// It is not installed.
#ifndef STOREKEEPER_THREAD_H
#define STOREKEEPER_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Stores the last failure of this thread; texts that are too long are cut at the start of a character.
void skc_set_error(const char *code, size_t code_length, const char *message, size_t message_length);

extern int skc_forked;

/// Returns whether this process is a child, by fork(), of the process that has used the library.
static inline bool skc_is_forked(void) { return __atomic_load_n(&skc_forked, __ATOMIC_RELAXED) != 0; }

/// Makes `skc_is_forked` true in each child that is forked later; called once.
void skc_observe_forks(void);

/// Opens an event descriptor, which is not inherited by programs that are executed; -1 and errno if that fails.
int skc_event_open(void);
/// Makes an event descriptor readable.
void skc_event_set(int fd);
/// Makes an event descriptor unreadable.
void skc_event_clear(int fd);
/// Closes an event descriptor.
void skc_event_close(int fd);

/// The number of the pool that calls a function of its backend in this thread; 0 outside of such calls.
uint64_t skc_calling_pool(void);
void skc_set_calling_pool(uint64_t pool);

#pragma clang assume_nonnull end

#endif
