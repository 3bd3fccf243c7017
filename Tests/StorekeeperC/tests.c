/*
** Tests of libstorekeeper through its header.
**
** usage: tests FOLDER LIBRARY [WORD]: FOLDER is the repository's Configuration, LIBRARY a copy of the library at another
** path, and WORD a part of the names of the tests to run.
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <storekeeper.h>

/* MARK: Checking */

#ifdef IS_RELEASE
static const bool is_release = true;
#else
static const bool is_release = false;
#endif

static const char *folder, *second_library, *current;
static atomic_int failures;

static void fail(int line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: tests.c:%d: ", current, line);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    failures++;
}

#define CHECK(condition) \
    do { if (!(condition)) fail(__LINE__, "%s is false", #condition); } while (0)
#define STATUS(expected, call) \
    do { \
        sk_status got = (call); \
        if (got != (expected)) \
            fail(__LINE__, "%s is %s (%s: %s), expected %s", #call, sk_status_name(got), sk_error_code(), \
                 sk_error_message(), sk_status_name(expected)); \
    } while (0)
#define OK(call) STATUS(SK_OK, call)
#define FAILS(expected, code, call) \
    do { \
        STATUS(expected, call); \
        if (strcmp(sk_error_code(), code)) fail(__LINE__, "%s has the code %s, expected %s", #call, sk_error_code(), code); \
        if (!*sk_error_message()) fail(__LINE__, "%s has no message", #call); \
    } while (0)
#define TEXT_HAS(text, part) \
    do { \
        if (!(text).bytes || !strstr((text).bytes, part)) fail(__LINE__, "'%s' is not in %s", part, (text).bytes); \
    } while (0)

/* Reads a file of the folder; the text is never freed. */
static sk_text contents(const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) { perror(path); exit(2); }
    sk_text text = {malloc(1 << 20), 0};
    text.length = fread(text.bytes, 1, (1 << 20) - 1, file);
    text.bytes[text.length] = 0;
    fclose(file);
    return text;
}

static void clear(sk_text *text) { sk_text_free(text->bytes); text->bytes = NULL; }

/* MARK: Allocations, counted in this program and in the library */

#if defined(IS_RELEASE) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS_ALLOCATIONS 1
static _Thread_local long allocations;
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
void *malloc(size_t size) { allocations++; return __libc_malloc(size); }
void *calloc(size_t count, size_t size) { allocations++; return __libc_calloc(count, size); }
void *realloc(void *memory, size_t size) { allocations++; return __libc_realloc(memory, size); }
int posix_memalign(void **memory, size_t alignment, size_t size) {
    allocations++;
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : 12;
}
#endif

/* MARK: A pool of the examples' app */

static sk_verifier *new_verifier(void) {
    sk_text root = contents("evidence/root.pem");
    sk_verifier_options options = {
        .size = sizeof options, .root = root.bytes, .root_length = root.length, .bundle_id = "com.example.lanternvale"};
    sk_verifier *verifier = NULL;
    OK(sk_verifier_new(&options, &verifier));
    free(root.bytes);
    return verifier;
}

static sk_pool *new_pool(const char *vault) {
    char path[4096];
    snprintf(path, sizeof path, "%s/Products.json", folder);
    sk_verifier *verifier = new_verifier();
    sk_pool_options options = {.size = sizeof options, .vault = vault, .verifier = verifier, .catalog_path = path};
    sk_pool *pool = NULL;
    OK(sk_pool_open(&options, &pool));
    sk_verifier_free(verifier);
    return pool;
}

/* Opens a customer with the evidence of an example. */
static sk_customer *new_customer(sk_pool *pool, const char *id, const char *evidence) {
    sk_customer *customer = NULL;
    OK(sk_customer_open(pool, id, SK_NTS, &customer));
    if (evidence) {
        sk_text text = contents(evidence);
        OK(sk_customer_ingest(customer, text.bytes, text.length, true, NULL));
        free(text.bytes);
    }
    return customer;
}

static const sk_instant june = 1780315200000; /* 2026-06-01T12:00:00Z */

/* Waits until the queue has an item, for at most ten seconds. */
static sk_item wait_for_item(sk_queue *queue) {
    struct pollfd ready = {.events = POLLIN};
    sk_item item = {.size = sizeof item};
    OK(sk_queue_fd(queue, &ready.fd));
    CHECK(poll(&ready, 1, 10000) == 1);
    OK(sk_queue_next(queue, &item));
    return item;
}

/* MARK: Tests */

static void test_library(void) {
    CHECK(sk_version_number() >= SK_VERSION_NUMBER);
    CHECK(!strcmp(sk_version(), SK_VERSION));
    CHECK(!strcmp(sk_status_name(SK_REFUSED), "SK_REFUSED"));
    CHECK(!strcmp(sk_status_name(SK_INTERNAL), "SK_INTERNAL"));
    CHECK(!strcmp(sk_status_name(99), "SK_?") && !strcmp(sk_status_name(-1), "SK_?"));
    sk_text_free(NULL);
}

static void test_verifier(void) {
    sk_verifier *verifier = new_verifier();
    sk_text evidence = contents("evidence/coins-one-refunded.jsonl"), payload;
    /* The first signed transaction of the history page. */
    char *start = strstr(evidence.bytes, "eyJ"), *end = start + strcspn(start, "\"");
    OK(sk_verify(verifier, start, (size_t)(end - start), &payload));
    TEXT_HAS(payload, "\"bundleId\":\"com.example.lanternvale\"");
    CHECK(strlen(payload.bytes) == payload.length);
    clear(&payload);
    OK(sk_verify(verifier, start, (size_t)(end - start), NULL));
    end[-5] = end[-5] == 'A' ? 'B' : 'A';
    FAILS(SK_UNVERIFIED, "invalidSignature", sk_verify(verifier, start, (size_t)(end - start), &payload));
    CHECK(!payload.bytes && !payload.length);
    FAILS(SK_UNVERIFIED, "malformed", sk_verify(verifier, "", 0, NULL));
    FAILS(SK_UNVERIFIED, "malformed", sk_verify(verifier, "\xff\xfe.a.b", SK_NTS, NULL));
    free(evidence.bytes);

    sk_verifier *none = (sk_verifier *)1;
    sk_verifier_options options = {.size = sizeof options, .root = "x", .root_length = 1, .bundle_id = "a.b"};
    STATUS(SK_INVALID, sk_verifier_new(&options, &none));
    CHECK(!none);
    options.bundle_id = NULL;
    FAILS(SK_INVALID, "noApp", sk_verifier_new(&options, &none));
    options.bundle_id = "a.b";
    options.environments = 64;
    FAILS(SK_MISUSE, "badEnvironments", sk_verifier_new(&options, &none));
    FAILS(SK_MISUSE, "null", sk_verifier_new(&options, NULL));
    FAILS(SK_MISUSE, "null", sk_verifier_new(NULL, &none));
    sk_verifier_free(verifier);
    sk_verifier_free(NULL);
}

static void test_sizes(void) {
    sk_verifier *none;
    sk_text root = contents("evidence/root.pem");
    struct { sk_verifier_options options; char later[16]; } newer = {
        {.size = sizeof newer, .root = root.bytes, .root_length = root.length, .bundle_id = "a.b"}, ""};
    OK(sk_verifier_new(&newer.options, &none));
    sk_verifier_free(none);
    newer.later[3] = 1;
    FAILS(SK_MISUSE, "badSize", sk_verifier_new(&newer.options, &none));
    newer.options.size = 8;
    FAILS(SK_MISUSE, "badSize", sk_verifier_new(&newer.options, &none));
    newer.options.size = (size_t)-1;
    FAILS(SK_MISUSE, "badSize", sk_verifier_new(&newer.options, &none));

    sk_pool *pool = new_pool(NULL);
    sk_customer *anna = new_customer(pool, "anna", "evidence/coins-one-refunded.jsonl");
    struct { sk_receipt receipt; char later[8]; } receipt = {{.size = sizeof receipt}, "unknown"};
    OK(sk_customer_spend(anna, "coins", SK_NTS, 1, "one", SK_NTS, &receipt.receipt));
    CHECK(receipt.receipt.balance == 699 && !receipt.later[0] && receipt.receipt.size == sizeof receipt);
    receipt.receipt.size = 0;
    FAILS(SK_MISUSE, "badSize", sk_customer_spend(anna, "coins", SK_NTS, 1, "two", SK_NTS, &receipt.receipt));
    int64_t coins;
    OK(sk_balance(anna, "coins", SK_NTS, &coins));
    CHECK(coins == 699); /* Nothing was spent, because the receipt was checked first. */
    sk_customer_free(anna);
    OK(sk_pool_close(pool));
    free(root.bytes);
}

static void test_questions(void) {
    sk_pool *pool = new_pool(NULL);
    sk_customer *anna = new_customer(pool, "anna", "evidence/season-pass-and-remove-ads.jsonl");
    sk_snapshot *snapshot;
    OK(sk_customer_snapshot(anna, &snapshot));
    bool yes = false;
    OK(sk_has_feature(anna, "season-arena", SK_NTS, june, &yes));
    CHECK(yes);
    OK(sk_has_feature(anna, "season-arena-and-more", 12, june, &yes));
    CHECK(yes);
    OK(sk_snapshot_has_feature(snapshot, "season-arena", SK_NTS, june, &yes));
    CHECK(yes);
    OK(sk_has_feature(anna, "pro", SK_NTS, june, &yes));
    CHECK(!yes);
    OK(sk_is_entitled(anna, "remove.ads", SK_NTS, june, &yes));
    CHECK(yes);
    OK(sk_snapshot_is_entitled(snapshot, "remove.ads", SK_NTS, june, &yes));
    CHECK(yes);
    OK(sk_is_entitled(anna, "gold.monthly", SK_NTS, june, &yes));
    CHECK(!yes);
    int64_t units = 0;
    OK(sk_balance(anna, "gems", SK_NTS, &units));
    CHECK(units == 60);
    OK(sk_snapshot_balance(snapshot, "gems", SK_NTS, &units));
    CHECK(units == 60);
    sk_instant change, other;
    OK(sk_next_change(anna, june, &change));
    OK(sk_snapshot_next_change(snapshot, june, &other));
    CHECK(change == other && change > june && change < june + INT64_C(20) * 86400000);
    OK(sk_next_change(anna, INT64_C(8000000000000000), &change));
    CHECK(change == SK_FOREVER);

    sk_answer answer = {.size = sizeof answer};
    OK(sk_feature_answer(anna, "season-arena", SK_NTS, june, &answer));
    CHECK(answer.kind == SK_IS_ENTITLED && !strcmp(answer.reason, "active") && answer.until > june);
    OK(sk_product_answer(anna, "gold.monthly", SK_NTS, june, &answer));
    CHECK(answer.kind == SK_IS_NEVER && !strcmp(answer.reason, "noPurchase") && answer.until == SK_FOREVER);
    OK(sk_product_answer(anna, "bronze.monthly", SK_NTS, june, &answer));
    CHECK(answer.kind == SK_IS_LAPSED && !strcmp(answer.reason, "expired"));

    /* A question that has no answer is not "no". */
    yes = true;
    FAILS(SK_UNKNOWN, "unknownFeature", sk_has_feature(anna, "seson-arena", SK_NTS, june, &yes));
    CHECK(!yes && strstr(sk_error_message(), "season-arena"));
    FAILS(SK_UNKNOWN, "unknownProduct", sk_is_entitled(anna, "gold.monthly.with.a.long.name", SK_NTS, june, &yes));
    FAILS(SK_UNKNOWN, "unknownBalance", sk_balance(anna, "coin", SK_NTS, &units));
    FAILS(SK_INVALID, "consumable", sk_is_entitled(anna, "coins.100", SK_NTS, june, &yes));
    FAILS(SK_UNKNOWN, "unknownFeature", sk_feature_answer(anna, "x", SK_NTS, june, &answer));
    CHECK(answer.kind == SK_IS_UNKNOWN && !answer.reason);
    FAILS(SK_INVALID, "invalidRequest", sk_has_feature(anna, "", 0, june, &yes));
    FAILS(SK_INVALID, "invalidRequest", sk_has_feature(anna, "pro", SK_NTS, INT64_MAX, &yes));
    FAILS(SK_MISUSE, "notUTF8", sk_has_feature(anna, "\xc3\x28", SK_NTS, june, &yes));
    FAILS(SK_MISUSE, "null", sk_has_feature(anna, NULL, 3, june, &yes));
    FAILS(SK_MISUSE, "null", sk_has_feature(anna, "pro", SK_NTS, june, NULL));
    FAILS(SK_MISUSE, "badLength", sk_has_feature(anna, "pro", (size_t)-2, june, &yes));
    FAILS(SK_MISUSE, "badLength", sk_customer_ingest(anna, "pro", (size_t)1 << 62, true, NULL));

    /* A customer about whom nothing is complete is unknown, not "never". */
    sk_customer *ben = new_customer(pool, "ben", NULL);
    OK(sk_feature_answer(ben, "pro", SK_NTS, june, &answer));
    CHECK(answer.kind == SK_IS_UNKNOWN && !strcmp(answer.reason, "neverSynced"));
    OK(sk_customer_ingest(ben, "", 0, true, NULL));
    OK(sk_feature_answer(ben, "pro", SK_NTS, SK_NOW, &answer));
    CHECK(answer.kind == SK_IS_NEVER);

    sk_text json;
    OK(sk_snapshot_entitlements(snapshot, june, &json));
    TEXT_HAS(json, "\"at\":\"2026-06-01T12:00:00.000Z\"");
    clear(&json);
    OK(sk_snapshot_entitlements(snapshot, SK_NOW, &json)); /* A snapshot knows balances of its own time only. */
    TEXT_HAS(json, "\"id\":\"gems\"");
    clear(&json);
    OK(sk_snapshot_timeline(snapshot, june, &json));
    TEXT_HAS(json, "<svg");
    clear(&json);
    OK(sk_customer_explain_feature(anna, "ad-free", SK_NTS, june, &json));
    TEXT_HAS(json, "\"steps\":");
    clear(&json);
    OK(sk_customer_explain_product(anna, "remove.ads", SK_NTS, june, &json));
    TEXT_HAS(json, "\"answer\":\"entitled\"");
    clear(&json);
    FAILS(SK_UNKNOWN, "unknownFeature", sk_customer_explain_feature(anna, "nothing", SK_NTS, june, &json));
    CHECK(!json.bytes);

    sk_customer_free(anna);
    sk_customer_free(ben);
    OK(sk_pool_close(pool));
    /* A snapshot outlives its pool. */
    OK(sk_snapshot_has_feature(snapshot, "season-arena", SK_NTS, june, &yes));
    CHECK(yes);
    sk_snapshot_free(snapshot);
}

static void test_no_allocation(void) {
#ifdef COUNTS_ALLOCATIONS
    sk_pool *pool = new_pool(NULL);
    sk_customer *anna = new_customer(pool, "anna", "evidence/season-pass-and-remove-ads.jsonl");
    OK(sk_pool_load_catalog(pool, "long names",
        "{\"products\":[\"a.subscription.with.quite.a.long.name\",{\"id\":\"coins.100\",\"type\":\"consumable\","
        "\"grants\":{\"coins-of-the-lantern-vale\":1}}],\"features\":{\"a-feature-with-a-long-name\":"
        "[\"a.subscription.with.quite.a.long.name\"],\"arena\":[\"season.pass\"]}}", SK_NTS));
    long before = 0;
    for (int round = 0; round < 100; round++) {
        if (round == 1) before = allocations; /* The first round fills caches. */
        bool yes;
        int64_t units;
        sk_instant change;
        OK(sk_has_feature(anna, "a-feature-with-a-long-name", SK_NTS, SK_NOW, &yes));
        OK(sk_has_feature(anna, "arena", SK_NTS, june, &yes));
        CHECK(yes);
        OK(sk_is_entitled(anna, "a.subscription.with.quite.a.long.name", SK_NTS, SK_NOW, &yes));
        OK(sk_is_entitled(anna, "season.pass", SK_NTS, june, &yes));
        OK(sk_balance(anna, "coins-of-the-lantern-vale", SK_NTS, &units));
        CHECK(units == 0);
        OK(sk_next_change(anna, june, &change));
        OK(sk_next_change(anna, SK_NOW, &change));
    }
    if (allocations != before) fail(__LINE__, "99 rounds of questions have allocated %ld times", allocations - before);
    sk_customer_free(anna);
    OK(sk_pool_close(pool));
#endif
}

static void test_ledger(void) {
    char vault[] = "/tmp/storekeeper-c-XXXXXX";
    CHECK(mkdtemp(vault) != NULL);
    char path[256], command[300];
    snprintf(path, sizeof path, "%s/vault.sqlite", vault);
    sk_pool *pool = new_pool(path);
    sk_customer *anna = new_customer(pool, "anna", "evidence/coins-one-refunded.jsonl");
    sk_receipt receipt = {.size = sizeof receipt};
    OK(sk_customer_spend(anna, "coins", SK_NTS, 30, "lantern-42", SK_NTS, &receipt));
    CHECK(receipt.balance == 670 && !receipt.is_replayed && !strncmp(receipt.id, "spend-", 6));
    sk_receipt again = {.size = sizeof again};
    OK(sk_customer_spend(anna, "coins", SK_NTS, 30, "lantern-42", SK_NTS, &again));
    CHECK(again.balance == 670 && again.is_replayed && !strcmp(receipt.id, again.id));
    FAILS(SK_REFUSED, "keyReused", sk_customer_spend(anna, "coins", SK_NTS, 31, "lantern-42", SK_NTS, &again));
    FAILS(SK_REFUSED, "insufficient", sk_customer_spend(anna, "coins", SK_NTS, 9000, "lantern-43", SK_NTS, NULL));
    FAILS(SK_INVALID, "invalidRequest", sk_customer_spend(anna, "coins", SK_NTS, 0, "lantern-44", SK_NTS, NULL));
    FAILS(SK_INVALID, "invalidRequest", sk_customer_spend(anna, "coins", SK_NTS, 1, "", 0, NULL));
    FAILS(SK_UNKNOWN, "unknownBalance", sk_customer_spend(anna, "coin", SK_NTS, 1, "k", SK_NTS, NULL));
    OK(sk_customer_grant(anna, "coins", SK_NTS, 5, "a gift", "gift-1", SK_NTS, &receipt));
    CHECK(receipt.balance == 675 && !strncmp(receipt.id, "grant-", 6));
    FAILS(SK_MISUSE, "null", sk_customer_grant(anna, "coins", SK_NTS, 5, NULL, "gift-2", SK_NTS, NULL));
    FAILS(SK_INVALID, "overflow", sk_customer_grant(anna, "coins", SK_NTS, INT64_MAX, "too much", "gift-3", SK_NTS, NULL));

    bool yes;
    OK(sk_has_feature(anna, "pro", SK_NTS, SK_NOW, &yes));
    CHECK(!yes);
    OK(sk_customer_grant_feature(anna, "pro", SK_NTS, INT64_C(4102444800000), "a lost day", "ticket-1", SK_NTS));
    OK(sk_has_feature(anna, "pro", SK_NTS, SK_NOW, &yes));
    CHECK(yes);
    OK(sk_customer_revoke_grant(anna, "a mistake", "ticket-1", SK_NTS));
    OK(sk_has_feature(anna, "pro", SK_NTS, SK_NOW, &yes));
    CHECK(!yes);
    FAILS(SK_UNKNOWN, "unknownGrant", sk_customer_revoke_grant(anna, "a mistake", "ticket-2", SK_NTS));
    sk_customer_free(anna);
    sk_text json;
    OK(sk_pool_audit(pool, &json));
    TEXT_HAS(json, "\"faults\":[]");
    clear(&json);
    OK(sk_pool_close(pool));

    /* What was written is there in the next process, or pool. */
    pool = new_pool(path);
    anna = new_customer(pool, "anna", NULL);
    int64_t coins;
    OK(sk_balance(anna, "coins", SK_NTS, &coins));
    CHECK(coins == 675);
    sk_customer_free(anna);
    OK(sk_pool_close(pool));
    snprintf(command, sizeof command, "rm -rf %s", vault);
    CHECK(system(command) == 0);
}

static void test_evidence(void) {
    sk_pool *pool = new_pool(NULL);
    sk_customer *anna = new_customer(pool, "anna", NULL), *ben = new_customer(pool, "ben", NULL);
    sk_text evidence = contents("evidence/coins-one-refunded.jsonl"), json;
    OK(sk_customer_ingest(anna, evidence.bytes, evidence.length, true, &json));
    TEXT_HAS(json, "\"failures\":[]");
    TEXT_HAS(json, "\"parked\":0");
    clear(&json);
    OK(sk_customer_ingest(anna, evidence.bytes, evidence.length, true, &json));
    TEXT_HAS(json, "\"new\":0");
    clear(&json);
    /* The purchases of one customer do not become another's. */
    OK(sk_customer_ingest(ben, evidence.bytes, evidence.length, false, &json));
    TEXT_HAS(json, "\"customer\":\"anna\"");
    clear(&json);
    int64_t coins;
    OK(sk_balance(ben, "coins", SK_NTS, &coins));
    CHECK(coins == 0);
    /* A line that is not evidence does not hide the others, and the report names it. */
    STATUS(SK_UNVERIFIED, sk_customer_ingest(ben, "this is not evidence\n", SK_NTS, true, &json));
    TEXT_HAS(json, "\"code\":\"malformed\"");
    clear(&json);
    sk_answer answer = {.size = sizeof answer};
    OK(sk_feature_answer(ben, "pro", SK_NTS, SK_NOW, &answer));
    CHECK(answer.kind == SK_IS_UNKNOWN);

    int http = 0;
    STATUS(SK_UNVERIFIED, sk_pool_receive(pool, "{\"signedPayload\":\"a.b.c\"}", SK_NTS, &http));
    CHECK(http == 400);
    STATUS(SK_UNVERIFIED, sk_pool_receive(pool, "\x00\xff{", 3, NULL));

    FAILS(SK_INVALID, "truncated", sk_pool_load_catalog(pool, "new.json", "{\"products\":[", SK_NTS));
    CHECK(strstr(sk_error_message(), "new.json"));
    bool yes;
    OK(sk_has_feature(anna, "pro", SK_NTS, SK_NOW, &yes));
    OK(sk_pool_load_catalog(pool, "new.json", "{\"products\":[\"a\"],\"features\":{\"f\":[\"a\"]}}", SK_NTS));
    OK(sk_has_feature(anna, "f", SK_NTS, SK_NOW, &yes));
    FAILS(SK_UNKNOWN, "unknownFeature", sk_has_feature(anna, "pro", SK_NTS, SK_NOW, &yes));
    free(evidence.bytes);
    sk_customer_free(anna);
    sk_customer_free(ben);
    OK(sk_pool_close(pool));
}

static void test_queues(void) {
    sk_pool *pool = new_pool(NULL);
    sk_queue *queue;
    sk_item item = {.size = sizeof item};
    OK(sk_queue_new(&queue));
    FAILS(SK_EMPTY, "empty", sk_queue_next(queue, &item));
    struct pollfd ready = {.events = POLLIN};
    OK(sk_queue_fd(queue, &ready.fd));
    CHECK(poll(&ready, 1, 0) == 0);
    CHECK(fcntl(ready.fd, F_GETFD) & FD_CLOEXEC);
    OK(sk_pool_subscribe(pool, queue, 77, 0));
    FAILS(SK_INVALID, "badPlace", sk_pool_subscribe(pool, queue, 77, -5));

    /* Everything in turn by the queue: opening, evidence, a spend, a refusal. */
    OK(sk_begin_open(pool, "anna", SK_NTS, queue, 1));
    item = wait_for_item(queue);
    CHECK(item.kind == SK_RESULT && item.tag == 1 && item.status == SK_OK && item.customer);
    TEXT_HAS(item.json, "\"customer\":\"anna\"");
    clear(&item.json);
    sk_customer *anna = item.customer;
    sk_text evidence = contents("evidence/coins-one-refunded.jsonl");
    OK(sk_begin_ingest(anna, evidence.bytes, evidence.length, true, queue, 2));
    memset(evidence.bytes, 'x', evidence.length); /* Text is copied. */
    int results = 0, events = 0;
    int64_t last = 0;
    while (results < 1 || events < 1) {
        item = wait_for_item(queue);
        if (item.kind == SK_RESULT) {
            CHECK(item.tag == 2 && item.status == SK_OK);
            TEXT_HAS(item.json, "\"new\":");
            results++;
        } else {
            CHECK(item.kind == SK_EVENT && item.tag == 77 && item.place > last);
            TEXT_HAS(item.json, "\"customer\":\"anna\"");
            last = item.place;
            events++;
        }
        clear(&item.json);
        if (!item.json.bytes && events + results > 50) break;
        /* The examples' coins change no answer; access that is granted does. */
        if (results == 1 && events == 0)
            OK(sk_customer_grant_feature(anna, "pro", SK_NTS, INT64_C(4102444800000), "a test", "g", SK_NTS));
    }
    OK(sk_begin_spend(anna, "coins", SK_NTS, 30, "k", SK_NTS, queue, 3));
    OK(sk_begin_grant(anna, "coins", SK_NTS, 1, "a gift", "k2", SK_NTS, queue, 4));
    OK(sk_begin_spend(anna, "coins", SK_NTS, 30000, "k3", SK_NTS, queue, 5));
    OK(sk_begin_receive(pool, "{}", SK_NTS, queue, 6));
    OK(sk_begin_sync(anna, queue, 7));
    OK(sk_begin_ingest(anna, "this is not evidence\n", SK_NTS, false, queue, 8));
    unsigned seen = 0;
    while (seen != 0x1F8) {
        item = wait_for_item(queue);
        if (item.kind == SK_RESULT) {
            seen |= 1u << item.tag;
            CHECK(item.status == (item.tag == 5 ? SK_REFUSED : item.tag == 6 || item.tag == 8 ? SK_UNVERIFIED : SK_OK));
            if (item.tag == 3) TEXT_HAS(item.json, "\"receipt\":\"spend-");
            if (item.tag == 5) TEXT_HAS(item.json, "\"code\":\"insufficient\"");
            if (item.tag == 6) TEXT_HAS(item.json, "\"httpStatus\":400");
            if (item.tag == 8) { /* The failure, and the report. */
                TEXT_HAS(item.json, "{\"code\":\"malformed\",");
                TEXT_HAS(item.json, ",\"failures\":[{\"code\":\"malformed\",");
                TEXT_HAS(item.json, ",\"known\":0,\"message\":\"the text is not ");
            }
        } else {
            last = item.place;
        }
        clear(&item.json);
    }
    FAILS(SK_EMPTY, "empty", sk_queue_next(queue, &item));
    CHECK(poll(&ready, 1, 0) == 0);

    /* Subscribing after a place gives nothing twice. */
    sk_queue *second;
    OK(sk_queue_new(&second));
    OK(sk_pool_subscribe(pool, second, 1, last));
    OK(sk_customer_revoke_grant(anna, "a test", "g", SK_NTS));
    item = wait_for_item(second);
    CHECK(item.kind == SK_EVENT && item.place > last);
    clear(&item.json);

    /* A queue that is freed while calls wait loses their results, not the calls. */
    OK(sk_begin_spend(anna, "coins", SK_NTS, 1, "k4", SK_NTS, second, 1));
    sk_queue_free(second);
    FAILS(SK_MISUSE, "badHandle", sk_queue_next(second, &item));

    /* Who waits for the descriptor of a queue, and so keeps it open, wakes when the queue is freed. */
    sk_queue *third;
    OK(sk_queue_new(&third));
    OK(sk_queue_fd(third, &ready.fd));
    struct pollfd kept = {.fd = dup(ready.fd), .events = POLLIN};
    CHECK(poll(&kept, 1, 0) == 0);
    sk_queue_free(third);
    CHECK(poll(&kept, 1, 0) == 1 && kept.revents == POLLIN);
    close(kept.fd);

    /* A text with a zero byte is the id of nobody: a backend would read it as "anna". */
    sk_customer *none;
    FAILS(SK_INVALID, "zeroByte", sk_customer_open(pool, "anna\0x", 6, &none));
    CHECK(!none);
    FAILS(SK_INVALID, "zeroByte", sk_begin_open(pool, "anna\0x", 6, queue, 1));
    FAILS(SK_INVALID, "zeroByte", sk_customer_spend(anna, "coins", SK_NTS, 1, "k\0x", 3, NULL));
    sk_receipt receipt = {.size = sizeof receipt};
    OK(sk_customer_spend(anna, "coins", SK_NTS, 1, "k4", SK_NTS, &receipt));
    CHECK(receipt.balance == 670);
    sk_customer_free(anna);
    OK(sk_pool_close(pool));
    sk_queue_free(queue);
    free(evidence.bytes);
}

/* A program that takes no results does not fill the memory. */
static void test_full_queue(void) {
    sk_pool *pool = new_pool(NULL);
    sk_queue *queue;
    OK(sk_queue_new(&queue));
    for (int index = 0; index < 65536; index++) OK(sk_begin_receive(pool, "{}", SK_NTS, queue, 1));
    FAILS(SK_BUSY, "tooManyResults", sk_begin_receive(pool, "{}", SK_NTS, queue, 1));
    sk_item item = wait_for_item(queue);
    clear(&item.json);
    OK(sk_begin_receive(pool, "{}", SK_NTS, queue, 2));
    int results = 1;
    while (results < 65537) {
        item = wait_for_item(queue);
        CHECK(item.kind == SK_RESULT && item.status == SK_UNVERIFIED);
        clear(&item.json);
        results++;
    }
    FAILS(SK_EMPTY, "empty", sk_queue_next(queue, &item));
    OK(sk_pool_close(pool));
    sk_queue_free(queue);
}

/* More events than a queue holds: none is lost, and the queue stays small. */
static void test_many_events(void) {
    sk_pool *pool = new_pool(NULL);
    enum { count = 1500 };
    for (int index = 0; index < count; index++) {
        char id[32];
        snprintf(id, sizeof id, "customer-%d", index);
        sk_customer *customer = new_customer(pool, id, NULL);
        OK(sk_customer_grant_feature(customer, "pro", SK_NTS, INT64_C(4102444800000), "a test", "key", SK_NTS));
        OK(sk_customer_revoke_grant(customer, "a test", "key", SK_NTS));
        sk_customer_free(customer);
    }
    sk_queue *queue;
    OK(sk_queue_new(&queue));
    OK(sk_pool_subscribe(pool, queue, 1, 0));
    usleep(100000);
    int seen = 0;
    int64_t last = 0;
    struct pollfd ready = {.events = POLLIN};
    OK(sk_queue_fd(queue, &ready.fd));
    while (poll(&ready, 1, 1000) == 1) {
        sk_item item = {.size = sizeof item};
        while (sk_queue_next(queue, &item) == SK_OK) {
            CHECK(item.place > last);
            last = item.place;
            seen++;
            clear(&item.json);
        }
    }
    if (seen != 2 * count) fail(__LINE__, "%d events, expected %d", seen, 2 * count);
    sk_queue_free(queue);
    OK(sk_pool_close(pool));
}

static sk_simulator *new_simulator(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s/Store.storekit", folder);
    sk_simulator_options options = {.size = sizeof options, .bundle_id = "com.example.lanternvale", .catalog_path = path};
    sk_simulator *simulator = NULL;
    OK(sk_simulator_new(&options, &simulator));
    return simulator;
}

static void test_simulator(void) {
    sk_simulator *simulator = new_simulator();
    sk_instant start, now;
    OK(sk_simulator_now(simulator, &start));
    CHECK(start == INT64_C(1767225600000));
    OK(sk_simulator_add_account(simulator, "anna", SK_NTS));
    char path[4096];
    snprintf(path, sizeof path, "%s/Products.json", folder);
    sk_pool_options options = {.size = sizeof options, .simulator = simulator, .catalog_path = path};
    sk_pool *pool;
    OK(sk_pool_open(&options, &pool));
    sk_queue *queue;
    OK(sk_queue_new(&queue));
    OK(sk_pool_subscribe(pool, queue, 1, 0));
    sk_customer *anna = new_customer(pool, "anna", NULL);
    sk_text transaction, text;
    OK(sk_simulator_buy(simulator, "anna", SK_NTS, "gold.monthly", SK_NTS, &transaction));
    OK(sk_customer_sync(anna, NULL));
    bool yes;
    OK(sk_has_feature(anna, "pro", SK_NTS, SK_NOW, &yes));
    CHECK(yes);
    sk_item item = wait_for_item(queue);
    CHECK(item.kind == SK_EVENT);
    clear(&item.json);
    /* A lapse is announced although nobody asks: time alone ends the access. */
    OK(sk_simulator_set_auto_renew(simulator, transaction.bytes, transaction.length, false));
    OK(sk_simulator_advance(simulator, start + INT64_C(40) * 86400000));
    OK(sk_simulator_now(simulator, &now));
    CHECK(now == start + INT64_C(40) * 86400000);
    for (bool lapsed = false; !lapsed && !failures;) {
        item = wait_for_item(queue);
        lapsed = item.json.bytes && strstr(item.json.bytes, "\"after\":{\"answer\":\"lapsed\"") != NULL;
        clear(&item.json);
    }
    OK(sk_has_feature(anna, "pro", SK_NTS, SK_NOW, &yes));
    CHECK(!yes);
    FAILS(SK_INVALID, "timeRunsForward", sk_simulator_advance(simulator, start));

    /* A refund takes the coins back, even those that were spent. */
    sk_text coins;
    OK(sk_simulator_buy(simulator, "anna", SK_NTS, "coins.100", SK_NTS, &coins));
    OK(sk_customer_sync(anna, NULL));
    OK(sk_customer_spend(anna, "coins", SK_NTS, 30, "k", SK_NTS, NULL));
    OK(sk_simulator_refund(simulator, coins.bytes, coins.length));
    OK(sk_customer_sync(anna, NULL));
    int64_t units;
    OK(sk_balance(anna, "coins", SK_NTS, &units));
    CHECK(units == -30);

    STATUS(SK_UNKNOWN, sk_simulator_buy(simulator, "anna", SK_NTS, "no.such", SK_NTS, NULL));
    STATUS(SK_UNKNOWN, sk_simulator_buy(simulator, "nobody", SK_NTS, "coins.100", SK_NTS, NULL));
    STATUS(SK_UNKNOWN, sk_simulator_refund(simulator, "77", SK_NTS));
    OK(sk_simulator_root(simulator, &text));
    TEXT_HAS(text, "BEGIN CERTIFICATE");
    clear(&text);
    OK(sk_simulator_evidence(simulator, "anna", SK_NTS, &text));
    TEXT_HAS(text, "eyJ");
    clear(&text);
    /* Notifications are taken as App Store Server Notifications would be. */
    OK(sk_simulator_notifications(simulator, 0, &text));
    char *line = text.bytes, *end;
    int count = 0;
    for (; (end = strchr(line, '\n')); line = end + 1, count++) {
        int http;
        OK(sk_pool_receive(pool, line, (size_t)(end - line), &http));
        CHECK(http == 200);
    }
    CHECK(count >= 3);
    clear(&text);
    OK(sk_simulator_notifications(simulator, 1000, &text));
    CHECK(text.length == 0 && text.bytes && !*text.bytes);
    clear(&text);
    clear(&transaction);
    clear(&coins);
    sk_customer_free(anna);
    OK(sk_pool_close(pool));
    sk_queue_free(queue);
    sk_simulator_free(simulator);
}

/* MARK: A backend of callbacks */

struct source {
    sk_simulator *simulator;
    pthread_mutex_t lock;
    /* 0: reply at once; 1: from another thread; 2: fail; 3: not JSON; 4: twice; 5: close the pool; 6: a bad cursor */
    atomic_int mode;
    sk_pool *pool;
    atomic_int calls, released;
};

struct late { sk_reply *reply; sk_text text; };

static void *reply_later(void *argument) {
    struct late *late = argument;
    usleep(20000);
    OK(sk_reply_send(late->reply, SK_OK, late->text.bytes, late->text.length));
    clear(&late->text);
    free(late);
    return NULL;
}

static void source_history(void *context, sk_reply *reply, const char *customer, const char *cursor) {
    struct source *source = context;
    source->calls++;
    /* The function may take locks of its own that the loop holds while it calls the library. */
    pthread_mutex_lock(&source->lock);
    int mode = source->mode;
    pthread_mutex_unlock(&source->lock);
    CHECK(!*cursor);
    if (strcmp(customer, "anna")) {
        OK(sk_reply_send(reply, SK_OK, "{\"items\":[]}", SK_NTS));
        return;
    }
    sk_text lines;
    OK(sk_simulator_evidence(source->simulator, customer, SK_NTS, &lines));
    sk_text json = {malloc(lines.length + 4096), 0};
    char *to = json.bytes + sprintf(json.bytes, "{\"items\":[");
    const char *separator = "";
    for (char *line = strtok(lines.bytes, "\n"); line; line = strtok(NULL, "\n"), separator = ",")
        to += sprintf(to, "%s\"%s\"", separator, line);
    to += sprintf(to, "]}");
    json.length = (size_t)(to - json.bytes);
    clear(&lines);
    if (mode == 1) {
        struct late *late = malloc(sizeof *late);
        *late = (struct late){reply, json};
        pthread_t thread;
        pthread_create(&thread, NULL, reply_later, late);
        pthread_detach(thread);
        return;
    }
    if (mode == 0) { /* A function of a backend may call what does not wait for the backend. */
        sk_customer *ben;
        OK(sk_customer_open(source->pool, "ben", SK_NTS, &ben));
        OK(sk_customer_grant(ben, "coins", SK_NTS, 1, "a gift", "gift", SK_NTS, NULL));
        sk_customer_free(ben);
    }
    if (mode == 5) FAILS(SK_MISUSE, "ownBackend", sk_pool_close(source->pool));
    if (mode == 2) OK(sk_reply_send(reply, SK_IO, "the database is away", SK_NTS));
    else if (mode == 3) OK(sk_reply_send(reply, SK_OK, "{\"items\":[", SK_NTS));
    else if (mode == 6) OK(sk_reply_send(reply, SK_OK, "{\"items\":[],\"next\":\"\\u0000\"}", SK_NTS));
    else OK(sk_reply_send(reply, SK_OK, json.bytes, json.length));
    if (mode == 4) FAILS(SK_MISUSE, "badHandle", sk_reply_send(reply, SK_OK, "{}", SK_NTS));
    clear(&json);
}

static void source_statuses(void *context, sk_reply *reply, const char *customer) {
    (void)context;
    (void)customer;
    OK(sk_reply_send(reply, SK_OK, "[]", SK_NTS));
}

static void source_release(void *context) { ((struct source *)context)->released++; }

static void test_backend(void) {
    struct source source = {.simulator = new_simulator(), .lock = PTHREAD_MUTEX_INITIALIZER};
    OK(sk_simulator_add_account(source.simulator, "anna", SK_NTS));
    OK(sk_simulator_buy(source.simulator, "anna", SK_NTS, "gold.monthly", SK_NTS, NULL));
    sk_text root;
    OK(sk_simulator_root(source.simulator, &root));
    sk_verifier_options trust = {
        .size = sizeof trust, .root = root.bytes, .root_length = root.length, .bundle_id = "com.example.lanternvale",
        .environments = SK_SANDBOX};
    sk_verifier *verifier;
    OK(sk_verifier_new(&trust, &verifier));
    clear(&root);
    char path[4096];
    snprintf(path, sizeof path, "%s/Products.json", folder);
    sk_backend backend = {.size = sizeof backend, .name = "test", .context = &source, .history = source_history,
        .statuses = source_statuses, .release = source_release};
    sk_pool_options options = {.size = sizeof options, .verifier = verifier, .catalog_path = path, .backend = &backend};
    sk_queue *queue;
    OK(sk_queue_new(&queue));
    OK(sk_pool_open(&options, &source.pool));
    OK(sk_pool_report(source.pool, queue, 9));
    /* The pool reads the history of a new customer by itself, too. */
    sk_customer *anna = new_customer(source.pool, "anna", NULL);
    sk_instant when = INT64_C(1767225600000) + 86400000;
    for (source.mode = 0; source.mode < 7; source.mode++) {
        sk_text json;
        sk_status expected = source.mode == 2 ? SK_IO : source.mode == 3 || source.mode == 6 ? SK_INVALID : SK_OK;
        STATUS(expected, sk_customer_sync(anna, &json));
        if (source.mode == 2) CHECK(strstr(sk_error_message(), "the database is away"));
        if (expected == SK_OK) TEXT_HAS(json, "\"failures\":[]");
        clear(&json);
    }
    bool yes;
    OK(sk_has_feature(anna, "pro", SK_NTS, when, &yes));
    CHECK(yes && source.calls >= 6);
    sk_item item = wait_for_item(queue);
    CHECK(item.kind == SK_REPORT && item.tag == 9);
    TEXT_HAS(item.json, "the backend failed");
    clear(&item.json);
    CHECK(source.released == 0);
    sk_customer_free(anna);
    OK(sk_pool_close(source.pool));
    CHECK(source.released == 1);
    sk_queue_free(queue);
    sk_verifier_free(verifier);
    sk_simulator_free(source.simulator);

    sk_pool *none;
    backend.history = NULL;
    verifier = new_verifier();
    options.verifier = verifier;
    FAILS(SK_MISUSE, "null", sk_pool_open(&options, &none));
    sk_app_store server = {.size = sizeof server, .key_id = "ABCDEFGHIJ", .issuer_id = "x", .key = "not a key"};
    options.app_store = &server;
    FAILS(SK_INVALID, "severalSources", sk_pool_open(&options, &none));
    options.backend = NULL;
    FAILS(SK_INVALID, "invalidKey", sk_pool_open(&options, &none));
    sk_verifier_free(verifier);
}

/* MARK: Hostile callers */

static void test_closed(void) {
    sk_pool *pool = new_pool(NULL);
    sk_customer *anna = new_customer(pool, "anna", "evidence/coins-one-refunded.jsonl");
    sk_queue *queue;
    OK(sk_queue_new(&queue));
    OK(sk_pool_subscribe(pool, queue, 1, 0));
    OK(sk_pool_close(pool));
    FAILS(SK_MISUSE, "badHandle", sk_pool_close(pool));
    OK(sk_pool_close(NULL));
    bool yes = true;
    int64_t units = 1;
    FAILS(SK_CLOSED, "closed", sk_has_feature(anna, "pro", SK_NTS, SK_NOW, &yes));
    CHECK(!yes);
    FAILS(SK_CLOSED, "closed", sk_balance(anna, "coins", SK_NTS, &units));
    CHECK(units == 0);
    FAILS(SK_CLOSED, "closed", sk_customer_spend(anna, "coins", SK_NTS, 1, "k", SK_NTS, NULL));
    FAILS(SK_CLOSED, "closed", sk_begin_spend(anna, "coins", SK_NTS, 1, "k", SK_NTS, queue, 1));
    sk_snapshot *snapshot;
    FAILS(SK_CLOSED, "closed", sk_customer_snapshot(anna, &snapshot));
    CHECK(!snapshot);
    sk_customer_free(anna);
    sk_customer_free(anna); /* Twice is found out. */
    CHECK(!strcmp(sk_error_code(), "badHandle"));
    sk_queue_free(queue);
}

static void test_pool_options(void) {
    sk_pool *pool = (sk_pool *)1;
    sk_verifier *verifier = new_verifier();
    sk_pool_options options = {.size = sizeof options};
    FAILS(SK_MISUSE, "null", sk_pool_open(&options, &pool));
    CHECK(!pool);
    options.verifier = verifier;
    options.vault = "";
    FAILS(SK_INVALID, "noVault", sk_pool_open(&options, &pool));
    options.vault = "/no/such/folder/vault.sqlite";
    STATUS(SK_IO, sk_pool_open(&options, &pool));
    options.vault = "postgres://127.0.0.1:1/none?connect_timeout=1";
    STATUS(SK_IO, sk_pool_open(&options, &pool));
    options.vault = NULL;
    options.catalog_path = "/no/such/catalog.json";
    STATUS(SK_INVALID, sk_pool_open(&options, &pool));
    options.catalog = "{}";
    options.catalog_length = 2;
    FAILS(SK_INVALID, "severalCatalogs", sk_pool_open(&options, &pool));
    options.catalog_path = NULL;
    options.catalog = options.catalog_path;
    options.catalog_length = 2;
    FAILS(SK_MISUSE, "null", sk_pool_open(&options, &pool));
    options.catalog_length = 0;
    options.refresh_interval = -1;
    FAILS(SK_INVALID, "invalidRequest", sk_pool_open(&options, &pool));
    sk_verifier_free(verifier);
}

/* Threads that ask, take snapshots and free, all at once. */
static _Atomic(sk_customer *) shared;
static atomic_bool is_over;
static sk_pool *shared_pool;

static void *ask(void *argument) {
    (void)argument;
    while (!is_over) {
        sk_customer *customer = shared;
        bool yes;
        sk_status status = sk_has_feature(customer, "ad-free", SK_NTS, SK_NOW, &yes);
        CHECK(status == SK_OK || status == SK_MISUSE);
        sk_snapshot *snapshot;
        if (sk_customer_snapshot(customer, &snapshot) == SK_OK) {
            OK(sk_snapshot_has_feature(snapshot, "ad-free", SK_NTS, SK_NOW, &yes));
            sk_snapshot_free(snapshot);
        }
    }
    return NULL;
}

static void test_threads(void) {
    shared_pool = new_pool(NULL);
    is_over = false;
    shared = new_customer(shared_pool, "anna", "evidence/season-pass-and-remove-ads.jsonl");
    pthread_t threads[4];
    for (int index = 0; index < 4; index++) pthread_create(&threads[index], NULL, ask, NULL);
    for (int round = 0; round < 300; round++) {
        sk_customer *next;
        OK(sk_customer_open(shared_pool, "anna", SK_NTS, &next));
        sk_customer *before = atomic_exchange(&shared, next);
        if (round % 10 == 0) OK(sk_customer_grant(next, "coins", SK_NTS, 1, "a gift", "gift", SK_NTS, NULL));
        sk_customer_free(before);
    }
    is_over = true;
    for (int index = 0; index < 4; index++) pthread_join(threads[index], NULL);
    sk_customer_free(shared);
    OK(sk_pool_close(shared_pool));
}

/* Threads that replace the catalog at once: the names of the questions are those of the catalog that stays. */
static void *load_catalogs(void *argument) {
    const char *catalog = argument;
    for (int round = 0; round < 20; round++) OK(sk_pool_load_catalog(shared_pool, "new.json", catalog, SK_NTS));
    return NULL;
}

static void test_catalogs(void) {
    static char catalogs[2][64] = {
        "{\"products\":[\"a\"],\"features\":{\"f\":[\"a\"]}}", "{\"products\":[\"b\"],\"features\":{\"g\":[\"b\"]}}"};
    shared_pool = new_pool(NULL);
    sk_customer *anna = new_customer(shared_pool, "anna", NULL);
    for (int round = 0; round < 100; round++) {
        pthread_t threads[2];
        for (int index = 0; index < 2; index++) pthread_create(&threads[index], NULL, load_catalogs, catalogs[index]);
        for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
        /* The answer with a reason does not look at the names. */
        bool yes;
        sk_answer answer = {.size = sizeof answer};
        sk_status expected = sk_feature_answer(anna, "f", SK_NTS, SK_NOW, &answer);
        CHECK(expected == SK_OK || expected == SK_UNKNOWN);
        STATUS(expected, sk_has_feature(anna, "f", SK_NTS, SK_NOW, &yes));
        STATUS(expected == SK_OK ? SK_UNKNOWN : SK_OK, sk_has_feature(anna, "g", SK_NTS, SK_NOW, &yes));
    }
    sk_customer_free(anna);
    OK(sk_pool_close(shared_pool));
}

/* Two threads free one handle: one succeeds, and nothing is freed twice. */
static void *free_shared(void *argument) {
    pthread_barrier_wait(argument);
    sk_customer_free(shared);
    return NULL;
}

static void test_freed_by_two(void) {
    sk_pool *pool = new_pool(NULL);
    pthread_barrier_t barrier;
    for (int round = 0; round < 200; round++) {
        pthread_barrier_init(&barrier, NULL, 2);
        OK(sk_customer_open(pool, "anna", SK_NTS, (sk_customer **)&shared));
        pthread_t threads[2];
        for (int index = 0; index < 2; index++) pthread_create(&threads[index], NULL, free_shared, &barrier);
        for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
        pthread_barrier_destroy(&barrier);
    }
    OK(sk_pool_close(pool));
}

static void test_fork(void) {
    sk_pool *pool = new_pool(NULL);
    sk_customer *anna = new_customer(pool, "anna", "evidence/coins-one-refunded.jsonl");
    sk_queue *queue;
    OK(sk_queue_new(&queue));
    pid_t child = fork();
    if (child == 0) {
        bool yes = true;
        sk_item item = {.size = sizeof item};
        sk_verifier *verifier;
        sk_text root = contents("evidence/root.pem");
        sk_verifier_options options = {
            .size = sizeof options, .root = root.bytes, .root_length = root.length, .bundle_id = "a.b"};
        bool good = sk_has_feature(anna, "pro", SK_NTS, SK_NOW, &yes) == SK_FORKED && !yes
            && sk_customer_spend(anna, "coins", SK_NTS, 1, "k", SK_NTS, NULL) == SK_FORKED
            && sk_queue_next(queue, &item) == SK_FORKED && sk_pool_close(pool) == SK_FORKED
            && sk_verifier_new(&options, &verifier) == SK_FORKED;
        sk_customer_free(anna);
        _exit(good ? 0 : 1);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    int64_t coins;
    OK(sk_balance(anna, "coins", SK_NTS, &coins)); /* The parent goes on. */
    CHECK(coins == 700);
    sk_queue_free(queue);
    sk_customer_free(anna);
    OK(sk_pool_close(pool));
}

static pthread_t main_thread;
static volatile sig_atomic_t signals, foreign_signals;

static void on_signal(int number) {
    (void)number;
    if (pthread_equal(pthread_self(), main_thread)) signals++; else foreign_signals++;
}

/* Signals of the process reach the threads of the program, and interrupt no call. */
static void test_signals(void) {
    main_thread = pthread_self();
    struct sigaction action = {.sa_handler = on_signal}; /* Without SA_RESTART: system calls are interrupted. */
    sigaction(SIGUSR1, &action, NULL);
    sk_pool *pool = new_pool(NULL);
    sk_customer *anna = new_customer(pool, "anna", "evidence/coins-one-refunded.jsonl");
    char key[32];
    for (int round = 0; round < 200; round++) {
        kill(getpid(), SIGUSR1);
        snprintf(key, sizeof key, "k%d", round);
        OK(sk_customer_spend(anna, "coins", SK_NTS, 1, key, SK_NTS, NULL));
    }
    CHECK(signals > 0 && foreign_signals == 0);
    /* If this thread blocks the signal, it waits for this thread: no other thread takes it. */
    sigset_t one;
    int before = signals;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &one, NULL);
    kill(getpid(), SIGUSR1);
    OK(sk_customer_spend(anna, "coins", SK_NTS, 1, "last", SK_NTS, NULL));
    usleep(20000);
    CHECK(signals == before && foreign_signals == 0);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    CHECK(signals == before + 1 && foreign_signals == 0);
    sk_customer_free(anna);
    OK(sk_pool_close(pool));
    signal(SIGUSR1, SIG_DFL);
}

/* Two copies of the library in one process do not take each other's handles. */
static void test_two_copies(void) {
    if (!is_release) return; /* The copies would share one Swift runtime. */
    void *other = dlopen(second_library, RTLD_NOW | RTLD_LOCAL);
    if (!other) { fail(__LINE__, "%s", dlerror()); return; }
    sk_status (*other_new)(sk_queue **) = (sk_status(*)(sk_queue **))dlsym(other, "sk_queue_new");
    sk_status (*other_next)(sk_queue *, sk_item *) = (sk_status(*)(sk_queue *, sk_item *))dlsym(other, "sk_queue_next");
    void (*other_free)(sk_queue *) = (void (*)(sk_queue *))dlsym(other, "sk_queue_free");
    const char *(*other_code)(void) = (const char *(*)(void))dlsym(other, "sk_error_code");
    CHECK(other_new != sk_queue_new);
    sk_queue *own, *theirs;
    sk_item item = {.size = sizeof item};
    OK(sk_queue_new(&own));
    CHECK(other_new(&theirs) == SK_OK);
    FAILS(SK_MISUSE, "badHandle", sk_queue_next(theirs, &item));
    CHECK(other_next(own, &item) == SK_MISUSE && !strcmp(other_code(), "badHandle"));
    CHECK(other_next(theirs, &item) == SK_EMPTY);
    other_free(own); /* Does nothing. */
    FAILS(SK_EMPTY, "empty", sk_queue_next(own, &item));
    other_free(theirs);
    sk_queue_free(own);
    dlclose(other);
}

/* Handles that are not handles, also near real ones. */
static void test_forged(void) {
    sk_queue *queue;
    sk_item item = {.size = sizeof item};
    int local = 0;
    OK(sk_queue_new(&queue));
    uintptr_t bits = (uintptr_t)queue;
    for (int bit = 0; bit < 64; bit++)
        FAILS(SK_MISUSE, "badHandle", sk_queue_next((sk_queue *)(bits ^ (UINT64_C(1) << bit)), &item));
    uintptr_t values[] = {1, 64, 4096, (uintptr_t)&local, (uintptr_t)test_forged, UINTPTR_MAX, UINTPTR_MAX >> 1, bits + 1};
    for (size_t index = 0; index < sizeof values / sizeof *values; index++)
        FAILS(SK_MISUSE, "badHandle", sk_queue_next((sk_queue *)values[index], &item));
    FAILS(SK_MISUSE, "badHandle", sk_pool_audit((sk_pool *)queue, &item.json)); /* Of another kind. */
    sk_queue_free(queue);
    /* A freed handle stays refused, however often its place is used again. */
    for (int round = 0; round < 20000; round++) {
        sk_queue *next;
        OK(sk_queue_new(&next));
        if (next == queue) fail(__LINE__, "a handle was given twice");
        if (round % 100 == 0) FAILS(SK_MISUSE, "badHandle", sk_queue_next(queue, &item));
        sk_queue_free(next);
    }
}

/* No descriptor left: an error, not a queue that never wakes. */
static void test_no_descriptor(void) {
    struct rlimit limit, none;
    getrlimit(RLIMIT_NOFILE, &limit);
    none = limit;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_NOFILE, &none);
    sk_queue *queue = (sk_queue *)1;
    sk_status status = sk_queue_new(&queue);
    setrlimit(RLIMIT_NOFILE, &limit);
    CHECK(status == SK_IO && !queue);
}

int main(int argc, char **argv) {
    static const struct { const char *name; void (*run)(void); } tests[] = {
        {"library", test_library}, {"verifier", test_verifier}, {"sizes", test_sizes}, {"questions", test_questions},
        {"no_allocation", test_no_allocation}, {"ledger", test_ledger}, {"evidence", test_evidence},
        {"queues", test_queues}, {"full_queue", test_full_queue}, {"many_events", test_many_events}, {"simulator", test_simulator},
        {"backend", test_backend}, {"closed", test_closed}, {"pool_options", test_pool_options},
        {"threads", test_threads}, {"catalogs", test_catalogs}, {"freed_by_two", test_freed_by_two},
        {"fork", test_fork}, {"signals", test_signals}, {"two_copies", test_two_copies}, {"forged", test_forged},
        {"no_descriptor", test_no_descriptor},
    };
    if (argc < 3) { fprintf(stderr, "usage: tests FOLDER LIBRARY [WORD]\n"); return 64; }
    folder = argv[1];
    second_library = argv[2];
    int count = 0;
    for (size_t index = 0; index < sizeof tests / sizeof *tests; index++) {
        if (argc > 3 && !strstr(tests[index].name, argv[3])) continue;
        current = tests[index].name;
        int before = failures;
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        tests[index].run();
        clock_gettime(CLOCK_MONOTONIC, &end);
        printf("%s %s (%.2f s)\n", failures == before ? "ok    " : "FAILED", current,
            (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9);
        count++;
    }
    printf("%d tests of C, %d failures\n", count, failures);
    return failures || count == 0;
}
