#include "RawPostgres.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "Rows.h"
#include "Sha256.h"

// The written columns of each table, with their types: b bytea, i bigint, t text, o boolean, p a place relative to the
// first of the transaction, 0 and 1 constants. Columns of chains come last.
typedef struct {
    const char *name;
    char type;
} column;

typedef struct {
    const char *table;
    int updates;
    const char *ending;
    column columns[18];
} kind;

enum { FACT, LEDGER, BALANCE, SUBJECT, TRANSACTION, CUSTOMER, KINDS };

static const kind kinds[KINDS] = {
    [FACT] = {"fact", 0, "",
              {{"customer", 'b'}, {"transaction", 'b'}, {"digest", 'b'}, {"chain", 'b'}, {"place", 'p'}, {"learned", 'i'},
               {"header", 'b'}, {"payload", 'b'}, {"signature", 'b'}, {"verbatim", 'o'}, {"link", 'i'}, {"hash", 'b'}}},
    [LEDGER] = {"ledger", 0, "",
                {{"customer", 'b'}, {"number", 'i'}, {"place", 'p'}, {"at", 'i'}, {"kind", '0'}, {"balance", 't'},
                 {"change", 'i'}, {"after", 'i'}, {"cause", 'b'}, {"bundle", 't'}, {"environment", 't'},
                 {"transaction", 't'}, {"product", 't'}, {"target", 'i'}, {"link", 'i'}, {"hash", 'b'}}},
    [BALANCE] = {"balance", 0,
                 "ON CONFLICT (customer, name) DO UPDATE SET credited = excluded.credited, spent = excluded.spent, "
                 "clawed_back = excluded.clawed_back, restored = excluded.restored",
                 {{"customer", 'b'}, {"name", 't'}, {"credited", 'i'}, {"spent", '0'}, {"clawed_back", '0'},
                  {"restored", '0'}}},
    [SUBJECT] = {"subject", 0, "",
                 {{"id", 'b'}, {"stamp", '1'}, {"customer", 'b'}, {"holder", 't'}, {"bound", 'i'}, {"place", 'p'},
                  {"bundle", 't'}, {"environment", 't'}, {"original", 't'}, {"purchase", 'b'}, {"attempts", '0'},
                  {"link", 'i'}, {"hash", 'b'}}},
    [TRANSACTION] = {"transaction", 0,
                     "ON CONFLICT (id, customer) DO UPDATE SET place = coalesce(t.place, excluded.place), "
                     "state = coalesce(t.state, excluded.state)",
                     {{"id", 'b'}, {"customer", 'b'}, {"bundle", 't'}, {"environment", 't'}, {"transaction", 't'},
                      {"place", 'p'}, {"state", '0'}}},
    [CUSTOMER] = {"customer", 1, "",
                  {{"id", 'b'}, {"version", 'i'}, {"entries", 'i'}, {"entry_place", 'p'}, {"last_place", 'p'}, {"links", 'i'}, {"head", 'b'}}},
};

enum { BEGIN = KINDS, LOCK, TAKE_TICKET, CLOSE, COMMIT, LOOK_UP, STATEMENTS = LOOK_UP + 8 };

// The look-ups on which a credit depends: their key, table and condition.
enum { OF_CUSTOMER, OF_CHAIN, OF_TRANSACTION, OF_DIGEST, KEYS };

typedef struct {
    int key;
    const char *columns, *table, *condition;
} look_up;

static const look_up look_ups[STATEMENTS - LOOK_UP] = {
    {OF_CUSTOMER, "t.name, t.version, t.entries, t.entry_place, t.salt, t.links, t.head, t.last_place", "customer",
     "id = k.id"},
    {OF_CHAIN, "t.bundle, t.environment, t.original, t.token, t.holder, t.place, t.bound, t.newest_token", "subject",
     "id = k.id"},
    {OF_CHAIN, "t.place, t.reason, t.header, t.payload, t.signature", "parked", "chain = k.id"},
    {OF_CHAIN, "t.place, t.header, t.payload, t.signature", "renewal_info", "purchase = k.id"},
    {OF_DIGEST, "t.place, t.reason, t.header, t.payload, t.signature", "parked", "digest = k.id"},
    {OF_TRANSACTION, "t.place, t.state, t.customer", "transaction", "id = k.id"},
    {OF_TRANSACTION, "t.digest", "erased_mark", "digest = sha256(k.id)"},
    {OF_CUSTOMER, "t.credited, t.spent, t.clawed_back, t.restored", "balance", "customer = k.id AND name = 'coins'"},
};

