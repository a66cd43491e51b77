// libnats, the NATS project's client library, as Debian 12 ships it (3.4.1). Only NATSClient imports this module.
#pragma once
#include <nats/nats.h>
