/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Calls of FMI 2.0; a message is three integers, its value reference that of base.lo.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "fmi2FunctionTypes.h"
#include "master.h"

/* As masters do: the text is the format. */
static void logger(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status,
                   fmi2String category, fmi2String text, ...)
{
    va_list arguments;
    (void)environment;
    if (!instance || !text) fail("logger", "got a null pointer");
    fprintf(stderr, "%s %d %s: ", instance, (int)status, category ? category : "null");
    va_start(arguments, text);
    vfprintf(stderr, text, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

static void *instantiate(Unit *unit)
{
    static const fmi2CallbackFunctions callbacks = {logger, calloc, free, NULL, NULL};
    return FUNCTION(unit, fmi2Instantiate)(unit->name, fmi2CoSimulation, unit->token, unit->resources,
                                           &callbacks, fmi2False, unit->is_logging);
}

static int enter(Unit *unit)
{
    const fmi2Status status = FUNCTION(unit, fmi2SetupExperiment)(unit->instance, fmi2False, 0.0, 0.0,
                                                                  fmi2False, 0.0);
    return status ? (int)status
                  : (int)FUNCTION(unit, fmi2EnterInitializationMode)(unit->instance);
}

static int leave(Unit *unit)
{
    return (int)FUNCTION(unit, fmi2ExitInitializationMode)(unit->instance);
}

static int put(Unit *unit, uint32_t first, const void *data, long long size)
{
    const fmi2ValueReference references[] = {first, first + 1, first + 2};
    const uint64_t address = (uintptr_t)data;
    const fmi2Integer parts[] = {(fmi2Integer)(address & 0xffffffffu), (fmi2Integer)(address >> 32),
                                 (fmi2Integer)size};
    return (int)FUNCTION(unit, fmi2SetInteger)(unit->instance, references, 3, parts);
}

static int get(Unit *unit, uint32_t first, Message *message)
{
    const fmi2ValueReference references[] = {first, first + 1, first + 2};
    fmi2Integer parts[3] = {0, 0, 0};
    const int status = (int)FUNCTION(unit, fmi2GetInteger)(unit->instance, references, 3, parts);
    const uint64_t address = (uint64_t)(uint32_t)parts[1] << 32 | (uint32_t)parts[0];
    *message = (Message){(size_t)parts[2], (const char *)(uintptr_t)address};
    return status;
}

static int get_boolean(Unit *unit, uint32_t reference, int *value)
{
    return (int)FUNCTION(unit, fmi2GetBoolean)(unit->instance, &reference, 1, value);
}

static int set_string(Unit *unit, uint32_t reference, const char *value)
{
    return (int)FUNCTION(unit, fmi2SetString)(unit->instance, &reference, 1, &value);
}

static int step(Unit *unit, double time_s, double step_s)
{
    return (int)FUNCTION(unit, fmi2DoStep)(unit->instance, time_s, step_s, fmi2True);
}

static int terminate(Unit *unit) { return (int)FUNCTION(unit, fmi2Terminate)(unit->instance); }
static void free_instance(Unit *unit) { FUNCTION(unit, fmi2FreeInstance)(unit->instance); }

const Face face2 = {instantiate, enter,      leave, put,       get,
                    get_boolean, set_string, step,  terminate, free_instance};