typedef struct {
    uint8_t id[16];
    char name[64];
    int64_t version, entries, links;
    uint8_t head[32];
} customer;

typedef struct {
    const raw_credits *job;
    PGconn *raw;
    customer **customers;
    int customer_count;
    // The credits that it writes: the first, and how many.
    int first, count;
    int64_t *next_place;
    // The first number that the last round trip has answered.
    int64_t answer;
    // The first is what places are counted from.
    buffer parameters[20];
    int cursor;
    char problem[512];
    pthread_t thread;
} writer;

static int has(const raw_credits *job, int flag) { return (job->flags & flag) != 0; }
static int has_links(const raw_credits *job) { return has(job, RAW_CHAINS) || has(job, RAW_STAND_INS); }
static int is_constant(char type) { return type == '0' || type == '1'; }
static int is_link(const char *name) {
    return !strcmp(name, "link") || !strcmp(name, "hash") || !strcmp(name, "links") || !strcmp(name, "head");
}

static int has_places(int index) {
    for (const column *c = kinds[index].columns; c->name; c++)
        if (c->type == 'p') return 1;
    return 0;
}

// MARK: Statements

static void write_sql(const raw_credits *job, int index, char *sql, size_t size) {
    switch (index) {
    case BEGIN: snprintf(sql, size, "BEGIN ISOLATION LEVEL READ COMMITTED"); return;
    case LOCK:
        snprintf(sql, size, "SELECT c.id FROM unnest($1::bytea[]) AS k(id) JOIN storekeeper.customer c ON c.id = k.id "
                            "ORDER BY c.id FOR UPDATE OF c");
        return;
    case TAKE_TICKET:
        snprintf(sql, size,
                 "WITH taken AS (UPDATE storekeeper.feed SET next = next + $1::bigint WHERE id = 1 RETURNING next - $1 AS place) "
                 "INSERT INTO storekeeper.ticket(place, taken, backend) SELECT place, clock_timestamp(), pg_backend_pid() "
                 "FROM taken WHERE set_config('synchronous_commit', 'off', true) <> '' RETURNING place");
        return;
    case CLOSE:
        snprintf(sql, size,
                 "WITH met AS (DELETE FROM storekeeper.ticket WHERE place = $1::bigint), "
                 "noted AS (INSERT INTO storekeeper.step(id, at, first) VALUES($2::bytea, $3::bigint, $1)), "
                 "linked AS (UPDATE storekeeper.head SET number = number + 1, hash = sha256(hash || sha256($4::bytea)) "
                 "WHERE id = 1 RETURNING number, hash) "
                 "INSERT INTO storekeeper.checkpoint(number, place, heads, hash) SELECT number, $1, $4, hash FROM linked");
        return;
    case COMMIT: snprintf(sql, size, "COMMIT"); return;
    }
    if (index >= LOOK_UP) {
        const look_up *l = &look_ups[index - LOOK_UP];
        snprintf(sql, size, "SELECT %s FROM unnest($1::bytea[]) AS k(id) CROSS JOIN LATERAL "
                            "(SELECT * FROM storekeeper.%s WHERE %s OFFSET 0) AS t", l->columns, l->table, l->condition);
        return;
    }
    char columns[1024] = "", values[2048] = "", source[1024] = "", names[1024] = "", sets[2048] = "";
    const char *array = has(job, RAW_ROW_BY_ROW) ? "" : "[]";
    int number = has_places(index) ? 2 : 1;
    for (const column *c = kinds[index].columns; c->name; c++) {
        if (is_link(c->name) && !has_links(job)) continue;
        char value[256], *comma = *columns ? ", " : "";
        if (is_constant(c->type)) snprintf(value, sizeof value, "%c", c->type);
        else if (c->type == 'p') snprintf(value, sizeof value, "$1::bigint + k.%s", c->name);
        else snprintf(value, sizeof value, "k.%s", c->name);
        snprintf(columns + strlen(columns), sizeof columns - strlen(columns), "%s%s", comma, c->name);
        snprintf(values + strlen(values), sizeof values - strlen(values), "%s%s", comma, value);
        if (strcmp(c->name, "id"))
            snprintf(sets + strlen(sets), sizeof sets - strlen(sets), "%s%s = %s", *sets ? ", " : "", c->name, value);
        if (is_constant(c->type)) continue;
        const char *type = c->type == 'b' ? "bytea" : c->type == 't' ? "text" : c->type == 'o' ? "boolean" : "bigint";
        snprintf(source + strlen(source), sizeof source - strlen(source), "%s$%d::%s%s", *source ? ", " : "", number++, type,
                 array);
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? ", " : "", c->name);
    }
    char rows[2200];
    snprintf(rows, sizeof rows, has(job, RAW_ROW_BY_ROW) ? "(SELECT %s) AS k(%s)" : "unnest(%s) AS k(%s)", source, names);
    if (kinds[index].updates)
        snprintf(sql, size, "UPDATE storekeeper.%s AS t SET %s FROM %s WHERE t.id = k.id", kinds[index].table, sets, rows);
    else
        snprintf(sql, size, "INSERT INTO storekeeper.%s AS t (%s) SELECT %s FROM %s %s", kinds[index].table, columns, values,
                 rows, kinds[index].ending);
}

