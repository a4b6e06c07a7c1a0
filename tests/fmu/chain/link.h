/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * An FMU at one end of the chain: one OSMP message, one file of framed messages.
 *
 * fmi2.c and fmi3.c are the FMI of both ends; player.c and recorder.c are what they do.
 */
#ifndef LINK_H
#define LINK_H

#include <stdint.h>
#include <stdio.h>

typedef struct {
    char trace[4096];  /* parameter: path of the file */
    FILE *file;
    uint64_t address;  /* of the message that is given out or was given in; 0: none */
    int32_t size;
    int32_t count;     /* messages so far */
    char *kept[2];     /* the last two messages that this end has copied */
} Link;

/* Of this library only: glibc, for one, has another function named step. */
#pragma GCC visibility push(hidden)

/* Name of the trace as long as nobody sets it. */
extern const char default_trace[];

/* Open the file; 0 if it cannot be. */
int open_trace(Link *link);

/* Do one step; 0 if it fails. */
int step(Link *link);

/* Return a new link, NULL without memory. */
Link *new_link(void);

/* Forget all that has happened. */
void reset_link(Link *link);

/* Close the file. */
void close_trace(Link *link);

/* Take memory of malloc, NULL for none, as the message; the one before it stays intact. */
void keep(Link *link, char *data, int32_t size);

/* Set the path of the file; 0 if it is too long. */
int set_trace(Link *link, const char *path);

#pragma GCC visibility pop

#endif
