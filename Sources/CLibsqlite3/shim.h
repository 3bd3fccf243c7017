// The system's SQLite.
#include <sqlite3.h>

// Turns an option of a connection on or off. Swift cannot call a function with variable arguments.
static inline int storekeeper_configure(sqlite3 *connection, int option, int value) {
    return sqlite3_db_config(connection, option, value, (int *)0);
}
