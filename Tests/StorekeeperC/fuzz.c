/*
** A fuzz target for all text that enters the library: evidence, catalogs, notifications, replies of a backend, names.
**
** Built with a fuzzer, it is its target. Built without, it is a program that runs random changes of the files that are named:
** usage: fuzz SECONDS SEED FILE…
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <storekeeper.h>

static sk_pool *pool;
static sk_customer *customer;
static sk_verifier *verifier;

/* A root certificate, so that signatures are looked at; the names of the examples' app. */
static char root[16384];
static const char *reply_text;
static size_t reply_length;

static void history(void *context, sk_reply *reply, const char *id, const char *cursor) {
    (void)context, (void)id, (void)cursor;
    sk_reply_send(reply, SK_OK, reply_text, reply_length);
}

static void statuses(void *context, sk_reply *reply, const char *id) {
    (void)context, (void)id;
    sk_reply_send(reply, SK_OK, reply_text, reply_length);
}

static void expect(int condition, const char *words) {
    if (condition) return;
    fprintf(stderr, "fuzz: %s: %s: %s\n", words, sk_error_code(), sk_error_message());
    abort();
}

static void open_all(void) {
    const char *path = getenv("STOREKEEPER_ROOT");
    FILE *file = fopen(path ? path : "Configuration/evidence/root.pem", "rb");
    sk_verifier_options trust = {.size = sizeof trust, .root = root, .bundle_id = "com.example.lanternvale"};
    if (file) {
        trust.root_length = fread(root, 1, sizeof root, file);
        fclose(file);
    }
    expect(sk_verifier_new(&trust, &verifier) == SK_OK, "the verifier");
    sk_backend backend = {.size = sizeof backend, .name = "fuzz", .history = history, .statuses = statuses};
    sk_pool_options options = {.size = sizeof options, .verifier = verifier, .backend = &backend};
    reply_text = "{\"items\":[]}", reply_length = strlen(reply_text);
    expect(sk_pool_open(&options, &pool) == SK_OK, "the pool");
    expect(sk_customer_open(pool, "anna", SK_NTS, &customer) == SK_OK, "the customer");
}

/* Whatever the text, each call returns a status and a message, grants nothing, and leaves the pool at work. */
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    if (!pool) open_all();
    if (size == 0) return 0;
    const char *text = (const char *)data + 1;
    size_t length = size - 1;
    sk_text json = {0, 0};
    sk_status status = SK_OK;
    bool yes = false;
    int http;
    switch (data[0] % 7) {
        case 0: status = sk_customer_ingest(customer, text, length, false, &json); break;
        case 1: status = sk_pool_load_catalog(pool, "fuzz", text, length); break;
        case 2: status = sk_pool_receive(pool, text, length, &http); break;
        case 3: status = sk_verify(verifier, text, length, &json); break;
        case 4: reply_text = text, reply_length = length, status = sk_customer_sync(customer, &json); break;
        case 5: status = sk_has_feature(customer, text, length, SK_NOW, &yes); break;
        case 6: status = sk_customer_spend(customer, text, length, 1, text, length, NULL); break;
    }
    expect(status >= SK_OK && status < SK_INTERNAL, "a call has an impossible status");
    expect(status == SK_OK || *sk_error_message(), "a failure has no message");
    sk_text_free(json.bytes);
    return 0;
}

#ifndef HAS_FUZZER
static unsigned long long state;

static unsigned next(unsigned below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(state >> 33) % (below ? below : 1);
}

int main(int argc, char **argv) {
    static unsigned char seed[1 << 20], changed[(1 << 20) + 4096];
    if (argc < 4) return 64;
    time_t end = time(NULL) + atoi(argv[1]);
    state = strtoull(argv[2], NULL, 10);
    long long runs = 0;
    while (time(NULL) < end) {
        FILE *file = fopen(argv[3 + next((unsigned)argc - 3)], "rb");
        if (!file) return 66;
        size_t size = fread(seed, 1, sizeof seed, file);
        fclose(file);
        for (int round = 0; round < 50; round++, runs++) {
            changed[0] = (unsigned char)next(7);
            memcpy(changed + 1, seed, size);
            size_t length = size;
            for (unsigned change = next(6); change > 0 && length > 0; change--) {
                unsigned char *place = changed + 1 + next((unsigned)length);
                switch (next(5)) {
                    case 0: *place = (unsigned char)next(256); break;
                    case 1: *place ^= (unsigned char)(1u << next(8)); break;
                    case 2: length = next((unsigned)length); break;
                    case 3: *place = (unsigned char)"{}[]\",:.\\0e-\xff"[next(13)]; break;
                    case 4: memmove(place, changed + 1 + next((unsigned)length), next(64)); break;
                }
            }
            LLVMFuzzerTestOneInput(changed, length + 1);
        }
    }
    bool yes;
    sk_status status = sk_has_feature(customer, "pro", SK_NTS, SK_NOW, &yes);
    expect((status == SK_OK || status == SK_UNKNOWN) && !yes, "in the end the customer has a feature that no file gives");
    sk_customer_free(customer);
    expect(sk_pool_close(pool) == SK_OK, "closing");
    sk_verifier_free(verifier);
    printf("%lld texts\n", runs);
}
#endif
