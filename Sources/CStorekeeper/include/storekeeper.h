/*
** storekeeper.h: what an App Store customer owns right now, and why, for servers in any language.
**
** This header is the documentation of libstorekeeper. The library is Storekeeper itself, in your process: it verifies
** the transactions that the App Store signed, keeps them in a vault, and answers questions about products, features and
** balances of coins. It has no service beside it and needs no Swift.
**
**     sk_pool     *pool;                        // all customers, over one vault
**     sk_customer *anna;                        // one customer, in memory until freed
**     bool         pro;
**
**     sk_pool_open(&options, &pool);            // waits for the disk
**     sk_customer_open(pool, "anna", SK_NTS, &anna);
**     sk_has_feature(anna, "pro", SK_NTS, SK_NOW, &pro);    // never waits; sixty times a second is fine
**
** RULES FOR ALL FUNCTIONS
**
** Time      Each comment ends with one of three words. [tick]: the function never waits for a disk, a network or a
**           thread that waits for one, and allocates nothing if it succeeds and the catalog has the id that you name.
**           [quick]: it may allocate memory, and takes locks that are held for microseconds. [waits]: it waits for the
**           vault, the App Store or the backend; call it outside of your tick loop, or use the function sk_begin_… with
**           the same name.
** Threads   Every function may be called from any thread, and any number of threads may use one handle at the same
**           time. One thread may free a handle while another uses it: the other call ends first, later calls fail.
** Text      Text is UTF-8 and is given with its length in bytes, or with SK_NTS if a zero byte ends it. Invalid UTF-8
**           is SK_MISUSE, and so is a length above 1 GiB. Text is copied; it need not outlive the call. Two ids are
**           equal if their bytes are equal, except customers' ids that are UUIDs. No id and no key has a zero byte.
** Memory    A text that a function gives you is yours: free it with sk_text_free(). A handle that a function gives you
**           is yours: each sk_…_open and sk_…_new has its sk_…_close or sk_…_free. Nothing else is to be freed. A
**           function that fails sets its results to zero, false or NULL, unless its comment says otherwise.
** Handles   A handle is a name for an object, not an address. NULL, a handle that was freed, a handle of another kind,
**           and a handle of another copy of the library are found out: the call fails with SK_MISUSE and does nothing.
**           Functions that free a handle ignore NULL.
** Structs   The first member of a struct is its size. Set it to sizeof (the struct) before a call; set the members that
**           you do not use to zero. A later release may add members at the end.
** Errors    Functions return SK_OK or another status. After a failure, sk_error_code() and sk_error_message() describe
**           the last failure of the calling thread.
** Signals   The library installs no handlers, and its threads block all signals. It may not be called from a handler. A
**           pool with `app_store` makes the process ignore SIGPIPE from its first connection on.
** fork()    A child process may not use the handles of its parent: each call fails with SK_FORKED and does nothing. The
**           child may call exec().
** Closing   The library cannot be unloaded; dlclose() has no effect.
** System    Linux with /proc mounted, as the Swift runtime needs it; without it, the process may end with SIGILL.
*/
#ifndef STOREKEEPER_H
#define STOREKEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#pragma clang assume_nonnull begin
#define SK_NULLABLE _Nullable
#else
#define SK_NULLABLE
#endif

/* The release of this header: major * 1000000 + minor * 1000 + patch. */
#define SK_VERSION "0.1.0"
#define SK_VERSION_NUMBER 1000

/* The length of a text that a zero byte ends. */
#define SK_NTS ((size_t)-1)

/*
** Instants are milliseconds since 1970-01-01T00:00:00Z. SK_NOW is the time of this machine's clock, or the date of the
** customer's newest verified evidence if that is up to a minute later. SK_FOREVER is the end of what does not end.
*/
typedef int64_t sk_instant;
#define SK_NOW INT64_MIN
#define SK_FOREVER INT64_MAX

typedef struct sk_verifier sk_verifier;
typedef struct sk_pool sk_pool;
typedef struct sk_customer sk_customer;
typedef struct sk_snapshot sk_snapshot;
typedef struct sk_queue sk_queue;
typedef struct sk_simulator sk_simulator;
typedef struct sk_reply sk_reply;

/* A text that belongs to the caller. A zero byte follows it. Free it with sk_text_free(text.bytes). */
typedef struct sk_text {
    char *SK_NULLABLE bytes;
    size_t length;
} sk_text;