static int fail(writer *w) {
    if (!*w->problem) snprintf(w->problem, sizeof w->problem, "%s", PQerrorMessage(w->raw));
    return 0;
}

static int connect_to_server(writer *w) {
    w->raw = PQconnectdb(w->job->database);
    if (PQstatus(w->raw) != CONNECTION_OK) return fail(w);
    PQclear(PQexec(w->raw, "SET jit = off"));
    for (int index = 0; index < STATEMENTS; index++) {
        char sql[8192], name[16];
        write_sql(w->job, index, sql, sizeof sql);
        snprintf(name, sizeof name, "raw_%d", index);
        if (!has(w->job, RAW_FEED) && (index == TAKE_TICKET || index == CLOSE)) continue;
        if (!has(w->job, RAW_LOOK_UPS) && index >= LOOK_UP) continue;
        PGresult *result = PQprepare(w->raw, name, sql, 0, NULL);
        int prepared = PQresultStatus(result) == PGRES_COMMAND_OK;
        PQclear(result);
        if (!prepared) return fail(w);
    }
    return PQenterPipelineMode(w->raw) || fail(w);
}

static int finish_round_trip(writer *w) {
    if (!PQpipelineSync(w->raw)) return fail(w);
    int succeeded = 1;
    while (1) {
        PGresult *result = PQgetResult(w->raw);
        if (!result) {
            if (PQstatus(w->raw) != CONNECTION_OK) return fail(w);
            continue;
        }
        ExecStatusType status = PQresultStatus(result);
        if (status == PGRES_FATAL_ERROR && !*w->problem)
            snprintf(w->problem, sizeof w->problem, "%s", PQresultErrorMessage(result));
        // Only a ticket has one column of a number; what look-ups return is not used.
        if (status == PGRES_TUPLES_OK && PQntuples(result) == 1 && PQnfields(result) == 1 && PQgetlength(result, 0, 0) == 8) {
            uint64_t big;
            memcpy(&big, PQgetvalue(result, 0, 0), 8);
            w->answer = (int64_t)__builtin_bswap64(big);
        }
        PQclear(result);
        if (status == PGRES_PIPELINE_SYNC) return succeeded;
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) succeeded = 0;
    }
}

// Sends a statement with parameters that are there in a row.
static int ask(writer *w, int index, int first, int count) {
    const char *values[20];
    int lengths[20], formats[20];
    for (int i = 0; i < count; i++) {
        values[i] = (const char *)w->parameters[first + i].bytes;
        lengths[i] = (int)w->parameters[first + i].length;
        formats[i] = 1;
    }
    char name[16];
    snprintf(name, sizeof name, "raw_%d", index);
    if (!PQsendQueryPrepared(w->raw, name, count, values, lengths, formats, 1)) return fail(w);
    return !has(w->job, RAW_ROW_BY_ROW) || finish_round_trip(w);
}

// MARK: Values

static void set_int(buffer *buffer, int64_t value) {
    buffer->length = 0;
    put_int64(buffer, value);
}

static void set_bytes(buffer *buffer, const void *bytes, size_t length) {
    buffer->length = 0;
    buffer_add(buffer, bytes, length);
}

