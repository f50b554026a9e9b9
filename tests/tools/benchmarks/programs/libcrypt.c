/* A probe that calls libcrypt and nothing else: cc -O2 libcrypt.c -lcrypt */
#include <crypt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char BCRYPT[] = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/* What stands behind a name: a number, or a string without its quotes. */
static const char *field(const char *line, const char *name, char *into, size_t size) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", name);
    const char *from = strstr(line, quoted);
    size_t length = 0;
    if (from) {
        from += strlen(quoted);
        from += *from == '"';
        length = strcspn(from, "\",}");
    }
    if (length >= size) length = size - 1;
    if (from) memcpy(into, from, length);
    into[length] = 0;
    return into;
}

static size_t bytes(const char *hexadecimal, char *into, size_t size) {
    size_t length = 0;
    for (unsigned one; length < size - 1 && sscanf(hexadecimal + 2 * length, "%2x", &one) == 1; )
        into[length++] = (char)one;
    into[length] = 0;
    return length;
}

static double now(clockid_t clock) {
    struct timespec read;
    clock_gettime(clock, &read);
    return (double)read.tv_sec + (double)read.tv_nsec / 1e9;
}

int main(void) {
    static char line[8192], text[4096], hasher[64], password[512], salt[512], setting[1024];
    static struct crypt_data data;
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("{\"hashcost\":1,\"runtime\":\"C\",\"pid\":%d,\"clock\":\"thread\"}\n", (int)getpid());
    while (fgets(line, sizeof line, stdin)) {
        long id = atol(field(line, "id", text, sizeof text));
        if (strstr(line, "\"bye\"")) return 0;
        field(line, "hasher", hasher, sizeof hasher);
        bytes(field(line, "password", text, sizeof text), password, sizeof password);
        size_t length = bytes(field(line, "salt", text, sizeof text), salt, sizeof salt);
        if (!strcmp(hasher, "bcrypt")) {
            char *end = setting + sprintf(setting, "$2b$%02ld$", atol(field(line, "cost", text, 9)));
            unsigned bits = 0, count = 0;
            for (size_t i = 0; i < length; i++) {
                bits = bits << 8 | (unsigned char)salt[i];
                for (count += 8; count >= 6; count -= 6)
                    *end++ = BCRYPT[bits >> (count - 6) & 63];
            }
            if (count) *end++ = BCRYPT[bits << (6 - count) & 63];
            *end = 0;
        } else {
            sprintf(setting, "$6$rounds=%ld$%s$", atol(field(line, "rounds", text, 19)), salt);
        }
        double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
        const char *output = crypt_r(password, setting, &data);
        cpu = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
        wall = now(CLOCK_MONOTONIC) - wall;
        printf("{\"id\":%ld,\"cpu\":%.9f,\"wall\":%.9f,\"output\":\"", id, cpu, wall);
        for (; output && *output; output++) printf("%02x", (unsigned char)*output);
        printf("\"}\n");
    }
    return 0;
}
