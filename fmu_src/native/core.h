/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Instances of the FMU for both versions of FMI. What a call means stands in calls.py: a face hands
 * its arguments over by address, and gets a status, of which the numbers are the same in both.
 */
#ifndef OSI_LIDAR_CORE_H
#define OSI_LIDAR_CORE_H

#include <stddef.h>

#include "python.h"

enum { STATUS_OK, STATUS_WARNING, STATUS_DISCARD, STATUS_ERROR };

typedef struct Instance Instance;

/* Hands a message, one line of UTF-8, to the master's logger. */
typedef void (*Tell)(const Instance *instance, int status, const char *category, const char *text);

struct Instance {
    const char *name;
    int is_logging;
    Tell tell;
    void (*logger)(void); /* of the master, NULL if there is none */
    void *environment;    /* what the master wants to have back */
    Object *calls;        /* the method of calls.Instance that takes all calls */
    Instance *next;
};

/* Makes an instance; NULL if it is refused, of which the master has then heard.
 *
 * `draft` has all fields but `calls` and `next`; `resources` is a path or a file URI. */
Instance *core_instantiate(const Instance *draft, int fmi, const char *token,
                           const char *resources);

/* Calls a function of the instance; `format` is that of Py_BuildValue for the arguments. */
int core_call(void *instance, const char *function, const char *format, ...);

/* Tells the master why there is no instance; always NULL. */
Instance *core_refuse(const Instance *draft, const char *reason);

void core_set_logging(void *instance, int is_on);
void core_free(void *instance);

#endif
