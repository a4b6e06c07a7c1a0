/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The face of FMI 3.0: all functions of the standard, by its own headers.
 */
#include <stdint.h>

#include "core.h"
#include "fmi/fmi3Functions.h"

#define FMI_VERSION 3
#define AT(pointer) ((unsigned long long)(uintptr_t)(pointer))
#define COUNT(number) ((unsigned long long)(number))

static void tell(const Instance *instance, int status, const char *category, const char *text)
{
    ((fmi3LogMessageCallback)instance->logger)(instance->environment, (fmi3Status)status, category,
                                               text);
}

const char *fmi3GetVersion(void) { return fmi3Version; }

fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String names[])
{
    core_set_logging(c, on);
    return (fmi3Status)core_call(c, "SetDebugLogging", "(iKK)", on, AT(names), COUNT(n));
}

static Instance draft_of(fmi3String name, fmi3Boolean is_logging, fmi3InstanceEnvironment environment,
                         fmi3LogMessageCallback logger)
{
    return (Instance){.name = name,
                      .is_logging = is_logging,
                      .tell = tell,
                      .logger = (void (*)(void))logger,
                      .environment = environment};
}

fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean is_logging, fmi3Boolean event_mode_used, fmi3Boolean early_return_allowed,
    const fmi3ValueReference required[], size_t n_required, fmi3InstanceEnvironment environment,
    fmi3LogMessageCallback logger, fmi3IntermediateUpdateCallback intermediate_update)
{
    const Instance draft = draft_of(name, is_logging, environment, logger);
    return core_instantiate(&draft, FMI_VERSION, token, resources);
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                          fmi3Boolean visible, fmi3Boolean is_logging,
                                          fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback logger)
{
    const Instance draft = draft_of(name, is_logging, environment, logger);
    return core_refuse(&draft, "is for co-simulation only");
}

fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean is_logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger,
    fmi3ClockUpdateCallback clock_update, fmi3LockPreemptionCallback lock_preemption,
    fmi3UnlockPreemptionCallback unlock_preemption)
{
    const Instance draft = draft_of(name, is_logging, environment, logger);
    return core_refuse(&draft, "is for co-simulation only");
}

void fmi3FreeInstance(fmi3Instance c) { core_free(c); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean has_stop, fmi3Float64 stop)
{
    return (fmi3Status)core_call(c, "EnterInitializationMode", "(d)", start);
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    return (fmi3Status)core_call(c, "ExitInitializationMode", "()");
}

fmi3Status fmi3Terminate(fmi3Instance c) { return (fmi3Status)core_call(c, "Terminate", "()"); }
fmi3Status fmi3Reset(fmi3Instance c) { return (fmi3Status)core_call(c, "Reset", "()"); }

#define ACCESS(Type) \
    fmi3Status fmi3Get##Type(fmi3Instance c, const fmi3ValueReference references[], size_t n, \
                             fmi3##Type values[], size_t n_values) \
    { \
        return (fmi3Status)core_call(c, "Get", "(sKKKK)", #Type, AT(references), COUNT(n), \
                                     AT(values), COUNT(n_values)); \
    } \
    fmi3Status fmi3Set##Type(fmi3Instance c, const fmi3ValueReference references[], size_t n, \
                             const fmi3##Type values[], size_t n_values) \
    { \
        return (fmi3Status)core_call(c, "Set", "(sKKKK)", #Type, AT(references), COUNT(n), \
                                     AT(values), COUNT(n_values)); \
    }

ACCESS(Float32)
ACCESS(Float64)
ACCESS(Int8)
ACCESS(UInt8)
ACCESS(Int16)
ACCESS(UInt16)
ACCESS(Int32)
ACCESS(UInt32)
ACCESS(Int64)
ACCESS(UInt64)
ACCESS(Boolean)
ACCESS(String)

fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference references[], size_t n,
                         size_t sizes[], fmi3Binary values[], size_t n_values)
{
    return (fmi3Status)core_call(c, "GetBinary", "(KKKKK)", AT(references), COUNT(n), AT(sizes),
                                 AT(values), COUNT(n_values));
}

fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference references[], size_t n,
                         const size_t sizes[], const fmi3Binary values[], size_t n_values)
{
    return (fmi3Status)core_call(c, "SetBinary", "(KKKKK)", AT(references), COUNT(n), AT(sizes),
                                 AT(values), COUNT(n_values));
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 step, fmi3Boolean no_set_state,
                      fmi3Boolean *event_handling_needed, fmi3Boolean *terminate_simulation,
                      fmi3Boolean *early_return, fmi3Float64 *last_successful_time)
{
    const fmi3Status status = (fmi3Status)core_call(c, "DoStep", "(dd)", time, step);
    if (event_handling_needed) *event_handling_needed = fmi3False;
    if (terminate_simulation) *terminate_simulation = fmi3False;
    if (early_return) *early_return = fmi3False;
    if (last_successful_time) *last_successful_time = status > fmi3Warning ? time : time + step;
    return status;
}

/* What is not offered is told by calls.py, in words. */
#define REFUSED(name, parameters) \
    fmi3Status fmi3##name parameters { return (fmi3Status)core_call(c, #name, "()"); }

REFUSED(EnterEventMode, (fmi3Instance c))
REFUSED(GetClock,
        (fmi3Instance c, const fmi3ValueReference references[], size_t n, fmi3Clock values[]))
