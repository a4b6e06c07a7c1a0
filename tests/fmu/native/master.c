/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A co-simulation master that knows no Python: drives OSMP sensors with traces of framed messages.
 *
 *   master KEY=VALUE ... [-- KEY=VALUE ...] ...
 *
 * Each group of keys is an FMU; what a later one does not name is as in the group before. They run
 * one after the other, each loaded and unloaded, or with "parallel=1" in a thread each.
 *
 *   fmi, library, resources, token, name, logging   the FMU and its instance
 *   trace, out                                      messages in; answers out, framed
 *   view, data, request, config, valid              value references, of a message its first
 *   string, text    a parameter that is set before initialization, which is then without handshake
 *   mode            "run" gives the messages of the trace; "cycles" makes and frees an instance for
 *                   each step; any other gives the first, then three times a bad input (null,
 *                   no-address, negative, random, cut), then the last
 *   steps           how many, if not as many as messages
 *   memory          file for lines "step kilobytes"
 *   reopen=1        the library is closed and opened again below each new instance
 *   handler=1       SIGINT has an action, after which a run ends as planned
 *   numbers=1       the floating point unit rounds upwards and raises signals
 *
 * stdout has one character per step: is `valid` 1 or 0; E: the input was refused. A "-" says that
 * the sensor refuses to be initialized, an "x" that there is no instance.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "master.h"

#define STEP_S 0.1
#define MOST_MESSAGES 1000
#define MOST_UNITS 10
#define MOST_SIGNALS 64
#define STEPS_PER_MEMORY 100
#define CALL(call) check((call), #call)

static struct sigaction actions[MOST_SIGNALS];
static volatile sig_atomic_t is_interrupted;
static int is_parallel, has_handler, has_numbers, reopens;

void fail(const char *what, const char *why)
{
    fprintf(stderr, "master: %s: %s\n", what, why);
    exit(3);
}

void *find(const Unit *unit, const char *name)
{
    void *found = dlsym(unit->library, name);
    if (!found) fail(name, dlerror());
    return found;
}

/* What the process does on signals is its own affair, before and after every call. */
static void check_signals(const char *call)
{
    struct sigaction now;
    for (int number = 1; number < MOST_SIGNALS; number++) {
        memset(&now, 0, sizeof now);
        if (sigaction(number, NULL, &now)) continue;
        if (now.sa_handler != actions[number].sa_handler) fail(call, strsignal(number));
    }
}

static void check(int status, const char *call)
{
    if (status) fail(call, "status is not OK");
    if (!is_parallel) check_signals(call);
}

static void note(int number)
{
    (void)number;
    is_interrupted = 1;
}

static int read_trace(const char *path, Message *messages)
{
    int n = 0;
    uint32_t size;
    FILE *file = fopen(path, "rb");
    if (!file) fail(path, "cannot be read");
    for (; n < MOST_MESSAGES && fread(&size, sizeof size, 1, file) == 1; n++) {
        char *data = malloc(size);
        if (!data || fread(data, 1, size, file) != size) fail(path, "is cut");
        messages[n] = (Message){size, data};
    }
    fclose(file);
    if (!n) fail(path, "has no message");
    return n;
}

/* Grant what the sensor asks for; it has to echo that after initialization. */
static Message grant(Unit *unit)
{
    Message asked;
    CALL(unit->face->get(unit, unit->request, &asked));
    if (!asked.data || !asked.size) fail("handshake", "nothing is requested");
    char *copy = malloc(asked.size);
    if (!copy) fail("handshake", "no memory");
    memcpy(copy, asked.data, asked.size);
    CALL(unit->face->put(unit, unit->config, copy, (long long)asked.size));
    return (Message){asked.size, copy};
}

static void expect_echo(Unit *unit, Message granted)
{
    Message echo;
    CALL(unit->face->get(unit, unit->request, &echo));
    if (echo.size != granted.size || memcmp(echo.data, granted.data, echo.size))
        fail("handshake", "the request does not echo what was granted");
}

