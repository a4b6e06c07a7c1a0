/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * FMI 3.0 of the ends of the chain: Float64 0 is the time, Binary 1 the message, Int32 2 the count,
 * String 3 the trace. All else is refused.
 */
#include <stdlib.h>
#include <string.h>

#include "fmi3Functions.h"
#include "link.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

enum { TIME, MESSAGE, COUNT, TRACE };

static fmi3Status status(int good)
{
    return good ? fmi3OK : fmi3Error;
}

const char *fmi3GetVersion(void)
{
    return fmi3Version;
}

fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3Boolean events, fmi3Boolean early_return,
    const fmi3ValueReference intermediate[], size_t n, fmi3InstanceEnvironment environment,
    fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
    return new_link();
}

void fmi3FreeInstance(fmi3Instance link)
{
    if (link)
        reset_link(link);
    free(link);
}

fmi3Status fmi3Reset(fmi3Instance link)
{
    reset_link(link);
    return fmi3OK;
}

fmi3Status fmi3SetDebugLogging(fmi3Instance link, fmi3Boolean on, size_t n,
                               const fmi3String categories[])
{
    return fmi3OK;
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance link, fmi3Boolean tolerance_defined,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean stop_defined, fmi3Float64 stop)
{
    return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance link)
{
    return status(open_trace(link));
}

fmi3Status fmi3Terminate(fmi3Instance link)
{
    close_trace(link);
    return fmi3OK;
}

fmi3Status fmi3DoStep(fmi3Instance link, fmi3Float64 now, fmi3Float64 size, fmi3Boolean no_way_back,
                      fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early_return,
                      fmi3Float64 *end)
{
    *event = *terminate = *early_return = fmi3False;
    *end = now + size;
    return status(((Link *)link)->file && step(link));
}

fmi3Status fmi3GetFloat64(fmi3Instance link, const fmi3ValueReference refs[], size_t n,
                          fmi3Float64 values[], size_t n_values)
{
    for (size_t i = 0; i < n; i++) {
        if (refs[i] != TIME)
            return fmi3Error;
        values[i] = 0.0; /* no end needs the time */
    }
    return fmi3OK;
}

fmi3Status fmi3GetInt32(fmi3Instance link, const fmi3ValueReference refs[], size_t n,
                        fmi3Int32 values[], size_t n_values)
{
    for (size_t i = 0; i < n; i++) {
        if (refs[i] != COUNT)
            return fmi3Error;
        values[i] = ((Link *)link)->count;
    }
    return fmi3OK;
}

fmi3Status fmi3GetBinary(fmi3Instance component, const fmi3ValueReference refs[], size_t n,
                         size_t sizes[], fmi3Binary values[], size_t n_values)
{
    Link *link = component;
    for (size_t i = 0; i < n; i++) {
        if (refs[i] != MESSAGE)
            return fmi3Error;
        sizes[i] = (size_t)link->size;
        values[i] = (fmi3Binary)(uintptr_t)link->address;
    }
    return fmi3OK;
}

fmi3Status fmi3SetBinary(fmi3Instance link, const fmi3ValueReference refs[], size_t n,
                         const size_t sizes[], const fmi3Binary values[], size_t n_values)
{
    for (size_t i = 0; i < n; i++) {
        char *data = sizes[i] ? malloc(sizes[i]) : NULL;
        if (refs[i] != MESSAGE || sizes[i] > INT32_MAX || (sizes[i] && !data)) {
            free(data);
            return fmi3Error;
        }
        if (data)
            memcpy(data, values[i], sizes[i]);
        keep(link, data, (int32_t)sizes[i]);
    }
    return fmi3OK;
}

fmi3Status fmi3GetString(fmi3Instance link, const fmi3ValueReference refs[], size_t n,
                         fmi3String values[], size_t n_values)
{
    for (size_t i = 0; i < n; i++) {
        if (refs[i] != TRACE)
            return fmi3Error;
        values[i] = ((Link *)link)->trace;
    }
    return fmi3OK;
}

