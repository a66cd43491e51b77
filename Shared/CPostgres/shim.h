// libpq, PostgreSQL's client library, as Debian 12 ships it (15). Only Persistence imports this module.
#pragma once
#include <libpq-fe.h>
