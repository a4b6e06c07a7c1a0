/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Calls of FMI 3.0; a message is a binary variable.
 */
#include <stdio.h>

#include "fmi3FunctionTypes.h"
#include "master.h"

static void logger(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                   fmi3String text)
{
    const Unit *unit = environment;
    if (!unit || !category || !text) fail("logger", "got a null pointer");
    fprintf(stderr, "%s %d %s: %s\n", unit->name, (int)status, category, text);
}

static void *instantiate(Unit *unit)
{
    return FUNCTION(unit, fmi3InstantiateCoSimulation)(
        unit->name, unit->token, unit->resources, fmi3False, unit->is_logging, fmi3False, fmi3False,
        NULL, 0, unit, logger, NULL);
}

static int enter(Unit *unit)
{
    return (int)FUNCTION(unit, fmi3EnterInitializationMode)(unit->instance, fmi3False, 0.0, 0.0,
                                                            fmi3False, 0.0);
}

static int leave(Unit *unit)
{
    return (int)FUNCTION(unit, fmi3ExitInitializationMode)(unit->instance);
}

static int put(Unit *unit, uint32_t reference, const void *data, long long size)
{
    const size_t sizes[] = {(size_t)size};
    const fmi3Binary values[] = {data};
    return (int)FUNCTION(unit, fmi3SetBinary)(unit->instance, &reference, 1, sizes, values, 1);
}

static int get(Unit *unit, uint32_t reference, Message *message)
{
    fmi3Binary value = NULL;
    message->size = 0;
    const int status =
        (int)FUNCTION(unit, fmi3GetBinary)(unit->instance, &reference, 1, &message->size, &value, 1);
    message->data = (const char *)value;
    return status;
}

static int get_boolean(Unit *unit, uint32_t reference, int *value)
{
    fmi3Boolean is_true = fmi3False;
    const int status =
        (int)FUNCTION(unit, fmi3GetBoolean)(unit->instance, &reference, 1, &is_true, 1);
    *value = is_true;
    return status;
}

static int set_string(Unit *unit, uint32_t reference, const char *value)
{
    return (int)FUNCTION(unit, fmi3SetString)(unit->instance, &reference, 1, &value, 1);
}

static int step(Unit *unit, double time_s, double step_s)
{
    fmi3Boolean needs_events, ends, is_early;
    fmi3Float64 last_s = -1.0;
    const int status = (int)FUNCTION(unit, fmi3DoStep)(unit->instance, time_s, step_s, fmi3True,
                                                       &needs_events, &ends, &is_early, &last_s);
    if (status <= 1 && (needs_events || ends || is_early || last_s != time_s + step_s))
        fail("fmi3DoStep", "is not complete");
    return status;
}

static int terminate(Unit *unit) { return (int)FUNCTION(unit, fmi3Terminate)(unit->instance); }
static void free_instance(Unit *unit) { FUNCTION(unit, fmi3FreeInstance)(unit->instance); }

const Face face3 = {instantiate, enter,      leave, put,       get,
                    get_boolean, set_string, step,  terminate, free_instance};
