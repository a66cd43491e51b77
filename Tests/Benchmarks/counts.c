// Counts what a process does, for bench-counts: allocations, statements, bytes written to the disk, round trips.
//
// Preloaded before the C library (LD_PRELOAD). The counts lie in a file of the directory COUNTS, named by the process
// identifier, as 64-bit integers in the order of `enum count`; the script maps it while the process runs.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum count { ALLOCATIONS, ALLOCATED, STATEMENTS, WAL_WRITES, WAL_BYTES, FILE_WRITES, FILE_BYTES, FLUSHES, PG_STATEMENTS,
             ROUND_TRIPS, COUNTS };

enum { FILES = 1024, UNKNOWN = 0, WAL, OTHER };

static _Atomic unsigned long before_start[COUNTS];
static _Atomic unsigned long *counts = before_start;
static _Atomic char kinds[FILES];

__attribute__((constructor)) static void start(void) {
    char path[4096];
    const char *directory = getenv("COUNTS");
    if (!directory) return;
    snprintf(path, sizeof path, "%s/%d", directory, getpid());
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || ftruncate(file, sizeof before_start)) return;
    void *memory = mmap(NULL, sizeof before_start, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) counts = memory;
    close(file);
}

static inline void add(enum count count, unsigned long value) {
    atomic_fetch_add_explicit(&counts[count], value, memory_order_relaxed);
}

static inline void *allocated(void *memory, size_t size) {
    add(ALLOCATIONS, 1);
    add(ALLOCATED, size);
    return memory;
}

// glibc's own names, because dlsym allocates.
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) { return allocated(__libc_malloc(size), size); }
void *calloc(size_t count, size_t size) { return allocated(__libc_calloc(count, size), count * size); }
void *realloc(void *old, size_t size) { return allocated(__libc_realloc(old, size), size); }
void *memalign(size_t alignment, size_t size) { return allocated(__libc_memalign(alignment, size), size); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void **place, size_t alignment, size_t size) {
    void *memory = memalign(alignment, size);
    if (!memory) return 12;
    *place = memory;
    return 0;
}

// The next definition of a function, looked up once.
#define NEXT(name) \
    static __typeof__(&name) next; \
    if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static char kind(int file) {
    if (file < 0 || file >= FILES) return OTHER;
    char known = atomic_load(&kinds[file]);
    if (known != UNKNOWN) return known;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    char found = length > 4 && !memcmp(path + length - 4, "-wal", 4) ? WAL : OTHER;
    atomic_store(&kinds[file], found);
    return found;
}

int close(int file) {
    NEXT(close);
    if (file >= 0 && file < FILES) atomic_store(&kinds[file], UNKNOWN);
    return next(file);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
    NEXT(pwrite64);
    int is_wal = kind(file) == WAL;
    add(is_wal ? WAL_WRITES : FILE_WRITES, 1);
    add(is_wal ? WAL_BYTES : FILE_BYTES, size);
    return next(file, bytes, size, offset);
}

int fdatasync(int file) {
    NEXT(fdatasync);
    add(FLUSHES, 1);
    return next(file);
}

int fsync(int file) {
    NEXT(fsync);
    add(FLUSHES, 1);
    return next(file);
}

// SQLite: a statement that has run is reset.
int sqlite3_reset(void *statement) {
    NEXT(sqlite3_reset);
    add(STATEMENTS, 1);
    return next(statement);
}

// libpq: a segment of a pipeline ends with a sync, for whose results the caller waits.
int PQsendQueryPrepared(void *connection, const char *name, int count, const char *const *values, const int *lengths,
                        const int *formats, int format) {
    NEXT(PQsendQueryPrepared);
    add(PG_STATEMENTS, 1);
    return next(connection, name, count, values, lengths, formats, format);
}

int PQpipelineSync(void *connection) {
    NEXT(PQpipelineSync);
    add(ROUND_TRIPS, 1);
    return next(connection);
}
