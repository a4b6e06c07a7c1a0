/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * FMI 2.0 of the ends of the chain: Integers 0 to 2 are the message, 3 is the count; String 4 is the
 * trace. All else is refused.
 */
#include <stdlib.h>

#include "fmi2Functions.h"
#include "link.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

enum { LOW, HIGH, SIZE, COUNT, TRACE };

static fmi2Status status(int good)
{
    return good ? fmi2OK : fmi2Error;
}

const char *fmi2GetTypesPlatform(void)
{
    return fmi2TypesPlatform;
}

const char *fmi2GetVersion(void)
{
    return fmi2Version;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible,
                              fmi2Boolean logging)
{
    return type == fmi2CoSimulation ? new_link() : NULL;
}

void fmi2FreeInstance(fmi2Component link)
{
    if (link)
        reset_link(link);
    free(link);
}

fmi2Status fmi2Reset(fmi2Component link)
{
    reset_link(link);
    return fmi2OK;
}

fmi2Status fmi2SetDebugLogging(fmi2Component link, fmi2Boolean on, size_t n,
                               const fmi2String categories[])
{
    return fmi2OK;
}

fmi2Status fmi2SetupExperiment(fmi2Component link, fmi2Boolean tolerance_defined,
                               fmi2Real tolerance, fmi2Real start, fmi2Boolean stop_defined,
                               fmi2Real stop)
{
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component link)
{
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component link)
{
    return status(open_trace(link));
}

fmi2Status fmi2Terminate(fmi2Component link)
{
    close_trace(link);
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component link, fmi2Real now, fmi2Real size, fmi2Boolean no_way_back)
{
    return status(((Link *)link)->file && step(link));
}

fmi2Status fmi2GetInteger(fmi2Component component, const fmi2ValueReference refs[], size_t n,
                          fmi2Integer values[])
{
    Link *link = component;
    fmi2Integer all[] = {[LOW] = (int32_t)(uint32_t)link->address,
                         [HIGH] = (int32_t)(uint32_t)(link->address >> 32),
                         [SIZE] = link->size,
                         [COUNT] = link->count};
    for (size_t i = 0; i < n; i++) {
        if (refs[i] > COUNT)
            return fmi2Error;
        values[i] = all[refs[i]];
    }
    return fmi2OK;
}

fmi2Status fmi2SetInteger(fmi2Component component, const fmi2ValueReference refs[], size_t n,
                          const fmi2Integer values[])
{
    Link *link = component;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = (uint32_t)values[i];
        if (refs[i] == LOW)
            link->address = (link->address & ~(uint64_t)UINT32_MAX) | bits;
        else if (refs[i] == HIGH)
            link->address = (link->address & UINT32_MAX) | (uint64_t)bits << 32;
        else if (refs[i] == SIZE)
            link->size = values[i];
        else
            return fmi2Error;
    }
    return fmi2OK;
}

fmi2Status fmi2GetString(fmi2Component link, const fmi2ValueReference refs[], size_t n,
                         fmi2String values[])
{
    for (size_t i = 0; i < n; i++) {
        if (refs[i] != TRACE)
            return fmi2Error;
        values[i] = ((Link *)link)->trace;
    }
    return fmi2OK;
}

fmi2Status fmi2SetString(fmi2Component link, const fmi2ValueReference refs[], size_t n,
                         const fmi2String values[])
{
    for (size_t i = 0; i < n; i++) {
        if (refs[i] != TRACE || !set_trace(link, values[i]))
            return fmi2Error;
    }
    return fmi2OK;
}

/* There are no variables of other types: only a request for none of them succeeds. */
static fmi2Status none_of(fmi2Component link, const fmi2ValueReference refs[], size_t n,
                          const void *values)
{
    return status(n == 0);
}

static fmi2Status refused(void)
{
    return fmi2Error;
}

#pragma GCC diagnostic ignored "-Wattribute-alias"
#define ALIAS(name, target) name##TYPE name __attribute__((alias(target)));

ALIAS(fmi2GetReal, "none_of")
ALIAS(fmi2SetReal, "none_of")
ALIAS(fmi2GetBoolean, "none_of")
ALIAS(fmi2SetBoolean, "none_of")
ALIAS(fmi2GetFMUstate, "refused")
ALIAS(fmi2SetFMUstate, "refused")
ALIAS(fmi2FreeFMUstate, "refused")
ALIAS(fmi2SerializedFMUstateSize, "refused")
ALIAS(fmi2SerializeFMUstate, "refused")
ALIAS(fmi2DeSerializeFMUstate, "refused")
ALIAS(fmi2GetDirectionalDerivative, "refused")
ALIAS(fmi2SetRealInputDerivatives, "refused")
ALIAS(fmi2GetRealOutputDerivatives, "refused")
ALIAS(fmi2CancelStep, "refused")
ALIAS(fmi2GetStatus, "refused")
ALIAS(fmi2GetRealStatus, "refused")
ALIAS(fmi2GetIntegerStatus, "refused")
ALIAS(fmi2GetBooleanStatus, "refused")
ALIAS(fmi2GetStringStatus, "refused")
