/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "location.h"
#include "system.h"

#define SCHEME "file:"
#define LOCALHOST "//localhost/"

static int digit(char letter)
{
    if (letter >= '0' && letter <= '9') return letter - '0';
    const int lower = tolower((unsigned char)letter);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static int starts_with(const char *text, const char *beginning)
{
    for (; *beginning; text++, beginning++)
        if (tolower((unsigned char)*text) != *beginning) return 0;
    return 1;
}

/* Decodes percent codes in place; a percent sign without two digits stays. */
static void decode(char *text)
{
    char *out = text;
    for (; *text; text++) {
        const int high = *text == '%' ? digit(text[1]) : -1;
        const int low = high >= 0 ? digit(text[2]) : -1;
        if (low >= 0 && (high || low)) {
            *out++ = (char)(high << 4 | low);
            text += 2;
        } else {
            *out++ = *text;
        }
    }
    *out = 0;
}

char *location_path(const char *location)
{
    if (!location || !*location) return NULL;
    if (!starts_with(location, SCHEME))
        return strstr(location, "://") ? NULL : system_copy(location); /* a path as it is */
    const char *path = location + strlen(SCHEME);
    if (starts_with(path, LOCALHOST)) path += strlen(LOCALHOST) - 1;
    else if (starts_with(path, "///")) path += 2;
#ifdef _WIN32
    const char *drive = path + strspn(path, "/"); /* also of file://C:/x, as some masters write it */
    if (isalpha((unsigned char)drive[0]) && drive[1] == ':') path = drive;
#endif
    char *copy = *path ? system_copy(path) : NULL;
    if (copy) decode(copy);
    return copy;
}
