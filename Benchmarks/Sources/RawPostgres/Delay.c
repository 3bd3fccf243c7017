#include "RawPostgres.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

typedef struct {
    int from, to, microseconds;
} direction;

typedef struct {
    int listener, port, microseconds;
} listening;

static void send_at_once(int socket) {
    int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

static struct sockaddr_in loopback(int port) {
    struct sockaddr_in address = {0};
    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t)port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

// Hands on what comes at once, so late. A stream is slowed no further than by its first piece: what came meanwhile goes with
// the next, which is read whole.
static void *hand_on(void *context) {
    direction way = *(direction *)context;
    free(context);
#ifdef __linux__
    // To sleep as long as it was asked for, and not up to 50 microseconds longer.
    prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0);
#endif
    const size_t size = 1 << 18;
    char *bytes = malloc(size);
    if (!bytes) abort();
    ssize_t count;
    while ((count = read(way.from, bytes, size)) > 0) {
        struct timespec pause = {0, way.microseconds * 1000L};
        nanosleep(&pause, NULL);
        for (ssize_t sent = 0, more; sent < count; sent += more) {
            more = write(way.to, bytes + sent, (size_t)(count - sent));
            if (more <= 0) goto end;
        }
    }
end:
    free(bytes);
    shutdown(way.to, SHUT_WR);
    shutdown(way.from, SHUT_RD);
    return NULL;
}

static void start(void *(*work)(void *), void *context) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, context) == 0) pthread_detach(thread);
}

static void hand_on_later(int from, int to, int microseconds) {
    direction *way = malloc(sizeof *way);
    if (!way) abort();
    *way = (direction){from, to, microseconds};
    start(hand_on, way);
}

static void *accept_all(void *context) {
    listening work = *(listening *)context;
    free(context);
    int client;
    while ((client = accept(work.listener, NULL, NULL)) >= 0) {
        int server = socket(AF_INET, SOCK_STREAM, 0);
        struct sockaddr_in address = loopback(work.port);
        if (connect(server, (struct sockaddr *)&address, sizeof address) != 0) {
            close(client);
            close(server);
            continue;
        }
        send_at_once(client);
        send_at_once(server);
        hand_on_later(client, server, work.microseconds);
        hand_on_later(server, client, work.microseconds);
    }
    return NULL;
}

int raw_postgres_delay(int port, int microseconds) {
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = loopback(0);
    socklen_t length = sizeof address;
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 16) != 0
        || getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        return -1;
    listening *work = malloc(sizeof *work);
    if (!work) abort();
    *work = (listening){listener, port, microseconds};
    start(accept_all, work);
    return ntohs(address.sin_port);
}
