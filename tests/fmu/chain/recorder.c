/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writes every message that it is given to a trace.
 */
#include "link.h"

const char default_trace[] = "recorded.osi";

int open_trace(Link *link)
{
    return (link->file = fopen(link->trace, "wb")) != NULL;
}

int step(Link *link)
{
    const void *data = (const void *)(uintptr_t)link->address;
    uint32_t size = (uint32_t)link->size;
    if (!data || link->size <= 0)
        return 1;
    if (fwrite(&size, 4, 1, link->file) != 1 || fwrite(data, 1, size, link->file) != size)
        return 0;
    link->count++;
    return fflush(link->file) == 0;
}