// The next column of the row; the row before ended with its last.
static void add(writer *w, const void *bytes, size_t length) {
    buffer *buffer = &w->parameters[w->cursor++];
    if (has(w->job, RAW_ROW_BY_ROW)) set_bytes(buffer, bytes, length);
    else element(buffer, bytes, length);
}
static void add_int(writer *w, int64_t value) {
    uint64_t big = __builtin_bswap64((uint64_t)value);
    add(w, &big, 8);
}
static void add_text(writer *w, const char *text) { add(w, text, strlen(text)); }

static void begin_rows(writer *w, int index, int count) {
    int parameter = 1;
    for (const column *c = kinds[index].columns; c->name; c++) {
        if (is_constant(c->type)) continue;
        int type = c->type == 'b' ? OID_BYTEA : c->type == 't' ? OID_TEXT : c->type == 'o' ? OID_BOOL : OID_INT8;
        if (!has(w->job, RAW_ROW_BY_ROW)) begin_array(&w->parameters[parameter], type, count);
        parameter++;
    }
}

static uint64_t mix(uint64_t seed) {
    seed += 0x9E3779B97F4A7C15;
    seed = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9;
    seed = (seed ^ seed >> 27) * 0x94D049BB133111EB;
    return seed ^ seed >> 31;
}

// Bytes that stand for a hash.
static const uint8_t *stand_in(writer *w, int credit, int what, uint8_t bytes[32]) {
    for (int i = 0; i < 4; i++) {
        uint64_t word = mix(w->job->seed ^ (uint64_t)credit << 8 ^ (uint64_t)what << 3 ^ (uint64_t)i);
        memcpy(bytes + 8 * i, &word, 8);
    }
    return bytes;
}

static void add_link(writer *w, customer *home, int credit, int what) {
    if (!has_links(w->job)) return;
    add_int(w, ++home->links);
    if (has(w->job, RAW_CHAINS)) {
        // About as long as what a link is made of.
        uint8_t content[192] = {(uint8_t)what};
        memcpy(content + 1, home->head, 32);
        stand_in(w, credit, what, content + 33);
        raw_sha256(content, sizeof content, home->head);
    } else {
        stand_in(w, credit, what, home->head);
    }
    add(w, home->head, 32);
}

// MARK: A transaction

enum { PLACES_OF_CREDIT = 4 };

static customer *home(writer *w, int credit) { return w->customers[(credit - w->first) % w->customer_count]; }

static int write_rows(writer *w, int first, int count) {
    static const int64_t day = 86400000;
    uint8_t bytes[32];
    char id[32];
    int links = has_links(w->job) ? 2 : 0;
    // Rows that are linked, in the order of the links; a customer has one credit in a transaction at most.
    static const int order[] = {SUBJECT, FACT, LEDGER, BALANCE, TRANSACTION, CUSTOMER};
    for (int step = 0; step < KINDS; step++) {
        int index = order[step];
        begin_rows(w, index, count);
        for (int i = 0; i < count; i++) {
            int credit = first + i;
            int64_t place = (int64_t)i * PLACES_OF_CREDIT;
            customer *c = home(w, credit);
            snprintf(id, sizeof id, "%lld", 2000000000000LL + (long long)(w->job->seed % 1000) * 1000000 + credit);
            w->cursor = 1;
            switch (index) {
            case SUBJECT:
                add(w, stand_in(w, credit, 0, bytes), 16), add(w, c->id, 16), add_text(w, c->name), add_int(w, 2 * day);
                add_int(w, place), add_text(w, "com.example.game"), add_text(w, "Production"), add_text(w, id);
                add(w, stand_in(w, credit, 1, bytes), 16), add_link(w, c, credit, 4);
                break;
            case FACT:
                add(w, c->id, 16), add(w, stand_in(w, credit, 2, bytes), 16), add(w, stand_in(w, credit, 3, bytes), 32);
                add(w, stand_in(w, credit, 0, bytes), 16), add_int(w, place + 1), add_int(w, 2 * day);
                add(w, stand_in(w, -1, 0, bytes), 32), add(w, w->job->payload, w->job->payload_length);
                uint8_t signature[64];
                stand_in(w, credit, 7, signature), stand_in(w, credit, 8, signature + 32);
                add(w, signature, 64), add(w, "", 1), add_link(w, c, credit, 5);
                break;
            case LEDGER:
                add(w, c->id, 16), add_int(w, ++c->entries), add_int(w, place + 2), add_int(w, 2 * day), add_text(w, "coins");
                add_int(w, 500), add_int(w, 100000 + 500 * c->entries), add(w, stand_in(w, credit, 2, bytes), 16);
                add_text(w, "com.example.game"), add_text(w, "Production"), add_text(w, id), add_text(w, "coins.500");
                add_int(w, 500), add_link(w, c, credit, 6);
                break;
            case BALANCE: add(w, c->id, 16), add_text(w, "coins"), add_int(w, 100000 + 500 * c->entries); break;
            case TRANSACTION:
                add(w, stand_in(w, credit, 2, bytes), 16), add(w, c->id, 16), add_text(w, "com.example.game");
                add_text(w, "Production"), add_text(w, id), add_int(w, place + 3);
                break;
            case CUSTOMER:
                add(w, c->id, 16), add_int(w, ++c->version), add_int(w, c->entries), add_int(w, place + 2), add_int(w, place + 3);
                if (links) add_int(w, c->links), add(w, c->head, 32);
                break;
            }
        }
        int without_base = has_places(index) ? 0 : 1;
        if (!ask(w, index, without_base, w->cursor - without_base)) return 0;
    }
    return 1;
}

