/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef _WIN32
#ifndef __APPLE__
#define _GNU_SOURCE
#include <link.h>
#else
#include <mach-o/dyld.h>
#endif
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "system.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *system_load(const char *path) { return dlopen(path, RTLD_NOW | RTLD_GLOBAL); }

const char *system_load_error(void)
{
    const char *text = dlerror();
    return text ? text : "";
}

Function system_find(void *library, const char *name)
{
    /* POSIX makes the two kinds of pointers alike, ISO C does not */
    union { void *data; Function function; } found;
    found.data = dlsym(library ? library : RTLD_DEFAULT, name);
    return found.function;
}

/* Makes a library that is loaded already visible to the whole process, for Python's extensions. */
static void *promoted(const char *path)
{
    const char *name = path ? strrchr(path, '/') : NULL;
    name = name ? name + 1 : path;
    if (!name || (strncmp(name, "libpython3.", 11) && strcmp(name, "Python"))) return NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    return library && dlsym(library, "Py_IsInitialized") ? library : NULL;
}

#ifdef __APPLE__
void *system_loaded_python(void)
{
    void *found = NULL;
    for (uint32_t i = 0; !found && i < _dyld_image_count(); i++)
        found = promoted(_dyld_get_image_name(i));
    return found;
}
#else
static int look_at(struct dl_phdr_info *info, size_t size, void *found)
{
    (void)size;
    if (info->dlpi_name && strstr(info->dlpi_name, "libpython3.") && !*(char **)found)
        *(char **)found = system_copy(info->dlpi_name);
    return 0;
}

void *system_loaded_python(void)
{
    char *path = NULL; /* promoted later: the loader is locked while it is looked at */
    dl_iterate_phdr(look_at, &path);
    void *found = promoted(path);
    free(path);
    return found;
}
#endif

FILE *system_open(const char *path) { return fopen(path, "rb"); }

int system_is_file(const char *path)
{
    struct stat status;
    return !stat(path, &status) && S_ISREG(status.st_mode);
}

char *system_environment(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? system_copy(value) : NULL;
}

wchar_t *system_wide(const char *text)
{
    (void)text;
    return NULL;
}

void system_stay_loaded(void)
{
    Dl_info found;
    if (dladdr(&lock, &found)) dlopen(found.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

void system_lock(void) { pthread_mutex_lock(&lock); }
void system_unlock(void) { pthread_mutex_unlock(&lock); }

/* Of what all libraries of a process share, this has a lock that the same thread may take twice. */
void system_lock_process(void) { flockfile(stderr); }
void system_unlock_process(void) { funlockfile(stderr); }

static volatile sig_atomic_t is_interrupted;

static void note_interrupt(int number)
{
    (void)number;
    is_interrupted = 1;
}

void system_with_sigint_taken(void (*function)(void *), void *argument)
{
    struct sigaction ours, hosts;
    memset(&ours, 0, sizeof ours);
    ours.sa_handler = note_interrupt;
    is_interrupted = 0;
    sigaction(SIGINT, &ours, &hosts);
    function(argument);
    sigaction(SIGINT, &hosts, NULL);
    if (is_interrupted) raise(SIGINT); /* the host decides */
}
#endif
