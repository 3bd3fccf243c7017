// libpq, PostgreSQL's own client library.
#include <libpq-fe.h>
