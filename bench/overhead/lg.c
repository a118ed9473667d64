// Closed-loop load client. lg -p port -u path -c conns -d secs -w warm [-b body or file] [-n maxreq] [-H header]... [-P
// pid,pid] Counts what ends inside the window (warm, warm + secs). With -P it reads those processes' CPU clocks
// (nanoseconds, all threads) at the two edges of the same window, so CPU per request needs no second watch.
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
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
static long now_us() {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000L + t.tv_nsec / 1000;
}
typedef struct {
    int fd, state;
    char h[65536];
    int hl;
    long t0, tf;
    int cl, chunked, close;
    long got;
    long chunkleft;
    int cst;
    int status;
    long lines;
    int nreq;
    char cbuf[32];
    int cbl;
    char last[8];
    int active;
} C;
static int ep;
static struct sockaddr_in A;
static char *req;
static int reqlen;
static long tstart, twarm, tend;
static long wl, N, err, lines, reads, bytes, non2xx;
static double *lt, *ft;
static long cap;
static long maxreq;
static long started;
static int pids[256], npid;
static double cpu0, cpu1;
static long s0, s1;
static double cpus() {
    double t = 0;
    for (int i = 0; i < npid; i++) {
        struct timespec ts;
        clockid_t c = ((~(clockid_t)pids[i]) << 3) | 2;
        if (!clock_gettime(c, &ts)) t += ts.tv_sec + ts.tv_nsec / 1e9;
    }
    return t;
}
static void addsample(C *c, long t) {
    if (t < twarm || t > tend) return;
    if (c->status / 100 != 2) {
        non2xx++;
        return;
    }
    if (N >= cap) {
        cap *= 2;
        lt = realloc(lt, cap * 8);
        ft = realloc(ft, cap * 8);
    }
    lt[N] = t - c->t0;
    ft[N] = c->tf - c->t0;
    N++;
    lines += c->lines;
}
static void start(C *c);
static void conn(C *c) {
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    int one = 1;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, 4);
    int r = connect(c->fd, (void *)&A, sizeof A);
    if (r < 0 && errno != EINPROGRESS) {
        perror("connect");
        exit(1);
    }
    struct epoll_event e = {.events = EPOLLOUT, .data.ptr = c};
    epoll_ctl(ep, EPOLL_CTL_ADD, c->fd, &e);
    c->state = 0;
    c->nreq = 0;
}
static void re(C *c) {
    close(c->fd);
    conn(c);
}
static void start(C *c) {
    if (maxreq && started >= maxreq) {
        c->active = 0;
        return;
    }
    started++;
    c->t0 = now_us();
    c->tf = 0;
    c->hl = 0;
    c->state = 1;
    c->cl = -1;
    c->chunked = 0;
    c->close = 0;
    c->got = 0;
    c->chunkleft = 0;
    c->cst = 0;
    c->lines = 0;
    c->cbl = 0;
    c->status = 0;
    int n = write(c->fd, req, reqlen);
    if (n != reqlen) {
        err++;
        re(c);
    }
    c->nreq++;
}
static void done(C *c) {
    long t = now_us();
    addsample(c, t);
    if (t < tend) {
        if (c->close) re(c);
        else start(c);
    } else c->active = 0;
}
static void body(C *c, const char *p, int n) {
    c->got += n;
    long tn = now_us();
    int inw = tn >= twarm && tn <= tend;
    if (n > 0 && !c->tf) c->tf = tn;
    const char *q = p, *e = p + n;
    while ((q = memchr(q, '\n', e - q))) {
        c->lines++;
        q++;
        wl += inw;
    }
}
static int feed(C *c, const char *p, int n) { // returns 1 if done
    if (c->chunked) {
        while (n > 0) {
            if (c->cst == 0) { // size line
                char ch = *p++;
                n--;
                if (ch == '\n') {
                    c->cbuf[c->cbl] = 0;
                    c->chunkleft = strtol(c->cbuf, 0, 16);
                    c->cbl = 0;
                    c->cst = c->chunkleft ? 1 : 3;
                } else if (c->cbl < 30) c->cbuf[c->cbl++] = ch;
            } else if (c->cst == 1) {
                int k = n < c->chunkleft ? n : c->chunkleft;
                body(c, p, k);
                p += k;
                n -= k;
                c->chunkleft -= k;
                if (!c->chunkleft) c->cst = 2;
            } else if (c->cst == 2) {
                char ch = *p++;
                n--;
                if (ch == '\n') c->cst = 0;
            } else {
                char ch = *p++;
                n--;
                if (ch == '\n') {
                    if (c->cbl == 0) return 1;
                    c->cbl = 0;
                } else if (ch != '\r') c->cbl++;
            }
        }
        return 0;
    }
    body(c, p, n);
    return c->cl >= 0 && c->got >= c->cl;
}
static int cmp(const void *a, const void *b) {
    double x = *(double *)a, y = *(double *)b;
    return x < y ? -1 : x > y;
}
static double pc(double *v, long n, double p) {
    if (!n) return 0;
    long i = p * n;
    if (i >= n) i = n - 1;
    return v[i];
}
int main(int ac, char **av) {
    signal(SIGPIPE, SIG_IGN);
    int port = 0, conns = 1;
    double d = 3, w = 0.5;
    char *path = "/", *bf = 0;
    char hdrs[4096] = "";
    int o;
    int noka = 0;
    while ((o = getopt(ac, av, "p:u:c:d:w:b:n:H:kP:")) > 0) {
        if (o == 'p') port = atoi(optarg);
        if (o == 'u') path = optarg;
        if (o == 'c') conns = atoi(optarg);
        if (o == 'd') d = atof(optarg);
        if (o == 'w') w = atof(optarg);
        if (o == 'b') bf = optarg;
        if (o == 'n') maxreq = atol(optarg);
        if (o == 'k') noka = 1;
        if (o == 'P') {
            for (char *q = strtok(optarg, ","); q && npid < 256; q = strtok(0, ",")) pids[npid++] = atoi(q);
        }
        if (o == 'H') {
            strcat(hdrs, optarg);
            strcat(hdrs, "\r\n");
        }
    }
    char b[65536];
    int bl = 0;
    if (bf) {
        FILE *f = fopen(bf, "r");
        if (f) {
            bl = fread(b, 1, sizeof b, f);
            fclose(f);
        } else {
            bl = strlen(bf);
            memcpy(b, bf, bl);
        }
    }
    req = malloc(200000);
    if (bf)
        reqlen = sprintf(req,
                         "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%sContent-Type: application/json\r\nUser-Agent: "
                         "lg/1\r\nAccept: */*\r\nContent-Length: %d\r\n\r\n",
                         path, port, hdrs, bl);
    else
        reqlen = sprintf(req, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%sUser-Agent: lg/1\r\nAccept: */*\r\n\r\n",
                         path, port, hdrs);
    memcpy(req + reqlen, b, bl);
    reqlen += bl;
    A.sin_family = AF_INET;
    A.sin_port = htons(port);
    A.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ep = epoll_create1(0);
    cap = 1 << 16;
    lt = malloc(cap * 8);
    ft = malloc(cap * 8);
    C *cs = calloc(conns, sizeof(C));
    tstart = now_us();
    twarm = tstart + w * 1e6;
    tend = twarm + d * 1e6;
    for (int i = 0; i < conns; i++) {
        cs[i].active = 1;
        conn(&cs[i]);
    }
    struct epoll_event ev[256];
    static char buf[262144];
    long hard = tend + 5000000;
    for (;;) {
        int act = 0;
        long tl = now_us();
        if (!s0 && tl >= twarm) {
            cpu0 = cpus();
            s0 = tl;
        }
        if (tl > tend) {
            for (int i = 0; i < conns; i++) act += cs[i].active;
            if (!act || now_us() > hard || 1) break;
        }
        if (maxreq && started >= maxreq) {
            act = 0;
            for (int i = 0; i < conns; i++) act += cs[i].active;
            if (!act) break;
        }
        long edge = (s0 ? tend : twarm) - now_us();
        int to = edge <= 0 ? 0 : edge / 1000 + 1;
        int n = epoll_wait(ep, ev, 256, to > 50 ? 50 : to);
        for (int i = 0; i < n; i++) {
            C *c = ev[i].data.ptr;
            if (c->state == 0) {
                int se = 0;
                socklen_t sl = 4;
                getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &se, &sl);
                if (se) {
                    err++;
                    if (err > 1000) {
                        fprintf(stderr, "too many connect errors\n");
                        exit(1);
                    }
                    re(c);
                    continue;
                }
                struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};
                epoll_ctl(ep, EPOLL_CTL_MOD, c->fd, &e);
                start(c);
                continue;
            }
            int r = read(c->fd, buf, sizeof buf);
            if (r < 0 && errno == EAGAIN) continue;
            if (r <= 0) {
                if (c->state == 2 && c->cl < 0 && !c->chunked) {
                    c->close = 1;
                    done(c);
                } else {
                    if (c->nreq > 0 && c->hl == 0 && c->state == 1 && c->nreq > 1) {
                        started--;
                    } else err++;
                    re(c);
                }
                continue;
            }
            reads++;
            bytes += r;
            char *p = buf;
            int m = r;
            if (c->state == 1) {
                if (c->hl + m > 65000) {
                    err++;
                    re(c);
                    continue;
                }
                memcpy(c->h + c->hl, p, m);
                c->hl += m;
                c->h[c->hl] = 0;
                char *e = strstr(c->h, "\r\n\r\n");
                if (!e) continue;
                int hl = e + 4 - c->h;
                *e = 0;
                c->status = atoi(c->h + 9);
                if (c->status == 100) {
                    memmove(c->h, c->h + hl, c->hl - hl);
                    c->hl -= hl;
                    continue;
                }
                char *k = strcasestr(c->h, "\r\ncontent-length:");
                if (k) c->cl = atoi(k + 17);
                if (strcasestr(c->h, "\r\ntransfer-encoding: chunked")) c->chunked = 1;
                if (strcasestr(c->h, "\r\nconnection: close")) c->close = 1;
                p = c->h + hl;
                m = c->hl - hl;
                c->state = 2;
                if (c->cl == 0 && !c->chunked) {
                    c->tf = now_us();
                    done(c);
                    continue;
                }
                if (m == 0) continue;
            }
            if (feed(c, p, m)) {
                done(c);
            }
        }
    }
    cpu1 = cpus();
    s1 = now_us();
    struct rusage ru;
    getrusage(RUSAGE_SELF, &ru);
    double cpu = ru.ru_utime.tv_sec + ru.ru_utime.tv_usec / 1e6 + ru.ru_stime.tv_sec + ru.ru_stime.tv_usec / 1e6;
    long lastt = now_us();
    double el = (maxreq ? (lastt - twarm) : d * 1e6) / 1e6;
    qsort(lt, N, 8, cmp);
    qsort(ft, N, 8, cmp);
    double s = 0;
    for (long i = 0; i < N; i++) s += lt[i];
    printf("{\"n\":%ld,\"total\":%ld,\"rps\":%.1f,\"p50\":%.0f,\"p90\":%.0f,\"p99\":%.0f,\"mean\":%.1f,\"ttfb50\":%.0f,"
           "\"ttfb99\":%.0f,\"lps\":%.0f,\"linesper\":%.1f,\"reads\":%ld,\"bytes\":%ld,\"err\":%ld,\"non2xx\":%ld,"
           "\"lgcpu\":%.2f,\"cpu_s\":%.6f,\"window_s\":%.6f}\n",
           N, started, N / el, pc(lt, N, .5), pc(lt, N, .9), pc(lt, N, .99), N ? s / N : 0, pc(ft, N, .5),
           pc(ft, N, .99), wl / el, N ? (double)lines / N : 0, reads, bytes, err, non2xx, cpu, cpu1 - cpu0,
           (s1 - s0) / 1e6);
    return 0;
}
