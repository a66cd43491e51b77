// Sends HTTP requests to a gateway, by the clock (open loop) or after each answer (closed loop), on one thread. For
// scripts/overload, which compiles it and makes its input.
//
//   cc -O2 -o open-loop open-loop.c -lm
//   open-loop PORT DIRECTORY RUN PHASE…
//
// DIRECTORY has the input: `tokens` (one session a line), `products` (the identifiers of a query, comma-separated, one
// line for each session) and `bought` (what each session buys, one a line). It gets `acknowledged`: the idempotency keys
// of purchases that were answered 2xx. RUN makes the keys unique. A PHASE is
//
//   closed:CONNECTIONS:SECONDS:MIX       each connection sends its next request when the last one is answered
//   open:RATE:SECONDS:MIX                RATE requests a second by the clock, whatever is answered
//
// MIX is parts of queries, purchases, finishes and restores, as in 80/15/4/1. An open loop opens as many connections as
// it needs, 8192 at most; what finds none is counted as unsent. Latency counts from the instant at which the clock wanted
// the request. Each phase prints a JSON line with its totals and what happened in each quarter of a second.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { QUERY, PURCHASE, FINISH, RESTORE, CLASSES };
static const char *names[CLASSES] = {"query", "purchase", "finish", "restore"};

enum { CONNECTIONS = 8192, LINES = 1024, IDS = 1 << 16, BUCKETS = 400, QUARTERS = 4096, INPUT = 32768 };
#define TIMEOUT 10.0

struct connection {
    int fd, class, customer, length, number;
    bool is_open, is_connecting, is_busy;
    double due, sent;
    long key;
    char *input;
};

struct counts {
    long sent, good, refused, refused_in_silence, other, failed, unsent;
    long latency[BUCKETS], refusal_latency[BUCKETS];
    int statuses[600];
};

struct quarter { long sent, good, refused, other; double slowest; };

static struct connection connections[CONNECTIONS];
static int idle[CONNECTIONS], idle_count, open_count, poll_fd;
static struct counts counts[CLASSES];
static struct quarter quarters[QUARTERS];
static char *tokens[LINES], *products[LINES], *bought[LINES];
static int customers;
// Transactions that may be finished; when all are, they are finished again, which is answered alike.
static struct { char id[64]; int customer; } transactions[IDS];
static long transaction_count, finished;
static long next_key;
static double phase_begin;
static const char *run;
static FILE *acknowledged;
static struct sockaddr_in address;
static uint64_t seed = 88172645463325252ull;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static double draw(void) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (seed >> 11) / 9007199254740992.0;
}

static void fail(const char *text) {
    fprintf(stderr, "error: %s: %s\n", text, strerror(errno));
    exit(1);
}

static int read_lines(const char *directory, const char *name, char **lines) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "r");
    if (!file) fail(path);
    int count = 0;
    size_t size = 0;
    ssize_t length;
    while (count < LINES && (lines[count] = NULL, length = getline(&lines[count], &size, file)) > 0) {
        if (lines[count][length - 1] == '\n') lines[count][length - 1] = 0;
        count++, size = 0;
    }
    fclose(file);
    return count;
}

// Buckets grow by a twentieth from 50 µs.
static int bucket(double seconds) {
    int index = seconds <= 50e-6 ? 0 : (int)(log(seconds / 50e-6) / log(1.05)) + 1;
    return index < BUCKETS ? index : BUCKETS - 1;
}

static double percentile(const long *histogram, double share) {
    long total = 0, seen = 0;
    for (int i = 0; i < BUCKETS; i++) total += histogram[i];
    if (!total) return 0;
    for (int i = 0; i < BUCKETS; i++)
        if ((seen += histogram[i]) >= share * total) return 50e-6 * pow(1.05, i);
    return 0;
}

static struct quarter *quarter_of(double time) {
    int index = (time - phase_begin) * 4;
    return &quarters[index < 0 ? 0 : index < QUARTERS ? index : QUARTERS - 1];
}