/*
** STATUS
**
** The numbers never change; later releases may add some. Treat an unknown status like SK_INTERNAL.
*/
typedef int sk_status;
enum {
    SK_OK = 0,
    SK_MISUSE = 1,     /* The program is wrong: a null, freed or foreign handle, a wrong size, invalid UTF-8. */
    SK_INVALID = 2,    /* The input is wrong: a catalog, a certificate, JSON, a quantity below 1, an empty key. */
    SK_UNKNOWN = 3,    /* Nothing has this name: a product, feature, balance, grant, account. */
    SK_REFUSED = 4,    /* The ledger refuses: too few coins, a frozen balance, a key that was used before. */
    SK_UNVERIFIED = 5, /* The App Store, or the authority that you trust, did not sign it. */
    SK_EMPTY = 6,      /* The queue has no item now. */
    SK_BUSY = 7,       /* Another process keeps the vault locked, or a queue is full. Try again. */
    SK_IO = 8,         /* The disk, the database or the network failed. Try again, with the same key. */
    SK_DOUBT = 9,      /* The connection was lost: it may be written, or not. Repeat it with the same key. */
    SK_CORRUPT = 10,   /* The vault's data was changed by another program. Stop, and restore a backup. */
    SK_CLOSED = 11,    /* The pool was closed. */
    SK_TIMEOUT = 12,   /* A deadline has passed. */
    SK_CANCELLED = 13, /* The pool was closed while the call waited. */
    SK_FORKED = 14,    /* The handle belongs to the parent process. */
    SK_INTERNAL = 15   /* A bug in the library. */
};

/* Returns the name of a status, such as "SK_REFUSED". The text is static. [tick] */
const char *sk_status_name(sk_status status);

/*
** Return the code and the message of the last failure of this thread: a word for programs, as the Swift library has it
** ("insufficient", "unknownFeature"), and a sentence for people that names the thing and the remedy. Empty if no call
** has failed. The texts are valid until the next failure in this thread; free nothing. [tick]
*/
const char *sk_error_code(void);
const char *sk_error_message(void);

/* Return the release of the library, which may be newer than the header. [tick] */
const char *sk_version(void);
int sk_version_number(void);

/* Frees a text of the library. NULL is ignored. [quick] */
void sk_text_free(char *SK_NULLABLE bytes);

/*
** VERIFIERS
**
** Evidence counts only if it was signed under a root certificate that you name, for your app. The App Store's root is
** "Apple Root CA - G3", which Apple publishes.
*/
enum { SK_PRODUCTION = 1, SK_SANDBOX = 2, SK_XCODE = 4, SK_LOCAL_TESTING = 8 };

typedef struct sk_verifier_options {
    size_t size;
    const char *SK_NULLABLE root; /* One root certificate, DER or PEM. */
    size_t root_length;           /* Its length; DER has no end. */
    const char *SK_NULLABLE bundle_id; /* Ends with a zero byte; required. */
    int64_t app_apple_id;         /* The App Store's number of the app; 0 does not compare it. */
    unsigned environments;        /* Any of SK_PRODUCTION and so on; 0 is SK_PRODUCTION. */
} sk_verifier_options;

/* Creates a verifier. SK_INVALID if the root is not a certificate. [quick] */
sk_status sk_verifier_new(
    const sk_verifier_options *SK_NULLABLE options, sk_verifier *SK_NULLABLE *SK_NULLABLE verifier);

/* Frees a verifier; pools that use it keep it. [quick] */
void sk_verifier_free(sk_verifier *SK_NULLABLE verifier);

/*
** Verifies one compact JWS. SK_OK, and `payload` is the signed JSON; or SK_UNVERIFIED, and sk_error_code() says why:
** "invalidSignature", "untrustedChain", "bundleMismatch" and so on. `payload` may be NULL. [quick]; the first signature
** of a certificate chain takes a few milliseconds, later ones 0.1 ms.
*/
sk_status sk_verify(
    sk_verifier *SK_NULLABLE verifier, const char *SK_NULLABLE jws, size_t length, sk_text *SK_NULLABLE payload);

/*
** POOLS
**
** A pool has the customers of one app, over one vault. An open pool works: it stores what the backend or the simulator
** reports, and announces each lapse at its instant, also for customers that are not in memory. A process opens a vault
** once; several processes may share one.
*/
typedef struct sk_backend sk_backend;
typedef struct sk_app_store sk_app_store;