fmi3Status fmi3SetString(fmi3Instance link, const fmi3ValueReference refs[], size_t n,
                         const fmi3String values[], size_t n_values)
{
    for (size_t i = 0; i < n; i++) {
        if (refs[i] != TRACE || !set_trace(link, values[i]))
            return fmi3Error;
    }
    return fmi3OK;
}

static fmi3Instance none(void)
{
    return NULL;
}

static fmi3Status refused(void)
{
    return fmi3Error;
}

#pragma GCC diagnostic ignored "-Wattribute-alias"
#define ALIAS(name, target) name##TYPE name __attribute__((alias(target)));

ALIAS(fmi3InstantiateModelExchange, "none")
ALIAS(fmi3InstantiateScheduledExecution, "none")
ALIAS(fmi3EnterEventMode, "refused")
ALIAS(fmi3GetFloat32, "refused")
ALIAS(fmi3GetInt8, "refused")
ALIAS(fmi3GetUInt8, "refused")
ALIAS(fmi3GetInt16, "refused")
ALIAS(fmi3GetUInt16, "refused")
ALIAS(fmi3GetUInt32, "refused")
ALIAS(fmi3GetInt64, "refused")
ALIAS(fmi3GetUInt64, "refused")
ALIAS(fmi3GetBoolean, "refused")
ALIAS(fmi3GetClock, "refused")
ALIAS(fmi3SetFloat32, "refused")
ALIAS(fmi3SetFloat64, "refused")
ALIAS(fmi3SetInt8, "refused")
ALIAS(fmi3SetUInt8, "refused")
ALIAS(fmi3SetInt16, "refused")
ALIAS(fmi3SetUInt16, "refused")
ALIAS(fmi3SetInt32, "refused")
ALIAS(fmi3SetUInt32, "refused")
ALIAS(fmi3SetInt64, "refused")
ALIAS(fmi3SetUInt64, "refused")
ALIAS(fmi3SetBoolean, "refused")
ALIAS(fmi3SetClock, "refused")
ALIAS(fmi3GetNumberOfVariableDependencies, "refused")
ALIAS(fmi3GetVariableDependencies, "refused")
ALIAS(fmi3GetFMUState, "refused")
ALIAS(fmi3SetFMUState, "refused")
ALIAS(fmi3FreeFMUState, "refused")
ALIAS(fmi3SerializedFMUStateSize, "refused")
ALIAS(fmi3SerializeFMUState, "refused")
ALIAS(fmi3DeserializeFMUState, "refused")
ALIAS(fmi3GetDirectionalDerivative, "refused")
ALIAS(fmi3GetAdjointDerivative, "refused")
ALIAS(fmi3EnterConfigurationMode, "refused")
ALIAS(fmi3ExitConfigurationMode, "refused")
ALIAS(fmi3GetIntervalDecimal, "refused")
ALIAS(fmi3GetIntervalFraction, "refused")
ALIAS(fmi3GetShiftDecimal, "refused")
ALIAS(fmi3GetShiftFraction, "refused")
ALIAS(fmi3SetIntervalDecimal, "refused")
ALIAS(fmi3SetIntervalFraction, "refused")
ALIAS(fmi3SetShiftDecimal, "refused")
ALIAS(fmi3SetShiftFraction, "refused")
ALIAS(fmi3EvaluateDiscreteStates, "refused")
ALIAS(fmi3UpdateDiscreteStates, "refused")
ALIAS(fmi3EnterContinuousTimeMode, "refused")
ALIAS(fmi3CompletedIntegratorStep, "refused")
ALIAS(fmi3SetTime, "refused")
ALIAS(fmi3SetContinuousStates, "refused")
ALIAS(fmi3GetContinuousStateDerivatives, "refused")
ALIAS(fmi3GetEventIndicators, "refused")
ALIAS(fmi3GetContinuousStates, "refused")
ALIAS(fmi3GetNominalsOfContinuousStates, "refused")
ALIAS(fmi3GetNumberOfEventIndicators, "refused")
ALIAS(fmi3GetNumberOfContinuousStates, "refused")
ALIAS(fmi3EnterStepMode, "refused")
ALIAS(fmi3GetOutputDerivatives, "refused")
ALIAS(fmi3ActivateModelPartition, "refused")