/* Tells whether the instance is initialized; 0: it refuses. */
static int initialize(Unit *unit)
{
    const Face *face = unit->face;
    if (unit->text) {
        CALL(face->set_string(unit, unit->string, unit->text));
        const int is_refused = face->enter(unit) > 1 || face->leave(unit) > 1;
        check(0, "refused initialization");
        return !is_refused;
    }
    CALL(face->enter(unit));
    const Message granted = grant(unit);
    CALL(face->leave(unit));
    expect_echo(unit, granted);
    free((char *)granted.data);
    return 1;
}

static int put_bad(Unit *unit, Message good)
{
    static char random[4096];
    const char *mode = unit->mode;
    uint32_t state = 1;
    for (size_t i = 0; i < sizeof random; i++)
        random[i] = (char)((state = state * 1664525u + 1013904223u) >> 24);
    if (!strcmp(mode, "null")) return unit->face->put(unit, unit->view, NULL, 0);
    if (!strcmp(mode, "no-address")) return unit->face->put(unit, unit->view, NULL, 1000);
    if (!strcmp(mode, "negative")) return unit->face->put(unit, unit->view, good.data, -5);
    if (!strcmp(mode, "random"))
        return unit->face->put(unit, unit->view, random, (long long)sizeof random);
    if (!strcmp(mode, "cut"))
        return unit->face->put(unit, unit->view, good.data, (long long)good.size - 3);
    fail(mode, "no such mode");
    return 0;
}

static void tell(char letter)
{
    if (is_parallel) return;
    putchar(letter);
    fflush(stdout);
}

static void write_memory(const Unit *unit, int index, const char *mode)
{
    if (!unit->memory) return;
    long pages = 0, all;
    FILE *state = fopen("/proc/self/statm", "r"), *file = fopen(unit->memory, mode);
    if (!state || !file || fscanf(state, "%ld %ld", &all, &pages) != 2) fail(unit->memory, "is lost");
    fprintf(file, "%d %ld\n", index, pages * (sysconf(_SC_PAGESIZE) / 1024));
    fclose(state);
    fclose(file);
}

static void answer(Unit *unit, int index, FILE *out)
{
    int is_valid = 0;
    Message message;
    CALL(unit->face->step(unit, index * STEP_S, STEP_S));
    CALL(unit->face->get_boolean(unit, unit->valid, &is_valid));
    CALL(unit->face->get(unit, unit->data, &message));
    tell(is_valid ? '1' : '0');
    const uint32_t size = (uint32_t)message.size;
    if (!out) return;
    fwrite(&size, sizeof size, 1, out);
    if (size) fwrite(message.data, 1, size, out);
}

static void step_through(Unit *unit, const Message *messages, int n_messages, FILE *out)
{
    const int is_run = !strcmp(unit->mode, "run");
    const int n_steps = unit->n_steps ? unit->n_steps : is_run ? n_messages : 5;
    for (int i = 0; i < n_steps && !is_interrupted; i++) {
        const int is_bad = !is_run && i && i < n_steps - 1;
        const Message next = messages[is_run ? i % n_messages : i ? n_messages - 1 : 0];
        if (is_bad && put_bad(unit, next)) {
            tell('E');
            continue;
        }
        if (!is_bad) CALL(unit->face->put(unit, unit->view, next.data, (long long)next.size));
        answer(unit, i, out);
        if (i % STEPS_PER_MEMORY == 0) write_memory(unit, i, i ? "a" : "w");
    }
}

static void open_library(Unit *unit)
{
    unit->library = dlopen(unit->path, RTLD_NOW | RTLD_LOCAL);
    if (!unit->library) fail(unit->path, dlerror());
}

static int make(Unit *unit)
{
    unit->instance = unit->face->instantiate(unit);
    check(0, "instantiate");
    if (reopens) {
        dlclose(unit->library);
        open_library(unit);
    }
    if (!unit->instance) tell('x');
    return unit->instance != NULL;
}