static void watch(struct connection *c, uint32_t events, int operation) {
    struct epoll_event event = {.events = events, .data.ptr = c};
    epoll_ctl(poll_fd, operation, c->fd, &event);
}

static bool dial(struct connection *c) {
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (c->fd < 0) return false;
    int on = 1;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    c->is_connecting = connect(c->fd, (struct sockaddr *)&address, sizeof address) < 0;
    if (c->is_connecting && errno != EINPROGRESS) {
        close(c->fd);
        return false;
    }
    if (!c->input) c->input = malloc(INPUT);
    c->is_open = true, c->length = 0;
    open_count++;
    watch(c, c->is_connecting ? EPOLLIN | EPOLLOUT : EPOLLIN, EPOLL_CTL_ADD);
    return true;
}

static void hang_up(struct connection *c) {
    close(c->fd);
    c->is_open = c->is_connecting = false;
    open_count--;
    if (c->is_busy) {
        counts[c->class].failed++;
        quarter_of(c->due)->other++;
        c->is_busy = false;
    } else {
        // It was among the idle ones.
        for (int i = 0; i < idle_count; i++)
            if (idle[i] == c->number) { idle[i] = idle[--idle_count]; break; }
    }
}

static void transmit(struct connection *c) {
    char text[16384];
    int length = 0, customer = c->customer;
    switch (c->class) {
    case QUERY:
        length = customer % 2
            ? snprintf(text, sizeof text, "GET /v1/products?ids=%s HTTP/1.1\r\nHost: s\r\nAuthorization: Bearer %s\r\n\r\n",
                       products[customer], tokens[customer])
            : snprintf(text, sizeof text, "GET /v1/transactions?limit=10 HTTP/1.1\r\nHost: s\r\nAuthorization: Bearer %s\r\n\r\n",
                       tokens[customer]);
        break;
    case PURCHASE: {
        char body[512];
        int size = snprintf(body, sizeof body, "{\"productIdentifier\":\"%s\",\"quantity\":1}", bought[customer]);
        length = snprintf(text, sizeof text,
                          "POST /v1/payments HTTP/1.1\r\nHost: s\r\nAuthorization: Bearer %s\r\nIdempotency-Key: %s-%ld\r\n"
                          "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
                          tokens[customer], run, c->key, size, body);
        break;
    }
    case FINISH: {
        long index = finished < transaction_count ? finished++ : (long)(draw() * transaction_count);
        customer = transactions[index % IDS].customer;
        length = snprintf(text, sizeof text,
                          "POST /v1/transactions/%s/finish HTTP/1.1\r\nHost: s\r\nAuthorization: Bearer %s\r\n"
                          "Content-Length: 0\r\n\r\n", transactions[index % IDS].id, tokens[customer]);
        break;
    }
    case RESTORE:
        length = snprintf(text, sizeof text,
                          "POST /v1/restore HTTP/1.1\r\nHost: s\r\nAuthorization: Bearer %s\r\nIdempotency-Key: %s-%ld\r\n"
                          "Content-Length: 0\r\n\r\n", tokens[customer], run, c->key);
        break;
    }
    // A request is far smaller than the socket's buffer.
    if (send(c->fd, text, length, MSG_NOSIGNAL) != length) hang_up(c);
}

static void request(struct connection *c, const int *mix, double due) {
    double part = draw() * (mix[0] + mix[1] + mix[2] + mix[3]);
    c->class = part < mix[0] ? QUERY : part < mix[0] + mix[1] ? PURCHASE : part < mix[0] + mix[1] + mix[2] ? FINISH : RESTORE;
    if (c->class == FINISH && !transaction_count) c->class = PURCHASE;
    c->customer = draw() * customers;
    c->key = next_key++;
    c->due = due, c->sent = now(), c->is_busy = true;
    counts[c->class].sent++;
    quarter_of(due)->sent++;
    if (!c->is_connecting) transmit(c);
}

