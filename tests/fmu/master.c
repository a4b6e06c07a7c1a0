/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A co-simulation master that knows no Python: drives an OSMP sensor with a trace of framed messages.
 *
 *   master LIBRARY RESOURCES GUID TRACE OUT MODE VIEW DATA REQUEST CONFIG VALID [STRING VALUE]
 *
 * VIEW to STRING are value references: of a message its base.lo, which base.hi and size follow.
 * STRING is a parameter that is set before initialization, without a handshake; stdout is "-" if
 * the sensor refuses to be initialized so.
 * MODE "run" gives every message of the trace. Any other mode gives the first message, then three
 * times a bad input (null, no-address, negative, random, cut), then the last message.
 * OUT gets every answer, framed; stdout one character per step: is `valid` 1 or 0.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2FunctionTypes.h"

#define STEP_S 0.1
#define MOST_MESSAGES 1000
#define CALL(call) check((call), #call)

typedef struct {
    uint32_t size;
    char *data;
} Message;

static fmi2Component component;
static fmi2SetIntegerTYPE *set_integer;
static fmi2GetIntegerTYPE *get_integer;
static fmi2GetBooleanTYPE *get_boolean;

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "master: %s: %s\n", what, why);
    exit(3);
}

static void check(fmi2Status status, const char *call)
{
    if (status != fmi2OK) fail(call, "status is not fmi2OK");
}

static void *function(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found) fail(name, dlerror());
    return found;
}