typedef struct sk_pool_options {
    size_t size;
    const char *SK_NULLABLE vault;        /* A file's path, or "postgres://…"; NULL keeps all in memory, for tests. */
    sk_verifier *SK_NULLABLE verifier;    /* Required, except with a simulator, which brings its own. */
    const char *SK_NULLABLE catalog_path; /* A .storekit, .json or .plist file, or a folder of them; or … */
    const char *SK_NULLABLE catalog;      /* … the text of one such file. With neither, no id counts as misspelled. */
    size_t catalog_length;
    const sk_app_store *SK_NULLABLE app_store; /* At most one of these three: Apple's server, … */
    const sk_backend *SK_NULLABLE backend;     /* … your own source of evidence, … */
    sk_simulator *SK_NULLABLE simulator;       /* … or a simulated App Store, whose clock the pool then uses. */
    size_t capacity;          /* Customers kept in memory beside those that are open; 0 is 10,000. */
    int64_t refresh_interval; /* How often to look for writes of other processes to a file, in ms; 0 is never. */
} sk_pool_options;

/* Opens a vault, which is created if it does not exist, and a pool over it. [waits] */
sk_status sk_pool_open(const sk_pool_options *SK_NULLABLE options, sk_pool *SK_NULLABLE *SK_NULLABLE pool);

/*
** Closes a pool: calls that have begun are completed, subscriptions end, then the vault is closed. The handle is freed,
** whatever the result, except in a function of the pool's own backend: there the call is SK_MISUSE and changes nothing.
** Customers of the pool stay to be freed; every other call with them is SK_CLOSED. [waits]
*/
sk_status sk_pool_close(sk_pool *SK_NULLABLE pool);

/*
** Replaces the catalog by the text of a file, for all customers. `name` is for messages. SK_INVALID, and the old
** catalog stays, if the text is not a product list. [waits]
*/
sk_status sk_pool_load_catalog(
    sk_pool *SK_NULLABLE pool, const char *SK_NULLABLE name, const char *SK_NULLABLE text, size_t length);

/*
** Verifies and stores the body of a request of App Store Server Notifications. `http_status` is how to answer the
** request: 200 if it is stored, 4xx if it is refused, 5xx if it must be sent again. SK_OK if it is 200. [waits]
*/
sk_status sk_pool_receive(
    sk_pool *SK_NULLABLE pool, const char *SK_NULLABLE body, size_t length, int *SK_NULLABLE http_status);

/*
** Audits the vault: every signature, sum and link. `json` is as `storekeeper vault verify` prints it. SK_OK means that
** the audit ran; SK_CORRUPT that it found faults, which `json` lists. [waits], for minutes with a large vault.
*/
sk_status sk_pool_audit(sk_pool *SK_NULLABLE pool, sk_text *SK_NULLABLE json);

/*
** CUSTOMERS
**
** A customer's id is any text that your app has chosen. A UUID is the same id in upper and in lower case, and is stored
** in lower case. A customer that is open stays in memory, and its answers follow each change; open it while a player is
** online. Opening one customer twice gives two handles of one customer.
*/

/* Reads a customer from the vault. A customer without a purchase is a customer, too. [waits] */
sk_status sk_customer_open(
    sk_pool *SK_NULLABLE pool, const char *SK_NULLABLE id, size_t length,
    sk_customer *SK_NULLABLE *SK_NULLABLE customer);

/* Frees a customer. Calls that have begun are completed. [quick] */
void sk_customer_free(sk_customer *SK_NULLABLE customer);

/*
** QUESTIONS FOR EACH TICK
**
** They read the newest state that the vault has stored, as it is in memory. `at` is an instant or SK_NOW. An id that
** neither the catalog nor the evidence has is SK_UNKNOWN, and the message names the nearest one: a misspelled id does
** not look like a customer who has not paid. If the catalog has no products, no id counts as misspelled, and the answer
** is false. It is false, too, while the evidence is not complete enough to tell; sk_feature_answer() distinguishes this
** from a customer who has not paid.
*/

/* Tells whether the customer has a feature of the catalog. [tick] */
sk_status sk_has_feature(
    sk_customer *SK_NULLABLE customer, const char *SK_NULLABLE feature, size_t length, sk_instant at,
    bool *SK_NULLABLE answer);