static void remember(struct connection *c, char *body) {
    fprintf(acknowledged, "%s-%ld\n", run, c->key);
    char *id = strstr(body, "\"id\"");
    if (!id || !(id = strchr(id + 4, '"'))) return;
    char *end = strchr(++id, '"');
    if (!end || end - id >= 64) return;
    long index = transaction_count % IDS;
    // A ring: the oldest are forgotten.
    if (transaction_count - finished >= IDS) return;
    memcpy(transactions[index].id, id, end - id);
    transactions[index].id[end - id] = 0;
    transactions[index].customer = c->customer;
    transaction_count++;
}

// Takes a whole response out of the input; returns false when there is none yet.
static bool answered(struct connection *c) {
    c->input[c->length] = 0;
    char *end = strstr(c->input, "\r\n\r\n");
    if (!end) return false;
    *end = 0;
    char *field = strcasestr(c->input, "\r\ncontent-length:");
    int body = field ? atoi(field + 17) : 0;
    bool told = strcasestr(c->input, "\r\nretry-after:") != NULL;
    *end = '\r';
    if (c->length < end + 4 - c->input + body) return false;
    int status = atoi(c->input + 9);
    double time = now(), took = time - c->due;
    struct counts *count = &counts[c->class];
    struct quarter *quarter = quarter_of(c->due);
    count->statuses[status < 600 ? status : 599]++;
    if (status >= 200 && status < 300) {
        count->good++, count->latency[bucket(took)]++, quarter_of(time)->good++;
        if (took > quarter->slowest) quarter->slowest = took;
        if (c->class == PURCHASE) remember(c, end + 4);
    } else if (status == 503 || status == 429) {
        count->refused++, count->refusal_latency[bucket(took)]++, quarter->refused++;
        if (!told) count->refused_in_silence++;
    } else {
        count->other++, quarter->other++;
    }
    c->length = 0, c->is_busy = false;
    return true;
}

// Returns true when the connection has an answer and is free again.
static bool serve(struct connection *c, uint32_t events) {
    if (c->is_connecting && events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) {
        int error = 0;
        socklen_t size = sizeof error;
        getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &size);
        if (error) { hang_up(c); return false; }
        c->is_connecting = false;
        watch(c, EPOLLIN, EPOLL_CTL_MOD);
        if (c->is_busy) transmit(c);
        return false;
    }
    ssize_t count = recv(c->fd, c->input + c->length, INPUT - 1 - c->length, 0);
    if (count <= 0) {
        if (count < 0 && errno == EAGAIN) return false;
        hang_up(c);
        return false;
    }
    c->length += count;
    return c->is_busy && answered(c);
}

// An idle connection or a new one; NULL when there are as many as there may be.
static struct connection *take(void) {
    static int next;
    if (idle_count) return &connections[idle[--idle_count]];
    for (int tried = 0; tried < CONNECTIONS && open_count < CONNECTIONS; tried++) {
        struct connection *c = &connections[next];
        next = (next + 1) % CONNECTIONS;
        if (!c->is_open) return dial(c) ? c : NULL;
    }
    return NULL;
}

