/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The face of FMI 2.0: all functions of the standard, by its own headers.
 */
#include <stdint.h>

#include "core.h"
#include "fmi/fmi2Functions.h"

#define FMI_VERSION 2
#define MOST_LETTERS 4096
#define AT(pointer) ((unsigned long long)(uintptr_t)(pointer))
#define COUNT(number) ((unsigned long long)(number))

static void tell(const Instance *instance, int status, const char *category, const char *text)
{
    char format[MOST_LETTERS]; /* masters take the text as a format */
    size_t n = 0;
    for (; *text && n < sizeof format - 2; text++) {
        format[n++] = *text;
        if (*text == '%') format[n++] = '%';
    }
    format[n] = 0;
    ((fmi2CallbackLogger)instance->logger)(instance->environment,
                                           instance->name ? instance->name : "",
                                           (fmi2Status)status, category, format);
}

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String names[])
{
    core_set_logging(c, on);
    return (fmi2Status)core_call(c, "SetDebugLogging", "(iKK)", on, AT(names), COUNT(n));
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                              fmi2Boolean is_logging)
{
    const Instance draft = {
        .name = name,
        .is_logging = is_logging,
        .tell = tell,
        .logger = functions ? (void (*)(void))functions->logger : NULL,
        .environment = functions ? functions->componentEnvironment : NULL,
    };
    if (type != fmi2CoSimulation) return core_refuse(&draft, "is for co-simulation only");
    return core_instantiate(&draft, FMI_VERSION, guid, resources);
}

void fmi2FreeInstance(fmi2Component c) { core_free(c); }

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean has_stop, fmi2Real stop)
{
    return (fmi2Status)core_call(c, "SetupExperiment", "(d)", start);
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    return (fmi2Status)core_call(c, "EnterInitializationMode", "()");
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    return (fmi2Status)core_call(c, "ExitInitializationMode", "()");
}

fmi2Status fmi2Terminate(fmi2Component c) { return (fmi2Status)core_call(c, "Terminate", "()"); }
fmi2Status fmi2Reset(fmi2Component c) { return (fmi2Status)core_call(c, "Reset", "()"); }

#define ACCESS(Type) \
    fmi2Status fmi2Get##Type(fmi2Component c, const fmi2ValueReference references[], size_t n, \
                             fmi2##Type values[]) \
    { \
        return (fmi2Status)core_call(c, "Get", "(sKKKK)", #Type, AT(references), COUNT(n), \
                                     AT(values), COUNT(n)); \
    } \
    fmi2Status fmi2Set##Type(fmi2Component c, const fmi2ValueReference references[], size_t n, \
                             const fmi2##Type values[]) \
    { \
        return (fmi2Status)core_call(c, "Set", "(sKKKK)", #Type, AT(references), COUNT(n), \
                                     AT(values), COUNT(n)); \
    }

ACCESS(Real)
ACCESS(Integer)
ACCESS(Boolean)
ACCESS(String)

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean no_set_state)
{
    return (fmi2Status)core_call(c, "DoStep", "(dd)", time, step);
}

/* What is not offered is told by calls.py, in words. */
#define REFUSED(name, parameters) \
    fmi2Status fmi2##name parameters { return (fmi2Status)core_call(c, #name, "()"); }

REFUSED(GetFMUstate, (fmi2Component c, fmi2FMUstate *state))
REFUSED(SetFMUstate, (fmi2Component c, fmi2FMUstate state))
REFUSED(FreeFMUstate, (fmi2Component c, fmi2FMUstate *state))
REFUSED(SerializedFMUstateSize, (fmi2Component c, fmi2FMUstate state, size_t *size))
REFUSED(SerializeFMUstate, (fmi2Component c, fmi2FMUstate state, fmi2Byte data[], size_t size))
REFUSED(DeSerializeFMUstate,
        (fmi2Component c, const fmi2Byte data[], size_t size, fmi2FMUstate *state))
REFUSED(GetDirectionalDerivative,
        (fmi2Component c, const fmi2ValueReference unknown[], size_t n_unknown,
         const fmi2ValueReference known[], size_t n_known, const fmi2Real d_known[],
         fmi2Real d_unknown[]))
REFUSED(SetRealInputDerivatives, (fmi2Component c, const fmi2ValueReference references[], size_t n,
                                  const fmi2Integer order[], const fmi2Real values[]))
REFUSED(GetRealOutputDerivatives, (fmi2Component c, const fmi2ValueReference references[],
                                   size_t n, const fmi2Integer order[], fmi2Real values[]))

/* A step is complete when fmi2DoStep returns: none is pending, none can be cancelled. */
REFUSED(CancelStep, (fmi2Component c))
REFUSED(GetStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Status *value))
REFUSED(GetRealStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Real *value))
REFUSED(GetIntegerStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value))
REFUSED(GetBooleanStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value))
REFUSED(GetStringStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2String *value))

/* Model exchange. */
REFUSED(EnterEventMode, (fmi2Component c))
REFUSED(NewDiscreteStates, (fmi2Component c, fmi2EventInfo *info))
REFUSED(EnterContinuousTimeMode, (fmi2Component c))
REFUSED(CompletedIntegratorStep, (fmi2Component c, fmi2Boolean no_set_state,
                                  fmi2Boolean *enter_event_mode, fmi2Boolean *terminate))
REFUSED(SetTime, (fmi2Component c, fmi2Real time))
REFUSED(SetContinuousStates, (fmi2Component c, const fmi2Real x[], size_t n))
REFUSED(GetDerivatives, (fmi2Component c, fmi2Real derivatives[], size_t n))
REFUSED(GetEventIndicators, (fmi2Component c, fmi2Real indicators[], size_t n))
REFUSED(GetContinuousStates, (fmi2Component c, fmi2Real x[], size_t n))
REFUSED(GetNominalsOfContinuousStates, (fmi2Component c, fmi2Real x[], size_t n))
