// libuv as Debian 12 ships it (1.44.2). Only EventLoop imports this module.
#pragma once
#include <pthread.h>
#include <sys/socket.h>
#include <uv.h>

// Two calls that glibc declares for _GNU_SOURCE only, which Swift's clang importer does not define.
extern int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
extern int pthread_setname_np(pthread_t thread, const char *name);