/* As masters do: the text is the format. */
static void logger(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status,
                   fmi2String category, fmi2String text, ...)
{
    va_list arguments;
    (void)environment;
    fprintf(stderr, "%s %d %s: ", instance, (int)status, category);
    va_start(arguments, text);
    vfprintf(stderr, text, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

static int read_trace(const char *path, Message *messages)
{
    int n = 0;
    FILE *file = fopen(path, "rb");
    if (!file) fail(path, "cannot be read");
    for (; n < MOST_MESSAGES && fread(&messages[n].size, 4, 1, file) == 1; n++) {
        messages[n].data = malloc(messages[n].size);
        if (!messages[n].data || fread(messages[n].data, 1, messages[n].size, file) != messages[n].size)
            fail(path, "is cut");
    }
    fclose(file);
    if (!n) fail(path, "has no message");
    return n;
}

static void put(fmi2ValueReference first, const void *data, int32_t size)
{
    const fmi2ValueReference references[] = {first, first + 1, first + 2};
    const uint64_t address = (uintptr_t)data;
    const fmi2Integer parts[] = {(fmi2Integer)(address & 0xffffffffu), (fmi2Integer)(address >> 32),
                                 size};
    CALL(set_integer(component, references, 3, parts));
}

static Message get(fmi2ValueReference first)
{
    const fmi2ValueReference references[] = {first, first + 1, first + 2};
    fmi2Integer parts[3];
    CALL(get_integer(component, references, 3, parts));
    const uint64_t address = (uint64_t)(uint32_t)parts[1] << 32 | (uint32_t)parts[0];
    return (Message){(uint32_t)parts[2], (char *)(uintptr_t)address};
}

/* Grant what the sensor asks for; it has to echo that after initialization. */
static Message grant(fmi2ValueReference request, fmi2ValueReference config)
{
    const Message asked = get(request);
    if (!asked.data || !asked.size) fail("handshake", "nothing is requested");
    Message granted = {asked.size, malloc(asked.size)};
    memcpy(granted.data, asked.data, asked.size);
    put(config, granted.data, (int32_t)granted.size);
    return granted;
}

static void put_bad(fmi2ValueReference view, const char *mode, const Message *good)
{
    static char random[4096];
    uint32_t state = 1;
    for (size_t i = 0; i < sizeof random; i++) random[i] = (char)((state = state * 1664525u + 1013904223u) >> 24);
    if (!strcmp(mode, "null")) put(view, NULL, 0);
    else if (!strcmp(mode, "no-address")) put(view, NULL, 1000);
    else if (!strcmp(mode, "negative")) put(view, good->data, -5);
    else if (!strcmp(mode, "random")) put(view, random, (int32_t)sizeof random);
    else if (!strcmp(mode, "cut")) put(view, good->data, (int32_t)good->size - 3);
    else fail(mode, "no such mode");
}

int main(int argc, char **argv)
{
    static Message messages[MOST_MESSAGES];
    if (argc != 12 && argc != 14) fail("arguments", "see the head of master.c");
    const int has_string = argc == 14;
    const char *mode = argv[6];
    fmi2ValueReference reference[5];
    for (int i = 0; i < 5; i++) reference[i] = (fmi2ValueReference)strtoul(argv[7 + i], NULL, 10);
    const fmi2ValueReference view = reference[0], data = reference[1], valid = reference[4];
    const int n_messages = read_trace(argv[4], messages);
    FILE *out = fopen(argv[5], "wb");
    if (!out) fail(argv[5], "cannot be written");

    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) fail(argv[1], dlerror());
    fmi2InstantiateTYPE *instantiate = function(library, "fmi2Instantiate");
    fmi2SetupExperimentTYPE *setup = function(library, "fmi2SetupExperiment");
    fmi2EnterInitializationModeTYPE *enter = function(library, "fmi2EnterInitializationMode");
    fmi2ExitInitializationModeTYPE *leave = function(library, "fmi2ExitInitializationMode");
    fmi2DoStepTYPE *do_step = function(library, "fmi2DoStep");
    fmi2TerminateTYPE *terminate = function(library, "fmi2Terminate");
    fmi2FreeInstanceTYPE *free_instance = function(library, "fmi2FreeInstance");
    set_integer = function(library, "fmi2SetInteger");
    get_integer = function(library, "fmi2GetInteger");
    get_boolean = function(library, "fmi2GetBoolean");

    const fmi2CallbackFunctions callbacks = {logger, calloc, free, NULL, NULL};
    component = instantiate("lidar", fmi2CoSimulation, argv[3], argv[2], &callbacks, fmi2False, fmi2True);
    if (!component) fail("fmi2Instantiate", "no instance");
    CALL(setup(component, fmi2False, 0.0, 0.0, fmi2False, 0.0));
    Message granted = {0, NULL};
    if (has_string) {
        fmi2SetStringTYPE *set_string = function(library, "fmi2SetString");
        const fmi2ValueReference parameter = (fmi2ValueReference)strtoul(argv[12], NULL, 10);
        const fmi2String value = argv[13];
        CALL(set_string(component, &parameter, 1, &value));
        if (enter(component) > fmi2Warning || leave(component) > fmi2Warning) {
            putchar('-');
            free_instance(component);
            fclose(out);
            return 0;
        }
    } else {
        CALL(enter(component));
        granted = grant(reference[2], reference[3]);
        CALL(leave(component));
        const Message echo = get(reference[2]);
        if (echo.size != granted.size || memcmp(echo.data, granted.data, echo.size))
            fail("handshake", "the request does not echo what was granted");
    }

    const int is_run = !strcmp(mode, "run");
    const int n_steps = is_run ? n_messages : 5;
    for (int i = 0; i < n_steps; i++) {
        const Message *next = &messages[is_run ? i : i ? n_messages - 1 : 0];
        if (is_run || i == 0 || i == n_steps - 1) put(view, next->data, (int32_t)next->size);
        else put_bad(view, mode, next);
        CALL(do_step(component, i * STEP_S, STEP_S, fmi2True));
        fmi2Boolean is_valid;
        CALL(get_boolean(component, &valid, 1, &is_valid));
        putchar(is_valid ? '1' : '0');
        const Message answer = get(data);
        fwrite(&answer.size, 4, 1, out);
        if (answer.size) fwrite(answer.data, 1, answer.size, out);
    }
    CALL(terminate(component));
    free_instance(component);
    for (int i = 0; i < n_messages; i++) free(messages[i].data);
    free(granted.data);
    fclose(out);
    dlclose(library);
    return 0;
}