static void end(Unit *unit)
{
    CALL(unit->face->terminate(unit));
    unit->face->free(unit);
    check(0, "free");
}

static void run_cycles(Unit *unit, const Message *messages)
{
    for (int i = 0; i < unit->n_steps; i++) {
        if (!make(unit)) return;
        if (initialize(unit)) {
            CALL(unit->face->put(unit, unit->view, messages[0].data, (long long)messages[0].size));
            answer(unit, i, NULL);
        }
        end(unit);
        write_memory(unit, i, i ? "a" : "w");
    }
}

static void *run(void *pointer)
{
    Unit *unit = pointer;
    Message *messages = calloc(MOST_MESSAGES, sizeof *messages);
    const int n_messages = read_trace(unit->trace, messages);
    FILE *out = fopen(unit->out, "wb");
    if (!out) fail(unit->out, "cannot be written");
    open_library(unit);
    if (!strcmp(unit->mode, "cycles")) {
        run_cycles(unit, messages);
    } else if (make(unit)) {
        if (initialize(unit)) {
            step_through(unit, messages, n_messages, out);
            end(unit);
        } else {
            tell('-');
            unit->face->free(unit);
        }
    }
    for (int i = 0; i < n_messages; i++) free((char *)messages[i].data);
    free(messages);
    fclose(out);
    dlclose(unit->library);
    return NULL;
}

static void take(Unit *unit, const char *word)
{
    const char *value = strchr(word, '=');
    if (!value++) fail(word, "see the head of master.c");
#define IS(key) (!strncmp(word, key "=", sizeof key))
#define TEXT(key, field) if (IS(key)) { unit->field = value; return; }
#define NUMBER(key, field) if (IS(key)) { field = (__typeof__(field))strtoul(value, NULL, 10); return; }
    TEXT("library", path) TEXT("resources", resources) TEXT("token", token) TEXT("name", name)
    TEXT("trace", trace) TEXT("out", out) TEXT("mode", mode) TEXT("text", text)
    TEXT("memory", memory)
    NUMBER("fmi", unit->fmi) NUMBER("logging", unit->is_logging) NUMBER("steps", unit->n_steps)
    NUMBER("view", unit->view) NUMBER("data", unit->data) NUMBER("request", unit->request)
    NUMBER("config", unit->config) NUMBER("valid", unit->valid) NUMBER("string", unit->string)
    NUMBER("parallel", is_parallel) NUMBER("handler", has_handler) NUMBER("numbers", has_numbers)
    NUMBER("reopen", reopens)
    fail(word, "see the head of master.c");
}

static void prepare(void)
{
    signal(SIGINT, has_handler ? note : SIG_DFL); /* a job in the background ignores it */
    for (int number = 1; number < MOST_SIGNALS; number++) sigaction(number, NULL, &actions[number]);
    if (!has_numbers) return;
    fesetround(FE_UPWARD);
#ifdef __GLIBC__
    feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
#endif
}

int main(int argc, char **argv)
{
    Unit units[MOST_UNITS] = {{.name = "lidar", .mode = "run", .fmi = 2, .is_logging = 1}};
    pthread_t threads[MOST_UNITS];
    int n = 1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--")) {
            take(&units[n - 1], argv[i]);
        } else {
            if (n == MOST_UNITS) fail("--", "too many FMUs");
            units[n] = units[n - 1];
            n++;
        }
    }
    for (int i = 0; i < n; i++) units[i].face = units[i].fmi == 3 ? &face3 : &face2;
    prepare();
    for (int i = 0; i < n; i++) {
        if (!is_parallel) run(&units[i]);
        else if (pthread_create(&threads[i], NULL, run, &units[i])) fail("thread", "not started");
    }
    for (int i = 0; is_parallel && i < n; i++) pthread_join(threads[i], NULL);
    check_signals("all");
    return is_interrupted ? 4 : 0;
}