/* Tells whether the customer has a product that is not a consumable. [tick] */
sk_status sk_is_entitled(
    sk_customer *SK_NULLABLE customer, const char *SK_NULLABLE product, size_t length, sk_instant at,
    bool *SK_NULLABLE answer);

/* Gives the units of a balance, such as coins; below zero after a refund of spent units. [tick] */
sk_status sk_balance(
    sk_customer *SK_NULLABLE customer, const char *SK_NULLABLE balance, size_t length, int64_t *SK_NULLABLE units);

/* Gives the first instant after `at` at which an answer changes by time alone; SK_FOREVER if none does. [tick] */
sk_status sk_next_change(sk_customer *SK_NULLABLE customer, sk_instant at, sk_instant *SK_NULLABLE change);

/* An answer with its reason. */
enum { SK_IS_UNKNOWN = 0, SK_IS_NEVER = 1, SK_IS_LAPSED = 2, SK_IS_PENDING = 3, SK_IS_ENTITLED = 4 };

typedef struct sk_answer {
    size_t size;
    int kind;           /* SK_IS_ENTITLED and so on. SK_IS_UNKNOWN: the evidence is not complete; it is not "no". */
    const char *SK_NULLABLE reason; /* Static: "active", "gracePeriod", "refunded", "neverSynced" and so on. */
    sk_instant until;   /* When the answer ends, as known now, exclusive; SK_FOREVER. */
} sk_answer;

/* Give the answer about a feature or a product, with its reason. [quick] */
sk_status sk_feature_answer(
    sk_customer *SK_NULLABLE customer, const char *SK_NULLABLE feature, size_t length, sk_instant at,
    sk_answer *SK_NULLABLE answer);
sk_status sk_product_answer(
    sk_customer *SK_NULLABLE customer, const char *SK_NULLABLE product, size_t length, sk_instant at,
    sk_answer *SK_NULLABLE answer);

/*
** SNAPSHOTS
**
** A snapshot is the state of a customer at one moment. It never changes, so that several answers fit together, and it
** outlives the customer and the pool. The functions are those for customers.
*/
sk_status sk_customer_snapshot( /* [quick] */
    sk_customer *SK_NULLABLE customer, sk_snapshot *SK_NULLABLE *SK_NULLABLE snapshot);
void sk_snapshot_free(sk_snapshot *SK_NULLABLE snapshot); /* [quick] */
sk_status sk_snapshot_has_feature( /* [tick] */
    sk_snapshot *SK_NULLABLE snapshot, const char *SK_NULLABLE feature, size_t length, sk_instant at,
    bool *SK_NULLABLE answer);
sk_status sk_snapshot_is_entitled( /* [tick] */
    sk_snapshot *SK_NULLABLE snapshot, const char *SK_NULLABLE product, size_t length, sk_instant at,
    bool *SK_NULLABLE answer);
sk_status sk_snapshot_balance( /* [tick] */
    sk_snapshot *SK_NULLABLE snapshot, const char *SK_NULLABLE balance, size_t length, int64_t *SK_NULLABLE units);
sk_status sk_snapshot_next_change( /* [tick] */
    sk_snapshot *SK_NULLABLE snapshot, sk_instant at, sk_instant *SK_NULLABLE change);

/* Gives all answers as JSON, as `storekeeper entitlements --format json` prints them. [quick] */
sk_status sk_snapshot_entitlements(sk_snapshot *SK_NULLABLE snapshot, sk_instant at, sk_text *SK_NULLABLE json);

/*
** EVIDENCE
*/

/*
** Verifies evidence about the customer and stores it; see the rules of ownership in "Taking evidence". `evidence` is
** what the app sends: compact JWS, one a line, or JSON of the App Store Server API. With `is_complete` it is all there
** is about the customer, so that "never" is known. SK_OK if all is stored. SK_UNVERIFIED if an item is not verified; the
** others are stored, and `json` is set. [waits]
**
** `json` may be NULL. It counts the items that are new, already known, and set aside because they belong to another
** customer, and lists these purchases with their owners and the items that are not verified:
**   {"new":2,"known":0,"parked":1,"conflicts":[{"originalTransactionID":"71","customer":"bert"}],
**    "failures":[{"code":"invalidSignature","message":"…"}],"diagnostics":[]}
*/
sk_status sk_customer_ingest(
    sk_customer *SK_NULLABLE customer, const char *SK_NULLABLE evidence, size_t length, bool is_complete,
    sk_text *SK_NULLABLE json);

