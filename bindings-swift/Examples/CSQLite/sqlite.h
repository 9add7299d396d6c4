/* The SQLite of the system: part of macOS and iOS, libsqlite3-dev on Debian. */
#include <sqlite3.h>
