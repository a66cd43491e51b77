// A disk that forgets: preloaded into a process, it undoes on SIGUSR2 every write to a database file that no fsync has
// followed, and then ends the process as a power failure would. SIGKILL alone cannot show such a loss, because the
// kernel still writes what a killed process has handed over.
//
//   cc -shared -fPIC -O2 -o power-loss.so power-loss.c
//   POWER_LOSS_FILE=payment-queue.sqlite LD_PRELOAD=…/power-loss.so payment-queue …
//   kill -USR2 PID
//
// Looked after is every file whose path contains POWER_LOSS_FILE, but for the shared memory beside it (-shm), which
// SQLite rebuilds. What is written to such a file is remembered as it was before, until an fsync or fdatasync of the
// same file; the memory is undone from the newest entry to the oldest.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct change {
    struct change *older;
    dev_t device;
    ino_t inode;
    int file;      // a descriptor of our own
    off_t size;    // of the file, before
    off_t offset;  // where the old bytes stood
    size_t count;
    char old[];
};

static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static int (*real_ftruncate)(int, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct change *newest;
static sem_t asked;

// The path of a descriptor whose file is looked after; 0 for all others.
static int is_watched(int file, char path[4096]) {
    const char *part = getenv("POWER_LOSS_FILE");
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = part ? readlink(link, path, 4095) : -1;
    if (length <= 0) return 0;
    path[length] = 0;
    return strstr(path, part) && !strstr(path, "-shm") && !strstr(path, ".lock");
}

// Remembers `count` bytes at `offset` as they are now, as far as the file has them.
static void remember(int file, const char *path, off_t offset, size_t count) {
    struct stat before;
    if (fstat(file, &before)) return;
    size_t held = offset >= before.st_size ? 0 : (size_t)(before.st_size - offset);
    if (held > count) held = count;
    struct change *change = malloc(sizeof *change + held);
    if (!change) abort();
    *change = (struct change){newest, before.st_dev, before.st_ino, open(path, O_RDWR | O_CLOEXEC),
                              before.st_size, offset, held};
    if (change->file < 0 || (held && pread(change->file, change->old, held, offset) != (ssize_t)held)) abort();
    newest = change;
}

// An fsync has followed: what was written to this file is there for good.
static void forget(int file) {
    struct stat now;
    if (fstat(file, &now)) return;
    struct change **place = &newest;
    while (*place) {
        struct change *change = *place;
        if (change->device == now.st_dev && change->inode == now.st_ino) {
            *place = change->older;
            close(change->file);
            free(change);
        } else {
            place = &change->older;
        }
    }
}

static void *wait_for_the_failure(void *nothing) {
    (void)nothing;
    while (sem_wait(&asked)) {}
    pthread_mutex_lock(&lock);  // permanently: nothing is written any more
    for (struct change *change = newest; change; change = change->older) {
        if (change->count) real_pwrite(change->file, change->old, change->count, change->offset);
        real_ftruncate(change->file, change->size);
    }
    kill(getpid(), SIGKILL);
    return NULL;
}

static void fail(int number) {
    (void)number;
    sem_post(&asked);
}

__attribute__((constructor)) static void begin(void) {
    real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
    real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    if (!getenv("POWER_LOSS_FILE")) return;
    pthread_t thread;
    sem_init(&asked, 0, 0);
    signal(SIGUSR2, fail);
    pthread_create(&thread, NULL, wait_for_the_failure, NULL);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off_t offset) {
    char path[4096];
    if (!is_watched(file, path)) return real_pwrite(file, bytes, count, offset);
    pthread_mutex_lock(&lock);
    remember(file, path, offset, count);
    ssize_t written = real_pwrite(file, bytes, count, offset);
    int reason = errno;
    pthread_mutex_unlock(&lock);
    errno = reason;
    return written;
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    return pwrite64(file, bytes, count, offset);
}

int ftruncate64(int file, off_t size) {
    char path[4096];
    if (!is_watched(file, path)) return real_ftruncate(file, size);
    pthread_mutex_lock(&lock);
    struct stat before;
    if (!fstat(file, &before) && before.st_size > size) remember(file, path, size, (size_t)(before.st_size - size));
    else remember(file, path, size, 0);
    int result = real_ftruncate(file, size);
    int reason = errno;
    pthread_mutex_unlock(&lock);
    errno = reason;
    return result;
}

int ftruncate(int file, off_t size) { return ftruncate64(file, size); }

static int flush(int file, int (*real)(int)) {
    char path[4096];
    if (!is_watched(file, path)) return real(file);
    pthread_mutex_lock(&lock);
    int result = real(file);
    int reason = errno;
    if (!result) forget(file);
    pthread_mutex_unlock(&lock);
    errno = reason;
    return result;
}

int fsync(int file) { return flush(file, real_fsync); }

int fdatasync(int file) { return flush(file, real_fdatasync); }
