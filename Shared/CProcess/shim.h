// Starting a child that cannot outlive its parent, and the limits of another process. Header only, used by `storebus`.
//
// The start is C because between fork and exec only async-signal-safe functions may run, which no Swift code promises, and
// because posix_spawn has no attribute for the parent-death signal.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

// Runs `path` with `argv` and `envp` in a process group of its own, standard input from /dev/null, output and errors
// appended to `log`. The kernel kills the child when the calling THREAD ends, so the caller must be a thread that
// lives as long as the process.
//
// Returns 0 and sets *pid, or the errno of the step that failed.
static inline int storebus_spawn(
    const char *path, char *const argv[], char *const envp[], const char *log, pid_t *pid)
{
    int report[2];
    if (pipe(report) != 0) return errno;
    fcntl(report[1], F_SETFD, FD_CLOEXEC);
    pid_t parent = getpid();
    pid_t child = fork();
    if (child < 0) {
        int error = errno;
        close(report[0]);
        close(report[1]);
        return error;
    }
    if (child == 0) {
        // The parent may have died before prctl was reached; then no signal would be sent.
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(127);
        setpgid(0, 0);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        // Ignored signals survive exec; the child must start with the defaults.
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        signal(SIGPIPE, SIG_DFL);
        int input = open("/dev/null", O_RDONLY);
        int output = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
        if (input >= 0 && output >= 0 && dup2(input, 0) >= 0 && dup2(output, 1) >= 0 && dup2(output, 2) >= 0) {
            // Nothing the parent has open reaches the child: 4 is CLOSE_RANGE_CLOEXEC.
            syscall(SYS_close_range, 3u, UINT_MAX, 4u);
            execve(path, argv, envp);
        }
        int error = errno;
        ssize_t ignored = write(report[1], &error, sizeof error);
        (void)ignored;
        _exit(127);
    }
    close(report[1]);
    int error = 0;
    ssize_t count;
    do {
        count = read(report[0], &error, sizeof error);
    } while (count < 0 && errno == EINTR);
    close(report[0]);
    if (count == (ssize_t)sizeof error) {
        waitpid(child, NULL, 0);
        return error;
    }
    *pid = child;
    return 0;
}

// Sets the soft limit of open files of a process and returns the one it had; -1 with errno.
static inline long long storebus_limit_files(pid_t pid, unsigned long long soft)
{
    // The kernel's structure, because prlimit(2) is declared for GNU programs only.
    struct { unsigned long long soft, hard; } old, set;
    if (syscall(SYS_prlimit64, pid, RLIMIT_NOFILE, NULL, &old) != 0) return -1;
    set.soft = soft < old.hard ? soft : old.hard;
    set.hard = old.hard;
    if (syscall(SYS_prlimit64, pid, RLIMIT_NOFILE, &set, NULL) != 0) return -1;
    return (long long)old.soft;
}

// Makes a semaphore with a name, of value 1, for programs that libfaketime is loaded into. Returns 0 or -1 with errno.
static inline int storebus_make_semaphore(const char *name)
{
    sem_t *made = sem_open(name, O_CREAT | O_EXCL, 0600, 1u);
    if (made == SEM_FAILED) return -1;
    sem_close(made);
    return 0;
}
