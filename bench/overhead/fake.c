// A fleet of fake engines in one epoll thread: `fake N` listens on N free loopback ports and prints them.
// A model named ...-c<N>d<US>... streams N chunks, one every US microseconds; without streaming it answers at once.
// Speaks what a router asks of an Ollama: chat, generate, tags, ps, show, version, /v1/chat/completions, /v1/models,
// /v1/messages.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#define MAXFD 8192
#define BUF 262144
typedef struct {
    int fd;
    char *in;
    int inlen;
    char *out;
    int outlen, outoff, outcap;
    int streaming;
    int left;
    int total;
    long us;
    int kind;
    long due;
    int want;
} C;
static C cs[MAXFD];
static int ep;
static long now_us() {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000L + t.tv_nsec / 1000;
}
static int heap[MAXFD], hn;
static int less(int a, int b) { return cs[a].due < cs[b].due; }
static void hpush(int f) {
    int i = hn++;
    heap[i] = f;
    while (i && less(heap[i], heap[(i - 1) / 2])) {
        int t = heap[i];
        heap[i] = heap[(i - 1) / 2];
        heap[(i - 1) / 2] = t;
        i = (i - 1) / 2;
    }
}
static void hsift(int i) {
    for (;;) {
        int l = 2 * i + 1, m = i;
        if (l < hn && less(heap[l], heap[m])) m = l;
        if (l + 1 < hn && less(heap[l + 1], heap[m])) m = l + 1;
        if (m == i) break;
        int t = heap[i];
        heap[i] = heap[m];
        heap[m] = t;
        i = m;
    }
}
static int hpop() {
    int r = heap[0];
    heap[0] = heap[--hn];
    hsift(0);
    return r;
}
static void hremove(int f) {
    for (int i = 0; i < hn; i++)
        if (heap[i] == f) {
            heap[i] = heap[--hn];
            for (int k = hn / 2; k >= 0; k--) hsift(k);
            return;
        }
}
static char NDCHAT[] = "{\"model\":\"llama3.2:3b\",\"created_at\":\"2026-11-30T12:00:00.000000Z\",\"message\":{"
                       "\"role\":\"assistant\",\"content\":\" token\"},\"done\":false}\n";
static char NDGEN[] = "{\"model\":\"llama3.2:3b\",\"created_at\":\"2026-11-30T12:00:00.000000Z\",\"response\":\" "
                      "token\",\"done\":false}\n";
static char SSE[] = "data: "
                    "{\"id\":\"chatcmpl-123\",\"object\":\"chat.completion.chunk\",\"created\":1764500000,\"model\":"
                    "\"llama3.2:3b\",\"system_fingerprint\":\"fp_ollama\",\"choices\":[{\"index\":0,\"delta\":{"
                    "\"role\":\"assistant\",\"content\":\" token\"},\"finish_reason\":null}]}\n\n";
static char STATS[] =
    "\"done_reason\":\"stop\",\"done\":true,\"total_duration\":1000000000,\"load_duration\":1000000,\"prompt_eval_"
    "count\":12,\"prompt_eval_duration\":100000000,\"eval_count\":50,\"eval_duration\":900000000";
static char NDCHATF[512], NDGENF[512], SSEF[512], JCHAT[600], JGEN[600], JOAI[800];
static const char *NAMES[] = {"llama-c1d0:3b", "llama-c50d0:3b", "llama-c50d1000:3b", "llama-c50d20000:3b"};
static char TAGS[4096], PS[4096], MODELS[2048], VER[] = "{\"version\":\"0.32.2\"}";
static char SHOW[] =
    "{\"modelfile\":\"\",\"details\":{\"parent_model\":\"\",\"format\":\"gguf\",\"family\":\"llama\",\"families\":["
    "\"llama\"],\"parameter_size\":\"3.2B\",\"quantization_level\":\"Q4_K_M\"},\"model_info\":{\"general."
    "architecture\":\"llama\",\"llama.context_length\":131072},\"capabilities\":[\"completion\",\"tools\"]}";
static char JMSG[] = "{\"id\":\"msg_123\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"llama3.2:3b\","
                     "\"content\":[{\"type\":\"text\",\"text\":\"Hello! How can I help you "
                     "today?\"}],\"stop_reason\":\"end_turn\",\"stop_sequence\":null,\"usage\":{\"input_tokens\":12,"
                     "\"output_tokens\":9}}";