/* Reads the customer's whole history from the App Store, the backend or the simulator. `json` is as above. [waits] */
sk_status sk_customer_sync(sk_customer *SK_NULLABLE customer, sk_text *SK_NULLABLE json);

/*
** BALANCES AND ACCESS
**
** A key makes a request count once: the same request with the same key gives the first receipt again and changes
** nothing. A key is unique for each customer. When a call returns SK_OK, the change is on disk, and the questions know
** it.
*/
typedef struct sk_receipt {
    size_t size;
    int64_t balance;  /* The units right after the request was first carried out. */
    bool is_replayed; /* Whether it had been carried out before. */
    char id[32];      /* Names the entry in the customer's account, such as "spend-7". */
} sk_receipt;

/* Spends units if there are enough; SK_REFUSED with the code "insufficient" if not. `receipt` may be NULL. [waits] */
sk_status sk_customer_spend(
    sk_customer *SK_NULLABLE customer, const char *SK_NULLABLE balance, size_t length, int64_t units,
    const char *SK_NULLABLE key, size_t key_length, sk_receipt *SK_NULLABLE receipt);

/* Adds units without a purchase. `reason` ends with a zero byte and is stored. `receipt` may be NULL. [waits] */
sk_status sk_customer_grant(
    sk_customer *SK_NULLABLE customer, const char *SK_NULLABLE balance, size_t length, int64_t units,
    const char *SK_NULLABLE reason, const char *SK_NULLABLE key, size_t key_length, sk_receipt *SK_NULLABLE receipt);

/*
** Gives access to a feature without a purchase until an instant, or ends such access. `key` names the grant. [waits]
*/
sk_status sk_customer_grant_feature(
    sk_customer *SK_NULLABLE customer, const char *SK_NULLABLE feature, size_t length, sk_instant until,
    const char *SK_NULLABLE reason, const char *SK_NULLABLE key, size_t key_length);
sk_status sk_customer_revoke_grant(
    sk_customer *SK_NULLABLE customer, const char *SK_NULLABLE reason, const char *SK_NULLABLE key,
    size_t key_length);

/*
** ANSWERS FOR PEOPLE
*/

/* Explains an answer step by step, in JSON, as `storekeeper explain --format json` prints it. [waits] */
sk_status sk_customer_explain_feature(
    sk_customer *SK_NULLABLE customer, const char *SK_NULLABLE feature, size_t length, sk_instant at,
    sk_text *SK_NULLABLE json);
sk_status sk_customer_explain_product(
    sk_customer *SK_NULLABLE customer, const char *SK_NULLABLE product, size_t length, sk_instant at,
    sk_text *SK_NULLABLE json);

/* Draws what the customer had over time, as SVG. [quick] */
sk_status sk_snapshot_timeline(sk_snapshot *SK_NULLABLE snapshot, sk_instant at, sk_text *SK_NULLABLE svg);

/*
** QUEUES
**
** A queue brings results of calls that were begun, events and reports to your loop. Its file descriptor is readable
** while the queue has an item, for poll(), epoll and libuv; do not read or write it. Nothing is ever called from a
** thread of the library, except by a backend. One queue may serve everything in a program.
*/
enum {
    SK_RESULT = 1, /* A call that was begun has ended. */
    SK_EVENT = 2,  /* An answer about a customer has changed. */
    SK_REPORT = 3  /* The pool had a problem that it goes on with; for a log. */
};

typedef struct sk_item {
    size_t size;
    int kind;         /* SK_RESULT and so on. */
    sk_status status; /* Of a result, as the waiting function returns it. An event that is not SK_OK is the last. */
    uint64_t tag;     /* What you gave when you began or subscribed. */
    int64_t place;    /* Of an event: subscribe after this place to go on behind it. */
    sk_customer *SK_NULLABLE customer; /* Of sk_begin_open: the customer, yours to free. */
    sk_text json;     /* The result, the event or the report, or {"code":…,"message":…}. Yours to free. */
} sk_item;

sk_status sk_queue_new(sk_queue *SK_NULLABLE *SK_NULLABLE queue); /* [quick] */

/*
** Frees a queue. Calls that have begun are still completed; their results are lost. Its descriptor becomes readable, so
** that poll() in another thread returns, and is closed. [quick]
*/
void sk_queue_free(sk_queue *SK_NULLABLE queue);

