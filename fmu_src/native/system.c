/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What is the same on all operating systems.
 */
#include <stdlib.h>
#include <string.h>

#include "system.h"

#if defined(_WIN32)
#define PYTHON_NAME "python3%d.dll"
#elif defined(__APPLE__)
#define PYTHON_NAME "libpython3.%d.dylib"
#else
#define PYTHON_NAME "libpython3.%d.so.1.0"
#endif
#define NEWEST_PYTHON 16
#define OLDEST_PYTHON 10
#define BLOCK 4096

void *system_first_python(void *(*attempt)(const char *name))
{
    void *found = NULL;
    char name[sizeof PYTHON_NAME + 8];
    for (int minor = NEWEST_PYTHON; !found && minor >= OLDEST_PYTHON; minor--) {
        snprintf(name, sizeof name, PYTHON_NAME, minor);
        found = attempt(name);
    }
    return found;
}

char *system_read_file(const char *path)
{
    FILE *file = system_open(path);
    if (!file) return NULL;
    char *text = NULL;
    size_t size = 0, n = BLOCK;
    while (n == BLOCK) {
        char *more = realloc(text, size + BLOCK + 1);
        if (!more) break;
        text = more;
        n = fread(text + size, 1, BLOCK, file);
        size += n;
    }
    fclose(file);
    if (text) text[size] = 0;
    return text;
}

char *system_copy(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}