static int look_up_rows(writer *w, int first, int count) {
    uint8_t bytes[32];
    for (int i = 0; i < KEYS; i++) begin_array(&w->parameters[i], OID_BYTEA, count);
    for (int i = 0; i < count; i++) {
        element(&w->parameters[OF_CUSTOMER], home(w, first + i)->id, 16);
        element(&w->parameters[OF_CHAIN], stand_in(w, first + i, 0, bytes), 16);
        element(&w->parameters[OF_TRANSACTION], stand_in(w, first + i, 2, bytes), 16);
        element(&w->parameters[OF_DIGEST], stand_in(w, first + i, 3, bytes), 32);
    }
    for (int i = 0; i < STATEMENTS - LOOK_UP; i++)
        if (!ask(w, LOOK_UP + i, look_ups[i].key, 1)) return 0;
    return 1;
}

static int write_group(writer *w, int first, int count) {
    uint8_t bytes[32];
    int64_t places = (int64_t)count * PLACES_OF_CREDIT + 1;
    if (has(w->job, RAW_FEED)) {
        set_int(&w->parameters[0], places);
        if (!ask(w, BEGIN, 0, 0) || !ask(w, TAKE_TICKET, 0, 1) || !ask(w, COMMIT, 0, 0)) return 0;
    } else {
        w->answer = __atomic_fetch_add(w->next_place, places, __ATOMIC_RELAXED);
    }
    if (!ask(w, BEGIN, 0, 0)) return 0;
    if (has(w->job, RAW_LOCKS)) {
        begin_array(&w->parameters[0], OID_BYTEA, count);
        for (int i = 0; i < count; i++) element(&w->parameters[0], home(w, first + i)->id, 16);
        if (!ask(w, LOCK, 0, 1)) return 0;
    }
    if (has(w->job, RAW_LOOK_UPS) && !look_up_rows(w, first, count)) return 0;
    if (has(w->job, RAW_LOCKS) || has(w->job, RAW_FEED) || has(w->job, RAW_LOOK_UPS)) {
        if (!finish_round_trip(w)) return 0;
    }
    set_int(&w->parameters[0], w->answer);
    if (!write_rows(w, first, count)) return 0;
    if (has(w->job, RAW_FEED)) {
        set_bytes(&w->parameters[1], stand_in(w, first, 31, bytes), 16);
        set_int(&w->parameters[2], 172800000);
        buffer *heads = &w->parameters[3];
        heads->length = 0;
        for (int i = 0; i < count; i++) {
            customer *c = home(w, first + i);
            buffer_add(heads, "c", 1), buffer_add(heads, c->id, 16), put_int64(heads, c->links);
            buffer_add(heads, c->head, 32);
        }
        if (!ask(w, CLOSE, 0, 4)) return 0;
    }
    if (!ask(w, COMMIT, 0, 0)) return 0;
    return has(w->job, RAW_ROW_BY_ROW) || finish_round_trip(w);
}