#define DETAILS                                                                                                        \
    "\"details\":{\"parent_model\":\"\",\"format\":\"gguf\",\"family\":\"llama\",\"families\":[\"llama\"],"            \
    "\"parameter_size\":\"3.2B\",\"quantization_level\":\"Q4_K_M\"}"
static void inventory() {
    char *t = TAGS, *p = PS, *m = MODELS;
    t += sprintf(t, "{\"models\":[");
    p += sprintf(p, "{\"models\":[");
    m += sprintf(m, "{\"object\":\"list\",\"data\":[");
    for (int i = 0; i < 4; i++) {
        const char *c = i ? "," : "";
        t += sprintf(t,
                     "%s{\"name\":\"%s\",\"model\":\"%s\",\"modified_at\":\"2026-11-30T12:00:00Z\",\"size\":2000000000,"
                     "\"digest\":\"a80c4f17acd%d\"," DETAILS "}",
                     c, NAMES[i], NAMES[i], i);
        p += sprintf(p,
                     "%s{\"name\":\"%s\",\"model\":\"%s\",\"size\":2000000000,\"digest\":\"a80c4f17acd%d\"," DETAILS
                     ",\"expires_at\":\"2099-01-01T00:00:00Z\",\"size_vram\":2000000000,\"context_length\":32768}",
                     c, NAMES[i], NAMES[i], i);
        m += sprintf(m, "%s{\"id\":\"%s\",\"object\":\"model\",\"created\":1764500000,\"owned_by\":\"library\"}", c,
                     NAMES[i]);
    }
    sprintf(t, "]}");
    sprintf(p, "]}");
    sprintf(m, "]}");
}
static void out(C *c, const char *s, int n) {
    if (c->outlen + n > c->outcap) {
        c->outcap = (c->outlen + n) * 2;
        c->out = realloc(c->out, c->outcap);
    }
    memcpy(c->out + c->outlen, s, n);
    c->outlen += n;
}
static void cl(C *c) {
    if (c->streaming) hremove(c->fd);
    epoll_ctl(ep, EPOLL_CTL_DEL, c->fd, 0);
    close(c->fd);
    c->streaming = 0;
    c->inlen = c->outlen = c->outoff = 0;
    c->want = 0;
    c->fd = -1;
}
static int flush_(C *c) {
    while (c->outoff < c->outlen) {
        int n = write(c->fd, c->out + c->outoff, c->outlen - c->outoff);
        if (n < 0) {
            if (errno == EAGAIN) {
                if (!c->want) {
                    struct epoll_event e = {.events = EPOLLIN | EPOLLOUT, .data.fd = c->fd};
                    epoll_ctl(ep, EPOLL_CTL_MOD, c->fd, &e);
                    c->want = 1;
                }
                return 0;
            }
            cl(c);
            return -1;
        }
        c->outoff += n;
    }
    c->outoff = c->outlen = 0;
    if (c->want) {
        struct epoll_event e = {.events = EPOLLIN, .data.fd = c->fd};
        epoll_ctl(ep, EPOLL_CTL_MOD, c->fd, &e);
        c->want = 0;
    }
    return 1;
}
static void json(C *c, const char *b, int n) {
    char h[200];
    int k =
        sprintf(h, "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: %d\r\n\r\n", n);
    out(c, h, k);
    out(c, b, n);
}
static void chunk(C *c, const char *b, int n) {
    char h[16];
    int k = sprintf(h, "%x\r\n", n);
    out(c, h, k);
    out(c, b, n);
    out(c, "\r\n", 2);
}
static void emit(C *c) { // one chunk
    int last = c->left == 1;
    const char *b;
    if (c->kind == 0) b = last ? NDCHATF : NDCHAT;
    else if (c->kind == 1) b = last ? NDGENF : NDGEN;
    else b = last ? SSEF : SSE;
    chunk(c, b, strlen(b));
    c->left--;
    if (c->left == 0) {
        if (c->kind == 2) chunk(c, "data: [DONE]\n\n", 14);
        out(c, "0\r\n\r\n", 5);
    }
}
static int process(C *c);
static int handle(C *c, char *path, char *body, int blen) {
    if (!strncmp(path, "/api/tags", 9)) {
        json(c, TAGS, strlen(TAGS));
        return 1;
    }
    if (!strncmp(path, "/api/ps", 7)) {
        json(c, PS, strlen(PS));
        return 1;
    }
    if (!strncmp(path, "/api/version", 12)) {
        json(c, VER, strlen(VER));
        return 1;
    }
    if (!strncmp(path, "/api/show", 9)) {
        json(c, SHOW, strlen(SHOW));
        return 1;
    }
    if (!strncmp(path, "/v1/models", 10)) {
        json(c, MODELS, strlen(MODELS));
        return 1;
    }
    if (!strncmp(path, "/v1/messages", 12)) {
        json(c, JMSG, strlen(JMSG));
        return 1;
    }
    int kind = -1;
    if (!strncmp(path, "/api/chat", 9)) kind = 0;
    else if (!strncmp(path, "/api/generate", 13)) kind = 1;
    else if (!strncmp(path, "/v1/chat/completions", 20) || !strncmp(path, "/chat/completions", 17)) kind = 2;
    if (kind < 0) {
        json(c, "{}", 2);
        return 1;
    }
    char sv = body[blen];
    body[blen] = 0;
    int stream = kind != 2;
    char *s = strstr(body, "\"stream\"");
    if (s) {
        s += 8;
        while (*s == ' ' || *s == ':') s++;
        stream = (*s == 't');
    }
    int N = 50;
    long us = 0;
    char *m = strstr(body, "-c");
    if (m && m[2] >= '0' && m[2] <= '9') {
        N = atoi(m + 2);
        char *d = strchr(m + 2, 'd');
        if (d) us = atol(d + 1);
    }
    body[blen] = sv;
    if (!stream) {
        const char *j = kind == 0 ? JCHAT : kind == 1 ? JGEN : JOAI;
        json(c, j, strlen(j));
        return 1;
    }
    char *h = kind == 2 ? "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                        : "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n";
    out(c, h, strlen(h));
    c->kind = kind;
    c->left = N;
    c->total = N;
    c->us = us;
    if (us == 0) {
        while (c->left) {
            emit(c);
            if (flush_(c) < 0) return -1;
        }
        return 1;
    }
    emit(c);
    if (flush_(c) < 0) return -1;
    if (c->left) {
        c->streaming = 1;
        c->due = now_us() + us;
        hpush(c->fd);
    }
    return 1;
}
static int process(C *c) {
    while (c->inlen > 0 && !c->streaming) {
        c->in[c->inlen] = 0;
        char *e = strstr(c->in, "\r\n\r\n");
        if (!e) return 0;
        int hl = e + 4 - c->in;
        int bl = 0;
        *e = 0;
        char *k = strcasestr(c->in, "\r\ncontent-length:");
        if (k) bl = atoi(k + 17);
        int ch = 0;
        if (strcasestr(c->in, "\r\ntransfer-encoding:")) ch = 1;
        if (strcasestr(c->in, "\r\nexpect:")) {
        }
        *e = '\r';
        int tot = hl + bl;
        char *body = c->in + hl;
        int blen = bl;
        if (ch) {
            char *z = strstr(c->in + hl, "0\r\n\r\n");
            if (!z) return 0;
            tot = z + 5 - c->in;
            blen = tot - hl;
        }
        if (c->inlen < tot) return 0;
        char *p = strchr(c->in, ' ');
        if (!p) return -1;
        p++;
        if (handle(c, p, body, blen) < 0) return -1;
        memmove(c->in, c->in + tot, c->inlen - tot);
        c->inlen -= tot;
    }
    return 0;
}
int main(int ac, char **av) {
    signal(SIGPIPE, SIG_IGN);
    int count = ac > 1 ? atoi(av[1]) : 1;
    ep = epoll_create1(0);
    inventory();
    snprintf(NDCHATF, 512,
             "{\"model\":\"llama3.2:3b\",\"created_at\":\"2026-11-30T12:00:00.000000Z\",\"message\":{\"role\":"
             "\"assistant\",\"content\":\"\"},%s}\n",
             STATS);
    snprintf(NDGENF, 512,
             "{\"model\":\"llama3.2:3b\",\"created_at\":\"2026-11-30T12:00:00.000000Z\",\"response\":\"\",%s}\n",
             STATS);
    snprintf(SSEF, 512,
             "data: "
             "{\"id\":\"chatcmpl-123\",\"object\":\"chat.completion.chunk\",\"created\":1764500000,\"model\":\"llama3."
             "2:3b\",\"system_fingerprint\":\"fp_ollama\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\","
             "\"content\":\"\"},\"finish_reason\":\"stop\"}]}\n\n");
    snprintf(JCHAT, 600,
             "{\"model\":\"llama3.2:3b\",\"created_at\":\"2026-11-30T12:00:00.000000Z\",\"message\":{\"role\":"
             "\"assistant\",\"content\":\"Hello! How can I help you today?\"},%s}",
             STATS);
    snprintf(JGEN, 600,
             "{\"model\":\"llama3.2:3b\",\"created_at\":\"2026-11-30T12:00:00.000000Z\",\"response\":\"Hello! How can "
             "I help you today?\",%s}",
             STATS);
    snprintf(JOAI, 800,
             "{\"id\":\"chatcmpl-123\",\"object\":\"chat.completion\",\"created\":1764500000,\"model\":\"llama3.2:3b\","
             "\"system_fingerprint\":\"fp_ollama\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
             "\"content\":\"Hello! How can I help you "
             "today?\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":9,\"total_"
             "tokens\":21}}");
    int one = 1, listeners = 0;
    static char isls[MAXFD];
    printf("ports");
    for (; listeners < count; listeners++) {
        int ls = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = 0};
        a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t al = sizeof a;
        if (ls < 0 || ls >= MAXFD || bind(ls, (void *)&a, sizeof a) || listen(ls, 4096) ||
            getsockname(ls, (void *)&a, &al)) {
            perror("listen");
            return 1;
        }
        isls[ls] = 1;
        struct epoll_event e = {.events = EPOLLIN, .data.fd = ls};
        epoll_ctl(ep, EPOLL_CTL_ADD, ls, &e);
        printf(" %d", ntohs(a.sin_port));
    }
    printf("\n");
    fflush(stdout);
    struct epoll_event ev[512];
    for (;;) {
        int to = -1;
        if (hn) {
            long d = cs[heap[0]].due - now_us();
            to = d <= 0 ? 0 : (d + 999) / 1000;
            if (d > 0 && d < 1000) to = 1;
        }
        int n = epoll_wait(ep, ev, 512, to);
        long t = now_us();
        while (hn && cs[heap[0]].due <= t + 100) {
            int f = hpop();
            C *c = &cs[f];
            c->streaming = 0;
            emit(c);
            int fl = c->left;
            if (flush_(c) < 0) continue;
            if (fl) {
                c->streaming = 1;
                c->due += c->us;
                hpush(f);
            } else if (process(c) < 0) cl(c);
            else if (c->fd >= 0 && flush_(c) < 0) continue;
        }
        for (int i = 0; i < n; i++) {
            int f = ev[i].data.fd;
            if (isls[f]) {
                for (int q = 0; q < 64; q++) {
                    int s = accept4(f, 0, 0, SOCK_NONBLOCK);
                    if (s < 0) break;
                    if (s >= MAXFD) {
                        close(s);
                        continue;
                    }
                    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, 4);
                    C *c = &cs[s];
                    c->fd = s;
                    if (!c->in) c->in = malloc(BUF);
                    c->inlen = c->outlen = c->outoff = c->streaming = c->want = 0;
                    struct epoll_event x = {.events = EPOLLIN, .data.fd = s};
                    epoll_ctl(ep, EPOLL_CTL_ADD, s, &x);
                }
                continue;
            }
            C *c = &cs[f];
            if (c->fd != f) continue;
            if (ev[i].events & EPOLLOUT) {
                if (flush_(c) < 0) continue;
            }
            if (ev[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
                int r = read(f, c->in + c->inlen, BUF - 1 - c->inlen);
                if (r <= 0) {
                    if (r < 0 && errno == EAGAIN) continue;
                    cl(c);
                    continue;
                }
                c->inlen += r;
                if (process(c) < 0) {
                    if (c->fd >= 0) cl(c);
                    continue;
                }
                if (c->fd >= 0 && c->outlen) flush_(c);
            }
        }
    }
}
