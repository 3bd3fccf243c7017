// What a program in C does that writes the rows of a vault in PostgreSQL, and nothing else: nothing is looked up, no
// rule is asked, and every value is at hand.
#ifndef RAW_POSTGRES_H
#define RAW_POSTGRES_H

#include <stddef.h>
#include <stdint.h>

enum {
    // Begins each transaction with a round trip that locks its customers in the order of their keys.
    RAW_LOCKS = 1,
    // Takes places from the row of the feed and writes the checkpoint, instead of counting places by itself.
    RAW_FEED = 2,
    // Computes the hash of each link and writes it, instead of leaving those columns out.
    RAW_CHAINS = 4,
    // Writes what stands for hashes, and computes none.
    RAW_STAND_INS = 8,
    // One round trip for each row, instead of one for each transaction.
    RAW_ROW_BY_ROW = 16,
};

typedef struct {
    // A connection string of libpq.
    const char *database;
    int connections;
    // How many credits there are, and how many of them a transaction writes at most.
    int credits;
    int group;
    int flags;
    // The payload of every fact.
    const uint8_t *payload;
    size_t payload_length;
    // What the statements' keys begin with, so that a second run meets no row of a first.
    uint64_t seed;
} raw_credits;

// Writes credits for all customers of a vault, each connection for customers of its own.
//
// Answers the seconds on the wall after all connections stand and all statements are prepared, or a negative number, and
// why in `problem`.
double raw_postgres_credit(const raw_credits *credits, char *problem, size_t problem_size);

// Runs statements one after the other over a connection of their own; answers 0, or 1 and why in `problem`. Of the last
// the first value is left in `problem` as text.
int raw_postgres_execute(const char *database, const char *const *statements, int count, char *problem,
                         size_t problem_size);

// Waits and answers as a network would: a listener on loopback that hands on to a port of loopback what comes, each way
// so many microseconds later. Runs until the process ends.
//
// Answers its port, or a negative number.
int raw_postgres_delay(int port, int microseconds);

#endif
