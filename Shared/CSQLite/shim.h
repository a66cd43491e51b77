// SQLite, as Debian 12 ships it (3.40). Only Persistence imports this module.
#pragma once
#include <sqlite3.h>
