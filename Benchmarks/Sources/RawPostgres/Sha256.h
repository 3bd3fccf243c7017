// SHA-256, for the links of chains.
#ifndef RAW_POSTGRES_SHA256_H
#define RAW_POSTGRES_SHA256_H

#include <stddef.h>
#include <stdint.h>

void raw_sha256(const uint8_t *bytes, size_t length, uint8_t digest[32]);

#endif
