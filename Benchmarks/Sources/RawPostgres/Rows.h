// Values and arrays in the binary form that PostgreSQL takes them in.
#ifndef RAW_POSTGRES_ROWS_H
#define RAW_POSTGRES_ROWS_H

#include <libpq-fe.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { OID_BYTEA = 17, OID_INT8 = 20, OID_TEXT = 25, OID_BOOL = 16 };

typedef struct {
    uint8_t *bytes;
    size_t length, capacity;
    int is_null;
} buffer;

static inline void buffer_add(buffer *buffer, const void *bytes, size_t length) {
    if (buffer->length + length > buffer->capacity) {
        buffer->capacity = (buffer->length + length) * 2;
        buffer->bytes = realloc(buffer->bytes, buffer->capacity);
        if (!buffer->bytes) abort();
    }
    if (length) memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
}

static inline void put_int32(buffer *buffer, int32_t value) {
    uint32_t big = __builtin_bswap32((uint32_t)value);
    buffer_add(buffer, &big, 4);
}

static inline void put_int64(buffer *buffer, int64_t value) {
    uint64_t big = __builtin_bswap64((uint64_t)value);
    buffer_add(buffer, &big, 8);
}

// Begins an array of one dimension; its elements follow.
static inline void begin_array(buffer *buffer, int type, int count) {
    buffer->length = 0;
    put_int32(buffer, 1);
    put_int32(buffer, 1);
    put_int32(buffer, type);
    put_int32(buffer, count);
    put_int32(buffer, 1);
}

static inline void element(buffer *buffer, const void *bytes, size_t length) {
    put_int32(buffer, (int32_t)length);
    buffer_add(buffer, bytes, length);
}

static inline void int_element(buffer *buffer, int64_t value) {
    put_int32(buffer, 8);
    put_int64(buffer, value);
}

static inline void text_element(buffer *buffer, const char *text) { element(buffer, text, strlen(text)); }
static inline void null_element(buffer *buffer) { put_int32(buffer, -1); }

#endif