static void *write_all(void *context) {
    writer *w = context;
    for (int done = 0; done < w->count;) {
        int count = w->count - done < w->job->group ? w->count - done : w->job->group;
        if (!write_group(w, w->first + done, count)) break;
        done += count;
    }
    return NULL;
}

// MARK: All connections

static customer *load_customers(const char *database, int *count, char *problem, size_t problem_size) {
    PGconn *raw = PQconnectdb(database);
    PGresult *result = PQexecParams(
        raw, "SELECT id, name, int8send(version), int8send(entries) FROM storekeeper.customer ORDER BY id", 0, NULL, NULL,
        NULL, NULL, 1);
    customer *all = NULL;
    *count = PQresultStatus(result) == PGRES_TUPLES_OK ? PQntuples(result) : 0;
    if (*count == 0) snprintf(problem, problem_size, "no customers: %s", PQerrorMessage(raw));
    else all = calloc((size_t)*count, sizeof *all);
    for (int i = 0; all && i < *count; i++) {
        memcpy(all[i].id, PQgetvalue(result, i, 0), 16);
        snprintf(all[i].name, sizeof all[i].name, "%.*s", PQgetlength(result, i, 1), PQgetvalue(result, i, 1));
        uint64_t big;
        memcpy(&big, PQgetvalue(result, i, 2), 8);
        all[i].version = (int64_t)__builtin_bswap64(big);
        memcpy(&big, PQgetvalue(result, i, 3), 8);
        all[i].entries = (int64_t)__builtin_bswap64(big);
    }
    PQclear(result);
    PQfinish(raw);
    return all;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

double raw_postgres_credit(const raw_credits *job, char *problem, size_t problem_size) {
    int customers = 0;
    *problem = 0;
    customer *all = load_customers(job->database, &customers, problem, problem_size);
    if (!all) return -1;
    writer *writers = calloc((size_t)job->connections, sizeof *writers);
    if (!writers) abort();
    int64_t next_place = 1000000;
    double seconds = -1;
    int first = 0, started = 0, ready = 1;
    for (int i = 0; i < job->connections; i++) {
        writer *w = &writers[i];
        w->job = job;
        w->next_place = &next_place;
        w->customers = calloc((size_t)customers, sizeof *w->customers);
        if (!w->customers) abort();
        for (int j = i; j < customers; j += job->connections) w->customers[w->customer_count++] = &all[j];
        w->first = first;
        w->count = job->credits / job->connections + (i < job->credits % job->connections);
        first += w->count;
        ready = ready && connect_to_server(w);
        if (ready && w->customer_count < job->group) {
            snprintf(w->problem, sizeof w->problem, "a group would write to a customer twice");
            ready = 0;
        }
    }
    if (ready) {
        double start = now();
        for (; started < job->connections; started++)
            if (pthread_create(&writers[started].thread, NULL, write_all, &writers[started]) != 0) break;
        for (int i = 0; i < started; i++) pthread_join(writers[i].thread, NULL);
        seconds = now() - start;
    }
    if (started < job->connections && ready) snprintf(problem, problem_size, "no thread");
    for (int i = 0; i < job->connections; i++) {
        writer *w = &writers[i];
        if (*w->problem && !*problem) snprintf(problem, problem_size, "%s", w->problem);
        PQfinish(w->raw);
        for (size_t j = 0; j < sizeof w->parameters / sizeof *w->parameters; j++) free(w->parameters[j].bytes);
        free(w->customers);
    }
    free(writers);
    free(all);
    return *problem ? -1 : seconds;
}

int raw_postgres_execute(const char *database, const char *const *statements, int count, char *problem,
                         size_t problem_size) {
    PGconn *raw = PQconnectdb(database);
    int failed = PQstatus(raw) != CONNECTION_OK;
    if (failed) snprintf(problem, problem_size, "%s", PQerrorMessage(raw));
    for (int i = 0; i < count && !failed; i++) {
        PGresult *result = PQexec(raw, statements[i]);
        ExecStatusType status = PQresultStatus(result);
        failed = status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK;
        if (failed) snprintf(problem, problem_size, "%s", PQresultErrorMessage(result));
        else snprintf(problem, problem_size, "%s", PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "");
        PQclear(result);
    }
    PQfinish(raw);
    return failed;
}