/* Gives the descriptor, which belongs to the queue. [tick] */
sk_status sk_queue_fd(sk_queue *SK_NULLABLE queue, int *SK_NULLABLE fd);

/* Takes the next item; SK_EMPTY if there is none. Free item.json.bytes, and item.customer if it is set. [quick] */
sk_status sk_queue_next(sk_queue *SK_NULLABLE queue, sk_item *SK_NULLABLE item);

/*
** Adds to a queue each event of all customers after a place, in the order of the vault; 0 begins with the first event
** ever. The queue holds at most 1,024 events that you have not taken; the others wait in the vault, and none is lost.
** The subscription ends with the queue or the pool. [quick]
*/
sk_status sk_pool_subscribe(
    sk_pool *SK_NULLABLE pool, sk_queue *SK_NULLABLE queue, uint64_t tag, int64_t after);

/* Adds to a queue each report of the pool, and forgets reports while 1,024 wait. NULL ends it. [quick] */
sk_status sk_pool_report(sk_pool *SK_NULLABLE pool, sk_queue *SK_NULLABLE queue, uint64_t tag);

/*
** Begin what the functions of the same name wait for, and return at once. The result is an item of the queue with
** `tag`. SK_BUSY if 65,536 results of the queue are expected or not taken. [quick]
*/
sk_status sk_begin_open( /* sk_customer_open */
    sk_pool *SK_NULLABLE pool, const char *SK_NULLABLE id, size_t length, sk_queue *SK_NULLABLE queue, uint64_t tag);
sk_status sk_begin_receive( /* sk_pool_receive; the item's json is {"httpStatus":…} */
    sk_pool *SK_NULLABLE pool, const char *SK_NULLABLE body, size_t length, sk_queue *SK_NULLABLE queue, uint64_t tag);
sk_status sk_begin_ingest( /* sk_customer_ingest; with SK_UNVERIFIED, the item's json also has "code" and "message" */
    sk_customer *SK_NULLABLE customer, const char *SK_NULLABLE evidence, size_t length, bool is_complete,
    sk_queue *SK_NULLABLE queue, uint64_t tag);
sk_status sk_begin_sync( /* sk_customer_sync */
    sk_customer *SK_NULLABLE customer, sk_queue *SK_NULLABLE queue, uint64_t tag);
sk_status sk_begin_spend( /* sk_customer_spend; the item's json is {"balance":…,"receipt":…,"replayed":…} */
    sk_customer *SK_NULLABLE customer, const char *SK_NULLABLE balance, size_t length, int64_t units,
    const char *SK_NULLABLE key, size_t key_length, sk_queue *SK_NULLABLE queue, uint64_t tag);
sk_status sk_begin_grant( /* sk_customer_grant; the item's json is as of sk_begin_spend */
    sk_customer *SK_NULLABLE customer, const char *SK_NULLABLE balance, size_t length, int64_t units,
    const char *SK_NULLABLE reason, const char *SK_NULLABLE key, size_t key_length, sk_queue *SK_NULLABLE queue,
    uint64_t tag);

/*
** SOURCES OF EVIDENCE
*/

/* Apple's App Store Server API, with a key of App Store Connect. All texts end with a zero byte. */
struct sk_app_store {
    size_t size;
    const char *SK_NULLABLE key_id;    /* Ten letters and digits. */
    const char *SK_NULLABLE issuer_id; /* A UUID. */
    const char *SK_NULLABLE key;       /* The text of the file SubscriptionKey_….p8. */
    unsigned environments;             /* SK_PRODUCTION, SK_SANDBOX or both; 0 is both, production first. */
};

