// libuv as Debian 12 ships it (1.44.2). Only EventLoop imports this module.
#include <uv.h>
