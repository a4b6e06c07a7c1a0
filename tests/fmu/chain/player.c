/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Plays a trace: one message per step, then none. Each is intact for one more step, after OSMP.
 */
#include <stdlib.h>

#include "link.h"

const char default_trace[] = "drive.osi";

int open_trace(Link *link)
{
    return (link->file = fopen(link->trace, "rb")) != NULL;
}

int step(Link *link)
{
    uint32_t size = 0;
    if (fread(&size, 4, 1, link->file) != 1) {
        keep(link, NULL, 0);
        return 1;
    }
    char *data = malloc(size ? size : 1);
    if (!data || fread(data, 1, size, link->file) != size) {
        free(data);
        return 0;
    }
    keep(link, data, (int32_t)size);
    link->count++;
    return 1;
}