/*
** Your own source. The library calls it in threads of its own, one call at a time for each pool, and holds no lock.
** Each call gives a reply, which is to be sent once, during the call or later from any thread; the library waits for it
** at most 30 seconds. The functions may call the library, but must not wait there for the same backend, as
** sk_customer_sync() does; sk_pool_close() of their own pool is SK_MISUSE there. No exception may leave the functions.
** `BackendConformance` and the article "Your own backend" say what is expected of a source.
*/
struct sk_backend {
    size_t size;
    const char *SK_NULLABLE name; /* Stays the same from start to start. Ends with a zero byte. */
    void *SK_NULLABLE context;    /* Given to each function. */
    /* Asks for a page of all evidence about a customer: {"items":[JWS, …],"next":CURSOR}, without "next" at the end.
       `cursor` is "" for the first page; a CURSOR has no zero byte. A `customer` that is a UUID is in lower case. */
    void (*SK_NULLABLE history)(
        void *SK_NULLABLE context, sk_reply *reply, const char *customer, const char *cursor);
    /* Asks for the subscriptions of a customer: [{"transaction":JWS,"renewalInfo":JWS}, …]. NULL: there are none. */
    void (*SK_NULLABLE statuses)(void *SK_NULLABLE context, sk_reply *reply, const char *customer);
    /* Called once, after the last other call; not if sk_pool_open() fails. NULL: there is nothing to do. */
    void (*SK_NULLABLE release)(void *SK_NULLABLE context);
};

/*
** Sends the reply of a backend, and frees its handle. With SK_OK, `text` is the JSON that the function asks for; with
** another status it is a message, and the pool asks again later. A reply that comes too late is SK_MISUSE. [quick]
*/
sk_status sk_reply_send(sk_reply *SK_NULLABLE reply, sk_status status, const char *SK_NULLABLE text, size_t length);

/*
** A SIMULATED APP STORE, for tests
**
** It signs what the App Store would, and its time stands still until you advance it. Years pass in milliseconds.
*/
typedef struct sk_simulator_options {
    size_t size;
    const char *SK_NULLABLE bundle_id;    /* Ends with a zero byte; required. */
    const char *SK_NULLABLE catalog_path; /* The products on sale, as for a pool; one of these two. */
    const char *SK_NULLABLE catalog;
    size_t catalog_length;
    sk_instant start; /* 0 is 2026-01-01T00:00:00Z. */
    uint64_t seed;    /* Of all that happens by chance. */
} sk_simulator_options;

sk_status sk_simulator_new( /* [quick], some milliseconds */
    const sk_simulator_options *SK_NULLABLE options, sk_simulator *SK_NULLABLE *SK_NULLABLE simulator);
void sk_simulator_free(sk_simulator *SK_NULLABLE simulator); /* [quick] */

/* Gives the simulator's root certificate as PEM, to be trusted in tests only. [quick] */
sk_status sk_simulator_root(sk_simulator *SK_NULLABLE simulator, sk_text *SK_NULLABLE pem);

/* Gives the simulator's time. [quick] */
sk_status sk_simulator_now(sk_simulator *SK_NULLABLE simulator, sk_instant *SK_NULLABLE now);

/* Moves the time forward to an instant. What is due on the way happens: renewals, expiries. [quick] */
sk_status sk_simulator_advance(sk_simulator *SK_NULLABLE simulator, sk_instant to);

/* Creates an Apple Account; a customer with the same id owns its purchases. [quick] */
sk_status sk_simulator_add_account(sk_simulator *SK_NULLABLE simulator, const char *SK_NULLABLE id, size_t length);

/*
** Buys a product. `transaction` is the transaction's id, for a refund; it may be NULL. SK_REFUSED if the App Store
** refuses the purchase. [quick]
*/
sk_status sk_simulator_buy(
    sk_simulator *SK_NULLABLE simulator, const char *SK_NULLABLE id, size_t length, const char *SK_NULLABLE product,
    size_t product_length, sk_text *SK_NULLABLE transaction);

/* Refunds a transaction. [quick] */
sk_status sk_simulator_refund(
    sk_simulator *SK_NULLABLE simulator, const char *SK_NULLABLE transaction, size_t length);

/* Switches the automatic renewal of a subscription, by a transaction of it. [quick] */
sk_status sk_simulator_set_auto_renew(
    sk_simulator *SK_NULLABLE simulator, const char *SK_NULLABLE transaction, size_t length, bool is_on);

/* Gives all evidence about a customer, one compact JWS a line, as sk_customer_ingest takes it. [quick] */
sk_status sk_simulator_evidence(
    sk_simulator *SK_NULLABLE simulator, const char *SK_NULLABLE id, size_t length, sk_text *SK_NULLABLE evidence);

/* Gives the notifications that were sent, {"signedPayload":…} a line, leaving out the first `skip`. [quick] */
sk_status sk_simulator_notifications(
    sk_simulator *SK_NULLABLE simulator, size_t skip, sk_text *SK_NULLABLE notifications);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#ifdef __cplusplus
}
#endif

#endif
