#include "CStorekeeperThread.h"
#include "storekeeper.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static _Thread_local struct {
    char code[64];
    char message[2048];
    uint64_t calling_pool;
} own;

int skc_forked = 0;

// Copies a text and a zero byte; a text that is too long is cut before a character that does not fit.
static void copy(char *to, size_t size, const char *from, size_t length) {
    if (length >= size) {
        length = size - 1;
        while (length > 0 && ((unsigned char)from[length] & 0xC0) == 0x80) length--;
    }
    memcpy(to, from, length);
    to[length] = 0;
}

void skc_set_error(const char *code, size_t code_length, const char *message, size_t message_length) {
    copy(own.code, sizeof own.code, code, code_length);
    copy(own.message, sizeof own.message, message, message_length);
}

const char *sk_error_code(void) { return own.code; }
const char *sk_error_message(void) { return own.message; }

static void note_fork(void) { __atomic_store_n(&skc_forked, 1, __ATOMIC_RELAXED); }

void skc_observe_forks(void) { (void)pthread_atfork(NULL, NULL, note_fork); }

int skc_event_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void skc_event_set(int fd) {
    uint64_t one = 1;
    // The counter cannot overflow: it is cleared before it is set again, except when it is closed.
    while (write(fd, &one, sizeof one) < 0 && errno == EINTR) {}
}

void skc_event_clear(int fd) {
    uint64_t count;
    while (read(fd, &count, sizeof count) < 0 && errno == EINTR) {}
}

void skc_event_close(int fd) { (void)close(fd); }

uint64_t skc_calling_pool(void) { return own.calling_pool; }
void skc_set_calling_pool(uint64_t pool) { own.calling_pool = pool; }

const char *sk_version(void) { return SK_VERSION; }
int sk_version_number(void) { return SK_VERSION_NUMBER; }

void sk_text_free(char *bytes) { free(bytes); }

const char *sk_status_name(sk_status status) {
    static const char *const names[] = {
        "SK_OK", "SK_MISUSE", "SK_INVALID", "SK_UNKNOWN", "SK_REFUSED", "SK_UNVERIFIED", "SK_EMPTY", "SK_BUSY",
        "SK_IO", "SK_DOUBT", "SK_CORRUPT", "SK_CLOSED", "SK_TIMEOUT", "SK_CANCELLED", "SK_FORKED", "SK_INTERNAL",
    };
    return status >= 0 && (size_t)status < sizeof names / sizeof *names ? names[status] : "SK_?";
}