static void report(const char *phase, double seconds, double cpu) {
    printf("{\"phase\":\"%s\",\"seconds\":%.3f,\"cpu\":%.3f,\"connections\":%d,\"classes\":{", phase, seconds, cpu, open_count);
    for (int i = 0; i < CLASSES; i++) {
        struct counts *c = &counts[i];
        printf("%s\"%s\":{\"sent\":%ld,\"good\":%ld,\"refused\":%ld,\"refusedWithoutRetryAfter\":%ld,\"other\":%ld,"
               "\"failed\":%ld,\"unsent\":%ld,\"p50\":%.6f,\"p99\":%.6f,\"refusalP50\":%.6f,\"refusalP99\":%.6f,\"statuses\":{",
               i ? "," : "", names[i], c->sent, c->good, c->refused, c->refused_in_silence, c->other, c->failed, c->unsent,
               percentile(c->latency, .5), percentile(c->latency, .99), percentile(c->refusal_latency, .5),
               percentile(c->refusal_latency, .99));
        bool first = true;
        for (int status = 0; status < 600; status++)
            if (c->statuses[status]) printf("%s\"%d\":%d", first ? "" : ",", status, c->statuses[status]), first = false;
        printf("}}");
    }
    printf("},\"quarters\":[");
    for (int i = 0; i < (int)(seconds * 4 + .5); i++)
        printf("%s[%ld,%ld,%ld,%ld,%.3f]", i ? "," : "", quarters[i].sent, quarters[i].good, quarters[i].refused,
               quarters[i].other, quarters[i].slowest);
    printf("]}\n");
    fflush(stdout);
}

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void phase(const char *text) {
    double rate = 0, seconds = 0;
    int mix[CLASSES] = {0}, closed = 0;
    if (sscanf(text, "closed:%d:%lf:%d/%d/%d/%d", &closed, &seconds, mix, mix + 1, mix + 2, mix + 3) != 6 &&
        (closed = 0, sscanf(text, "open:%lf:%lf:%d/%d/%d/%d", &rate, &seconds, mix, mix + 1, mix + 2, mix + 3) != 6)) {
        fprintf(stderr, "error: no phase: %s\n", text);
        exit(64);
    }
    memset(counts, 0, sizeof counts);
    memset(quarters, 0, sizeof quarters);
    double cpu = cpu_seconds(), begin = phase_begin = now(), end = begin + seconds, due = begin, last_look = begin;
    for (int i = 0; i < closed; i++) {
        struct connection *c = take();
        if (!c) fail("no connection");
        request(c, mix, now());
    }
    struct epoll_event events[512];
    while (true) {
        double time = now();
        if (time >= end) break;
        if (rate > 0) {
            for (; due <= time; due += 1 / rate) {
                struct connection *c = take();
                if (c) request(c, mix, due); else counts[QUERY].unsent++;
            }
        }
        // Requests of the same millisecond are sent together, which lets the machine work in between.
        int count = epoll_wait(poll_fd, events, 512, rate > 0 ? 1 : 100);
        for (int i = 0; i < count; i++) {
            struct connection *c = events[i].data.ptr;
            if (!c->is_open || !serve(c, events[i].events)) continue;
            if (closed) request(c, mix, now()); else idle[idle_count++] = c->number;
        }
        if (time - last_look > 1) {
            last_look = time;
            for (int i = 0; i < CONNECTIONS; i++)
                if (connections[i].is_busy && time - connections[i].due > TIMEOUT) hang_up(&connections[i]);
        }
    }
    cpu = cpu_seconds() - cpu;
    report(text, now() - begin, cpu);
    // What is still on its way is answered, so that phases do not count each other's requests.
    for (double patience = now() + TIMEOUT; now() < patience;) {
        int busy = 0;
        for (int i = 0; i < CONNECTIONS; i++) busy += connections[i].is_busy;
        if (!busy || !closed) break;
        int count = epoll_wait(poll_fd, events, 512, 100);
        for (int i = 0; i < count; i++) {
            struct connection *c = events[i].data.ptr;
            if (c->is_open && serve(c, events[i].events)) idle[idle_count++] = c->number;
        }
    }
}

int main(int count, char **arguments) {
    if (count < 5) {
        fprintf(stderr, "usage: open-loop PORT DIRECTORY RUN PHASE…\n");
        return 64;
    }
    address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(atoi(arguments[1])),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    customers = read_lines(arguments[2], "tokens", tokens);
    if (read_lines(arguments[2], "products", products) < customers || read_lines(arguments[2], "bought", bought) < customers)
        fail("fewer products than tokens");
    char path[4096];
    snprintf(path, sizeof path, "%s/acknowledged", arguments[2]);
    acknowledged = fopen(path, "a");
    run = arguments[3];
    poll_fd = epoll_create1(0);
    for (int i = 0; i < CONNECTIONS; i++) connections[i].number = i;
    for (int i = 4; i < count; i++) phase(arguments[i]);
    fclose(acknowledged);
    return 0;
}
