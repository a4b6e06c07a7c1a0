/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef _WIN32
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "system.h"

static SRWLOCK lock = SRWLOCK_INIT;

static wchar_t *wide(const char *text)
{
    const int size = MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0);
    wchar_t *copy = size > 0 ? malloc((size_t)size * sizeof *copy) : NULL;
    if (copy) MultiByteToWideChar(CP_UTF8, 0, text, -1, copy, size);
    return copy;
}

static char *narrow(const wchar_t *text)
{
    const int size = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *copy = size > 0 ? malloc((size_t)size) : NULL;
    if (copy) WideCharToMultiByte(CP_UTF8, 0, text, -1, copy, size, NULL, NULL);
    return copy;
}

void *system_load(const char *path)
{
    wchar_t *name = wide(path);
    for (wchar_t *letter = name; letter && *letter; letter++)
        if (*letter == L'/') *letter = L'\\';
    /* with a folder: what the library needs lies beside it */
    const DWORD flags = name && wcschr(name, L'\\') ? LOAD_WITH_ALTERED_SEARCH_PATH : 0;
    HMODULE found = name ? LoadLibraryExW(name, NULL, flags) : NULL;
    free(name);
    return found;
}

const char *system_load_error(void)
{
    static char text[32];
    snprintf(text, sizeof text, "Windows error %lu", GetLastError());
    return text;
}

Function system_find(void *library, const char *name)
{
    HMODULE module = library ? (HMODULE)library : GetModuleHandleW(NULL);
    return (Function)GetProcAddress(module, name);
}

static void *loaded(const char *name) { return GetModuleHandleA(name); }

void *system_loaded_python(void) { return system_first_python(loaded); }

FILE *system_open(const char *path)
{
    wchar_t *name = wide(path);
    FILE *file = name ? _wfopen(name, L"rb") : NULL;
    free(name);
    return file;
}

int system_is_file(const char *path)
{
    wchar_t *name = wide(path);
    const DWORD attributes = name ? GetFileAttributesW(name) : INVALID_FILE_ATTRIBUTES;
    free(name);
    return attributes != INVALID_FILE_ATTRIBUTES && !(attributes & FILE_ATTRIBUTE_DIRECTORY);
}

char *system_environment(const char *name)
{
    wchar_t *key = wide(name);
    const wchar_t *value = key ? _wgetenv(key) : NULL;
    char *copy = value && *value ? narrow(value) : NULL;
    free(key);
    return copy;
}

wchar_t *system_wide(const char *text) { return wide(text); }

/* A library that stays cannot be deleted here, and masters delete the folder of the FMU. */
void system_stay_loaded(void) {}

void system_lock(void) { AcquireSRWLockExclusive(&lock); }
void system_unlock(void) { ReleaseSRWLockExclusive(&lock); }

/* Of what all libraries of a process share, this has a lock that the same thread may take twice. */
void system_lock_process(void) { _lock_file(stderr); }
void system_unlock_process(void) { _unlock_file(stderr); }

static volatile sig_atomic_t is_interrupted;

static void note_interrupt(int number)
{
    (void)number;
    is_interrupted = 1;
}

void system_with_sigint_taken(void (*function)(void *), void *argument)
{
    is_interrupted = 0;
    void (*hosts)(int) = signal(SIGINT, note_interrupt);
    function(argument);
    signal(SIGINT, hosts);
    if (is_interrupted) raise(SIGINT); /* the host decides */
}
#endif
