/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What both ends and both versions of FMI have in common.
 */
#include "link.h"

#include <stdlib.h>
#include <string.h>

Link *new_link(void)
{
    Link *link = calloc(1, sizeof *link);
    if (link)
        strcpy(link->trace, default_trace);
    return link;
}

void reset_link(Link *link)
{
    close_trace(link);
    free(link->kept[0]);
    free(link->kept[1]);
    *link = (Link){0};
    strcpy(link->trace, default_trace);
}

void close_trace(Link *link)
{
    if (link->file)
        fclose(link->file);
    link->file = NULL;
}

void keep(Link *link, char *data, int32_t size)
{
    free(link->kept[0]);
    link->kept[0] = link->kept[1];
    link->kept[1] = data;
    link->address = (uintptr_t)data;
    link->size = size;
}

int set_trace(Link *link, const char *path)
{
    if (strlen(path) >= sizeof link->trace)
        return 0;
    strcpy(link->trace, path);
    return 1;
}
