/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A machine without Python, for a wrapper that is linked to this with --wrap=dlopen.
 */
#include <stddef.h>
#include <string.h>

void *__real_dlopen(const char *path, int mode);

void *__wrap_dlopen(const char *path, int mode)
{
    return path && strstr(path, "libpython") ? NULL : __real_dlopen(path, mode);
}
