/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the master knows of an FMU, for both versions of FMI.
 */
#ifndef MASTER_H
#define MASTER_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    size_t size;
    const char *data;
} Message;

typedef struct Unit Unit;

/* The calls of a version of FMI; each gives the status, of which the numbers are the same in both. */
typedef struct {
    void *(*instantiate)(Unit *unit);
    int (*enter)(Unit *unit);
    int (*leave)(Unit *unit);
    int (*put)(Unit *unit, uint32_t reference, const void *data, long long size);
    int (*get)(Unit *unit, uint32_t reference, Message *message);
    int (*get_boolean)(Unit *unit, uint32_t reference, int *value);
    int (*set_string)(Unit *unit, uint32_t reference, const char *value);
    int (*step)(Unit *unit, double time_s, double step_s);
    int (*terminate)(Unit *unit);
    void (*free)(Unit *unit);
} Face;

/* An FMU, what to do with it, and its instance. */
struct Unit {
    const char *name, *path, *resources, *token, *trace, *out, *mode, *text, *memory;
    int fmi, is_logging, n_steps;
    uint32_t view, data, request, config, valid, string;
    const Face *face;
    void *library, *instance;
};

extern const Face face2, face3;

void fail(const char *what, const char *why);

/* Gives a function of the FMU's library. */
void *find(const Unit *unit, const char *name);

#define FUNCTION(unit, name) ((name##TYPE *)find(unit, #name))

#endif
