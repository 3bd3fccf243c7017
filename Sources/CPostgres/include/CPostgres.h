// libpq, PostgreSQL's own client library, as far as a vault needs it.
//
// It is loaded when a database is named, and not linked: with it come some twenty libraries of its own, for which nobody
// is to wait, or have them installed, who has no database. The declarations are those of libpq's documentation; what is
// here has been the same since version 14, and stays so as long as the library is called libpq.so.5.
#ifndef CPOSTGRES_H
#define CPOSTGRES_H

#include <stddef.h>

typedef unsigned int Oid;
typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef void (*PQnoticeReceiver)(void *context, const PGresult *result);

typedef struct _PQconninfoOption {
    char *keyword;
    char *envvar;
    char *compiled;
    char *val;
    char *label;
    char *dispchar;
    int dispsize;
} PQconninfoOption;

typedef struct pgNotify {
    char *relname;
    int be_pid;
    char *extra;
    struct pgNotify *next;
} PGnotify;

typedef enum { CONNECTION_OK = 0, CONNECTION_BAD = 1 } ConnStatusType;
typedef enum { PQTRANS_IDLE = 0, PQTRANS_ACTIVE, PQTRANS_INTRANS, PQTRANS_INERROR, PQTRANS_UNKNOWN } PGTransactionStatusType;
typedef enum {
    PGRES_EMPTY_QUERY = 0,
    PGRES_COMMAND_OK = 1,
    PGRES_TUPLES_OK = 2,
    PGRES_FATAL_ERROR = 7,
    PGRES_PIPELINE_SYNC = 10,
    PGRES_PIPELINE_ABORTED = 11
} ExecStatusType;

// Each function: what it returns, its name, its parameters, and what is passed on.
#define CPOSTGRES_FUNCTIONS(F)                                                                                        \
    F(PGconn *, PQconnectdbParams, (const char *const *names, const char *const *values, int expands),                \
      (names, values, expands))                                                                                       \
    F(PQconninfoOption *, PQconninfoParse, (const char *text, char **problem), (text, problem))                       \
    F(ConnStatusType, PQstatus, (const PGconn *connection), (connection))                                             \
    F(PGTransactionStatusType, PQtransactionStatus, (const PGconn *connection), (connection))                         \
    F(int, PQsocket, (const PGconn *connection), (connection))                                                        \
    F(char *, PQerrorMessage, (const PGconn *connection), (connection))                                               \
    F(int, PQsetnonblocking, (PGconn * connection, int is), (connection, is))                                         \
    F(int, PQenterPipelineMode, (PGconn * connection), (connection))                                                  \
    F(int, PQpipelineSync, (PGconn * connection), (connection))                                                       \
    F(int, PQsendPrepare, (PGconn * connection, const char *name, const char *sql, int count, const Oid *types),      \
      (connection, name, sql, count, types))                                                                          \
    F(int, PQsendQueryParams,                                                                                         \
      (PGconn * connection, const char *sql, int count, const Oid *types, const char *const *values,                  \
       const int *lengths, const int *formats, int format),                                                           \
      (connection, sql, count, types, values, lengths, formats, format))                                              \
    F(int, PQsendQueryPrepared,                                                                                       \
      (PGconn * connection, const char *name, int count, const char *const *values, const int *lengths,               \
       const int *formats, int format),                                                                               \
      (connection, name, count, values, lengths, formats, format))                                                    \
    F(int, PQflush, (PGconn * connection), (connection))                                                              \
    F(int, PQconsumeInput, (PGconn * connection), (connection))                                                       \
    F(int, PQisBusy, (PGconn * connection), (connection))                                                             \
    F(PGresult *, PQgetResult, (PGconn * connection), (connection))                                                   \
    F(PGnotify *, PQnotifies, (PGconn * connection), (connection))                                                    \
    F(PQnoticeReceiver, PQsetNoticeReceiver, (PGconn * connection, PQnoticeReceiver receiver, void *context),         \
      (connection, receiver, context))                                                                                \
    F(ExecStatusType, PQresultStatus, (const PGresult *result), (result))                                             \
    F(char *, PQresultErrorField, (const PGresult *result, int field), (result, field))                               \
    F(char *, PQcmdStatus, (PGresult * result), (result))                                                             \
    F(char *, PQcmdTuples, (PGresult * result), (result))                                                             \
    F(int, PQntuples, (const PGresult *result), (result))                                                             \
    F(int, PQnfields, (const PGresult *result), (result))                                                             \
    F(char *, PQfname, (const PGresult *result, int column), (result, column))                                        \
    F(Oid, PQftype, (const PGresult *result, int column), (result, column))                                           \
    F(char *, PQgetvalue, (const PGresult *result, int row, int column), (result, row, column))                       \
    F(int, PQgetlength, (const PGresult *result, int row, int column), (result, row, column))                         \
    F(int, PQgetisnull, (const PGresult *result, int row, int column), (result, row, column))

#define CPOSTGRES_PROCEDURES(F)                                                                                       \
    F(PQconninfoFree, (PQconninfoOption * options), (options))                                                        \
    F(PQfinish, (PGconn * connection), (connection))                                                                  \
    F(PQclear, (PGresult * result), (result))                                                                         \
    F(PQfreemem, (void *memory), (memory))

// Where they are, once loaded.
struct cpostgres_functions {
#define CPOSTGRES_FIELD(type, name, parameters, arguments) type (*name) parameters;
#define CPOSTGRES_VOID_FIELD(name, parameters, arguments) void (*name) parameters;
    CPOSTGRES_FUNCTIONS(CPOSTGRES_FIELD)
    CPOSTGRES_PROCEDURES(CPOSTGRES_VOID_FIELD)
};
extern struct cpostgres_functions cpostgres;

// Loads the library once for the process. Nothing else may be called before it has succeeded.
//
// Returns NULL, or what is missing.
const char *cpostgres_load(void);

#define CPOSTGRES_CALL(type, name, parameters, arguments)                                                             \
    static inline type name parameters { return cpostgres.name arguments; }
#define CPOSTGRES_VOID_CALL(name, parameters, arguments)                                                              \
    static inline void name parameters { cpostgres.name arguments; }
CPOSTGRES_FUNCTIONS(CPOSTGRES_CALL)
CPOSTGRES_PROCEDURES(CPOSTGRES_VOID_CALL)

#endif
