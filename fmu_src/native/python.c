/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "python.h"
#include "system.h"

#define LIBRARY_VARIABLE "OSI_LIDAR_FMU_LIBPYTHON"
#define PROGRAM_VARIABLE "OSI_LIDAR_FMU_PYTHON"
#define MOST_LETTERS 4096

static Python python;
static void *home; /* of Python's functions; NULL: what the process has loaded for all */
static _Atomic int is_found, is_interrupted;

static int find_functions(void *library)
{
    int n_missing = 0;
#define FIND(Result, name, parameters) \
    python.name = (Result(*) parameters)system_find(library, #name); \
    n_missing += !python.name;
    PYTHON_FUNCTIONS(FIND)
#undef FIND
    return !n_missing;
}

/* Gives the next line "key=value" of a record as a value to be freed, and moves on. */
static char *next_value(const char **record, const char *key)
{
    const size_t size = strlen(key);
    while (**record) {
        const char *line = *record;
        const size_t length = strcspn(line, "\r\n");
        *record += length + strspn(line + length, "\r\n");
        if (length <= size || strncmp(line, key, size) || line[size] != '=') continue;
        char *value = malloc(length - size);
        if (!value) return NULL;
        memcpy(value, line + size + 1, length - size - 1);
        value[length - size - 1] = 0;
        return value;
    }
    return NULL;
}

char *python_recorded(const char *record, const char *key) { return next_value(&record, key); }

static void *load_recorded(const char *record)
{
    void *library = NULL;
    char *path;
    while (!library && (path = next_value(&record, "library"))) {
        library = system_load(path);
        free(path);
    }
    return library;
}

/* Loads the library that the environment names. */
static void *load_chosen(const char *path, char *problem, size_t size)
{
    void *library = system_load(path);
    if (library && find_functions(library)) return library;
    snprintf(problem, size, LIBRARY_VARIABLE ": got %s, expected a shared library of Python: %s", path,
             library ? "this is another one" : system_load_error());
    return NULL;
}

static int find_library(const char *record, char *problem, size_t size)
{
    if (find_functions(NULL)) return 1; /* the host is Python, or has loaded it for all */
    home = system_loaded_python();
    char *chosen = home ? NULL : system_environment(LIBRARY_VARIABLE);
    if (chosen) {
        home = load_chosen(chosen, problem, size);
        free(chosen);
        return home != NULL;
    }
    if (!home) home = load_recorded(record);
    if (!home) home = system_first_python(system_load);
    if (home && find_functions(home)) return 1;
    snprintf(problem, size,
             "there is no shared library of Python 3.10 or newer: install one (Debian: libpython3), "
             "or set " LIBRARY_VARIABLE " to its path");
    return 0;
}

/* Python from 3.14 on; the functions of a configuration are opaque and have no header here. */
static int start_configured(const char *program)
{
    typedef struct Config Config;
    Config *(*create)(void) = (Config * (*)(void)) system_find(home, "PyInitConfig_Create");
    int (*set)(Config *, const char *, const char *) =
        (int (*)(Config *, const char *, const char *))system_find(home, "PyInitConfig_SetStr");
    int (*set_number)(Config *, const char *, int64_t) =
        (int (*)(Config *, const char *, int64_t))system_find(home, "PyInitConfig_SetInt");
    int (*start)(Config *) = (int (*)(Config *))system_find(home, "Py_InitializeFromInitConfig");
    void (*release)(Config *) = (void (*)(Config *))system_find(home, "PyInitConfig_Free");
    Config *config = create && set && set_number && start && release ? create() : NULL;
    if (!config) return 0;
    /* as Py_InitializeEx(0) does; a new configuration is isolated from environment and user */
    const int is_started = !set(config, "program_name", program) &&
                           !set_number(config, "install_signal_handlers", 0) &&
                           !set_number(config, "isolated", 0) &&
                           !set_number(config, "use_environment", 1) &&
                           !set_number(config, "user_site_directory", 1) && !start(config);
    release(config);
    return is_started;
}

/* Names the interpreter in whose environment the packages are; Python keeps the pointer. */
static void name_program(const char *program)
{
    static wchar_t name[MOST_LETTERS];
    void (*set)(const wchar_t *) =
        (void (*)(const wchar_t *))system_find(home, "Py_SetProgramName");
    wchar_t *(*wide)(const char *, size_t *) =
        (wchar_t * (*)(const char *, size_t *)) system_find(home, "Py_DecodeLocale");
    wchar_t *ours = system_wide(program);
    const wchar_t *decoded = ours ? ours : wide ? wide(program, NULL) : NULL;
    if (set && decoded && wcslen(decoded) < MOST_LETTERS) {
        wcscpy(name, decoded);
        set(name);
    }
    free(ours);
}

/* Python makes SIGINT its own where it finds the default action, at the first import of this. */
static void import_signal(void *nothing)
{
    (void)nothing;
    Object *module = python.PyImport_ImportModule("_signal");
    if (module) python.Py_DecRef(module);
    else python.PyErr_Clear();
}

void python_leave_sigint(void) { system_with_sigint_taken(import_signal, NULL); }

/* Tells whether the library found is of the version that built the FMU: its interpreter is of no
 * use to another one, which would look for its own modules there. */
static int is_recorded_version(const char *record)
{
    const char *version = python.Py_GetVersion();
    char *recorded = python_recorded(record, "python");
    const size_t size = recorded ? strlen(recorded) : 0;
    const int is_same = size && !strncmp(version, recorded, size) && !isdigit((unsigned char)version[size]);
    free(recorded);
    return is_same;
}

/* Gives the interpreter as which to start, NULL for that of the system, to be freed. */
static char *choose_program(const char *record, char *problem, size_t size)
{
    char *program = system_environment(PROGRAM_VARIABLE);
    if (program && system_is_file(program)) return program;
    if (program)
        snprintf(problem, size, PROGRAM_VARIABLE ": got %s, expected a Python interpreter", program);
    else if (is_recorded_version(record)) program = python_recorded(record, "executable");
    if (program && !*problem && system_is_file(program)) return program;
    free(program);
    return NULL;
}

static void start_interpreter(void *program)
{
    if (!program || !start_configured(program)) {
        if (program) name_program(program);
        python.Py_InitializeEx(0);
    }
    import_signal(NULL);
    python.PyEval_SaveThread();
}

const Python *python_start(const char *record, char *problem, size_t size)
{
    *problem = 0;
    system_lock_process();
    if (!is_found) is_found = find_library(record, problem, size);
    if (is_found && !python.Py_IsInitialized()) {
        char *program = choose_program(record, problem, size);
        if (!*problem) system_with_sigint_taken(start_interpreter, program);
        free(program);
    }
    system_unlock_process();
    return is_found && !*problem ? &python : NULL;
}

const Python *python_running(void)
{
    return is_found && python.Py_IsInitialized() ? &python : NULL;
}

void python_take_error(const Python *py, char *text, size_t size)
{
    Object *type = NULL, *value = NULL, *traceback = NULL;
    py->PyErr_Fetch(&type, &value, &traceback);
    Object *name = type ? py->PyObject_GetAttrString(type, "__name__") : NULL;
    Object *shown = value ? py->PyObject_Str(value) : NULL;
    Object *named = name ? py->PyUnicode_AsUTF8String(name) : NULL;
    Object *bytes = shown ? py->PyUnicode_AsUTF8String(shown) : NULL;
    const char *kind = named ? py->PyBytes_AsString(named) : NULL;
    const char *line = bytes ? py->PyBytes_AsString(bytes) : NULL;
    if (kind && !strcmp(kind, "KeyboardInterrupt")) is_interrupted = 1;
    snprintf(text, size, "%s", line && *line ? line : kind ? kind : "an unknown error in Python");
    Object *objects[] = {bytes, named, shown, name, traceback, value, type};
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        if (objects[i]) py->Py_DecRef(objects[i]);
    py->PyErr_Clear();
}

void python_pass_interrupt(void)
{
    if (!is_interrupted) return;
    is_interrupted = 0;
    python.PyErr_SetInterrupt();
}