REFUSED(SetClock,
        (fmi3Instance c, const fmi3ValueReference references[], size_t n,
         const fmi3Clock values[]))
REFUSED(GetNumberOfVariableDependencies,
        (fmi3Instance c, fmi3ValueReference valueReference, size_t *nDependencies))
REFUSED(GetVariableDependencies,
        (fmi3Instance c, fmi3ValueReference dependent, size_t elementIndicesOfDependent[],
         fmi3ValueReference independents[], size_t elementIndicesOfIndependents[],
         fmi3DependencyKind dependencyKinds[], size_t nDependencies))
REFUSED(GetFMUState, (fmi3Instance c, fmi3FMUState *FMUState))
REFUSED(SetFMUState, (fmi3Instance c, fmi3FMUState FMUState))
REFUSED(FreeFMUState, (fmi3Instance c, fmi3FMUState *FMUState))
REFUSED(SerializedFMUStateSize, (fmi3Instance c, fmi3FMUState FMUState, size_t *size))
REFUSED(SerializeFMUState,
        (fmi3Instance c, fmi3FMUState FMUState, fmi3Byte serializedState[], size_t size))
REFUSED(DeserializeFMUState,
        (fmi3Instance c, const fmi3Byte serializedState[], size_t size, fmi3FMUState *FMUState))
REFUSED(GetDirectionalDerivative,
        (fmi3Instance c, const fmi3ValueReference unknowns[], size_t nUnknowns,
         const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
         fmi3Float64 sensitivity[], size_t nSensitivity))
REFUSED(GetAdjointDerivative,
        (fmi3Instance c, const fmi3ValueReference unknowns[], size_t nUnknowns,
         const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
         fmi3Float64 sensitivity[], size_t nSensitivity))
REFUSED(EnterConfigurationMode, (fmi3Instance c))
REFUSED(ExitConfigurationMode, (fmi3Instance c))
REFUSED(GetIntervalDecimal,
        (fmi3Instance c, const fmi3ValueReference references[], size_t n, fmi3Float64 intervals[],
         fmi3IntervalQualifier qualifiers[]))
REFUSED(GetIntervalFraction,
        (fmi3Instance c, const fmi3ValueReference references[], size_t n, fmi3UInt64 counters[],
         fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[]))
REFUSED(GetShiftDecimal,
        (fmi3Instance c, const fmi3ValueReference references[], size_t n, fmi3Float64 shifts[]))
REFUSED(GetShiftFraction,
        (fmi3Instance c, const fmi3ValueReference references[], size_t n, fmi3UInt64 counters[],
         fmi3UInt64 resolutions[]))
REFUSED(SetIntervalDecimal,
        (fmi3Instance c, const fmi3ValueReference references[], size_t n,
         const fmi3Float64 intervals[]))
REFUSED(SetIntervalFraction,
        (fmi3Instance c, const fmi3ValueReference references[], size_t n,
         const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]))
REFUSED(SetShiftDecimal,
        (fmi3Instance c, const fmi3ValueReference references[], size_t n,
         const fmi3Float64 shifts[]))
REFUSED(SetShiftFraction,
        (fmi3Instance c, const fmi3ValueReference references[], size_t n,
         const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]))
REFUSED(EvaluateDiscreteStates, (fmi3Instance c))
REFUSED(UpdateDiscreteStates,
        (fmi3Instance c, fmi3Boolean *discreteStatesNeedUpdate, fmi3Boolean *terminateSimulation,
         fmi3Boolean *nominalsOfContinuousStatesChanged,
         fmi3Boolean *valuesOfContinuousStatesChanged, fmi3Boolean *nextEventTimeDefined,
         fmi3Float64 *nextEventTime))
REFUSED(EnterContinuousTimeMode, (fmi3Instance c))
REFUSED(CompletedIntegratorStep,
        (fmi3Instance c, fmi3Boolean noSetFMUStatePriorToCurrentPoint, fmi3Boolean *enterEventMode,
         fmi3Boolean *terminateSimulation))
REFUSED(SetTime, (fmi3Instance c, fmi3Float64 time))
REFUSED(SetContinuousStates,
        (fmi3Instance c, const fmi3Float64 continuousStates[], size_t nContinuousStates))
REFUSED(GetContinuousStateDerivatives,
        (fmi3Instance c, fmi3Float64 derivatives[], size_t nContinuousStates))
REFUSED(GetEventIndicators,
        (fmi3Instance c, fmi3Float64 eventIndicators[], size_t nEventIndicators))
REFUSED(GetContinuousStates,
        (fmi3Instance c, fmi3Float64 continuousStates[], size_t nContinuousStates))
REFUSED(GetNominalsOfContinuousStates,
        (fmi3Instance c, fmi3Float64 nominals[], size_t nContinuousStates))
REFUSED(GetNumberOfEventIndicators, (fmi3Instance c, size_t *nEventIndicators))
REFUSED(GetNumberOfContinuousStates, (fmi3Instance c, size_t *nContinuousStates))
REFUSED(EnterStepMode, (fmi3Instance c))
REFUSED(GetOutputDerivatives,
        (fmi3Instance c, const fmi3ValueReference references[], size_t n, const fmi3Int32 orders[],
         fmi3Float64 values[], size_t nValues))
REFUSED(ActivateModelPartition,
        (fmi3Instance c, fmi3ValueReference clockReference, fmi3Float64 activationTime))
