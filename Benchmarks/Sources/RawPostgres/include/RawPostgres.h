// A C program that writes the rows of a vault in PostgreSQL. It applies no rules and computes no values; by default it
// also reads nothing.
#ifndef RAW_POSTGRES_H
#define RAW_POSTGRES_H

#include <stddef.h>
#include <stdint.h>

enum {
    // Locks the customers of each transaction, in the order of their keys, in a round trip before the writes.
    RAW_LOCKS = 1,
    // Takes places from the feed's row and writes the checkpoint, instead of counting places in the program.
    RAW_FEED = 2,
    // Computes and writes the hash of each link; otherwise these columns are omitted.
    RAW_CHAINS = 4,
    // Writes placeholders instead of computed hashes.
    RAW_STAND_INS = 8,
    // Uses one round trip for each row, instead of one for each transaction.
    RAW_ROW_BY_ROW = 16,
    // Looks up the rows on which a credit depends, in the round trip of the locks.
    RAW_LOOK_UPS = 32,
};

typedef struct {
    // A connection string of libpq.
    const char *database;
    int connections;
    // The number of credits, and the maximum number in a transaction.
    int credits;
    int group;
    int flags;
    // The payload of every fact.
    const uint8_t *payload;
    size_t payload_length;
    // The base of all keys, so that a second run does not repeat the keys of the first.
    uint64_t seed;
} raw_credits;

// Writes credits for all customers of a vault; each connection serves separate customers.
//
// Returns the elapsed seconds after all connections are open and all statements are prepared, or a negative number with
// the reason in `problem`.
double raw_postgres_credit(const raw_credits *credits, char *problem, size_t problem_size);

// Runs statements in order over a separate connection. Returns 0, with the first value of the last statement as text in
// `problem`, or 1 with the reason in `problem`.
int raw_postgres_execute(const char *database, const char *const *statements, int count, char *problem,
                         size_t problem_size);

// Simulates a network: listens on loopback and forwards to a port of loopback, with a delay in microseconds each way.
// Runs until the process ends.
//
// Returns its port, or a negative number.
int raw_postgres_delay(int port, int microseconds);

#endif
