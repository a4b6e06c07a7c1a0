/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fenv.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "location.h"
#include "system.h"
#include "text.h"

#define RECORD_FILE "osi_lidar_python.txt"
#define LINE 1024
#define EXPRESSIONS 257 /* Py_file_input, as all versions of Python have it */

/* Imports the FMU's package from its folder under the name of its build, so that two FMUs do not
 * share their code, and sys.path stays as it is. */
static const char LOADER[] =
    "def instantiate(resources, package, *arguments):\n"
    "    import importlib.util, os, sys\n"
    "    resources, package = os.fsdecode(resources), os.fsdecode(package)\n"
    "    if package not in sys.modules:\n"
    "        folder = os.path.join(resources, package)\n"
    "        spec = importlib.util.spec_from_file_location(\n"
    "            package, os.path.join(folder, '__init__.py'), submodule_search_locations=[folder])\n"
    "        module = importlib.util.module_from_spec(spec)\n"
    "        sys.modules[package] = module\n"
    "        try:\n"
    "            spec.loader.exec_module(module)\n"
    "        except BaseException:\n"
    "            del sys.modules[package]\n"
    "            raise\n"
    "    return importlib.import_module(package + '.entry').instantiate(resources, *arguments)\n";

static Instance *instances; /* all that live; what is not among them is not touched */

static int is_alive(const Instance *instance)
{
    system_lock();
    const Instance *each = instances;
    while (each && each != instance) each = each->next;
    system_unlock();
    return each && each == instance;
}

static void write_to_stderr(const Instance *instance, const char *text)
{
    char *name = system_copy(instance->name ? instance->name : "");
    if (name) text_clean(name);
    fprintf(stderr, "OsiLidar %s: %s\n", name ? name : "", text);
    fflush(stderr);
    free(name);
}

/* Tells the master; without its logger, what is refused goes to stderr. Also called by Python. */
static void emit(const Instance *instance, int status, const char *category, const char *text,
                 int is_refusal)
{
    if (instance->is_logging && instance->logger) instance->tell(instance, status, category, text);
    else if (is_refusal) write_to_stderr(instance, text);
}

/* Lets no setting of the master's floating point unit change results or end the process. */
static void take_numbers(fenv_t *hosts)
{
    fegetenv(hosts);
    fesetenv(FE_DFL_ENV);
}

static Object *build(const Python *python, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    Object *built = python->Py_VaBuildValue(format, values);
    va_end(values);
    return built;
}

/* Gives the Python function of LOADER, which is made once. */
static Object *loader(const Python *python)
{
    static Object *function; /* Python's lock guards it */
    if (function) return function;
    Object *code = python->Py_CompileString(LOADER, "OsiLidar", EXPRESSIONS);
    Object *names = code ? python->PyDict_New() : NULL;
    Object *done = names ? python->PyEval_EvalCode(code, names, names) : NULL;
    if (done) function = python->PyDict_GetItemString(names, "instantiate");
    if (done) python->Py_DecRef(done);
    if (code) python->Py_DecRef(code);
    return function; /* the names are kept for it */
}

/* Makes the object that takes the calls; NULL with a text in `problem`, or after telling. */
static Object *open_calls(const Python *python, Instance *instance, int fmi, const char *token,
                          const char *resources, const char *package, char *problem)
{
    Object *function = loader(python);
    Object *arguments =
        build(python, "(yyKKiyy)", resources, package, (unsigned long long)(uintptr_t)emit,
              (unsigned long long)(uintptr_t)instance, fmi, instance->name,
              token ? token : "");
    Object *object =
        function && arguments ? python->PyObject_CallObject(function, arguments) : NULL;
    Object *calls = object ? python->PyObject_GetAttrString(object, "call") : NULL;
    if (!object) python_take_error(python, problem, LINE);
    else if (!calls) python->PyErr_Clear(); /* it is None: the master has been told why */
    if (object) python->Py_DecRef(object);
    if (arguments) python->Py_DecRef(arguments);
    return calls;
}

static void remember(Instance *instance)
{
    system_stay_loaded();
    system_lock();
    instance->next = instances;
    instances = instance;
    system_unlock();
}

static void forget(Instance *instance)
{
    system_lock();
    for (Instance **each = &instances; *each; each = &(*each)->next)
        if (*each == instance) {
            *each = instance->next;
            break;
        }
    system_unlock();
}

static void release(Instance *instance)
{
    free((char *)instance->name);
    free(instance);
}

static char *read_record(const char *resources)
{
    const size_t size = strlen(resources) + sizeof "/" RECORD_FILE;
    char *path = malloc(size), *record = NULL;
    if (path) {
        snprintf(path, size, "%s/%s", resources, RECORD_FILE);
        record = system_read_file(path);
    }
    free(path);
    return record;
}

/* Starts Python and opens the instance in it; a text in `problem` if that fails. */
static void open_instance(Instance *instance, int fmi, const char *token, const char *location,
                          char *problem)
{
    char *path = location_path(location);
    const char *resources = path ? path : location;
    char *record = resources ? read_record(resources) : NULL;
    char *package = record ? python_recorded(record, "package") : NULL;
    const Python *python = package ? python_start(record, problem, LINE) : NULL;
    if (python) {
        const int state = python->PyGILState_Ensure();
        python_leave_sigint();
        instance->calls = open_calls(python, instance, fmi, token, resources, package, problem);
        python->PyGILState_Release(state);
    } else if (!*problem) {
        snprintf(problem, LINE, "%s: has no " RECORD_FILE ", expected the resources of the FMU",
                 resources ? resources : "no location of the resources");
    }
    free(package);
    free(record);
    free(path);
}

Instance *core_instantiate(const Instance *draft, int fmi, const char *token,
                           const char *resources)
{
    char problem[LINE] = "";
    fenv_t hosts;
    Instance *instance = malloc(sizeof *instance);
    if (!instance) return NULL;
    *instance = *draft;
    instance->name = system_copy(draft->name ? draft->name : "");
    instance->calls = NULL;
    take_numbers(&hosts);
    if (!instance->name || !*instance->name) snprintf(problem, LINE, "the instance has no name");
    else open_instance(instance, fmi, token, resources, problem);
    fesetenv(&hosts);
    if (instance->calls) {
        remember(instance);
        return instance;
    }
    text_clean(problem);
    if (*problem) core_refuse(instance, problem);
    python_pass_interrupt();
    release(instance);
    return NULL;
}

Instance *core_refuse(const Instance *draft, const char *reason)
{
    emit(draft, STATUS_ERROR, "FMI", reason, 1);
    return NULL;
}

int core_call(void *pointer, const char *function, const char *format, ...)
{
    Instance *instance = pointer;
    const Python *python = python_running();
    if (!python || !is_alive(instance)) return STATUS_ERROR;
    fenv_t hosts;
    take_numbers(&hosts);
    const int state = python->PyGILState_Ensure();
    va_list values;
    va_start(values, format);
    Object *given = python->Py_VaBuildValue(format, values);
    va_end(values);
    Object *arguments = given ? build(python, "(sN)", function, given) : NULL;
    Object *result = arguments ? python->PyObject_CallObject(instance->calls, arguments) : NULL;
    char problem[LINE] = "";
    int status = result ? (int)python->PyLong_AsLong(result) : STATUS_ERROR;
    if (!result) python_take_error(python, problem, sizeof problem);
    if (result) python->Py_DecRef(result);
    if (arguments) python->Py_DecRef(arguments);
    python->PyGILState_Release(state);
    fesetenv(&hosts);
    text_clean(problem);
    if (*problem) emit(instance, STATUS_ERROR, "FMI", problem, 0);
    python_pass_interrupt();
    return status;
}

void core_set_logging(void *pointer, int is_on)
{
    Instance *instance = pointer;
    if (is_alive(instance)) instance->is_logging = is_on;
}

void core_free(void *pointer)
{
    Instance *instance = pointer;
    const Python *python = python_running();
    if (!is_alive(instance)) return;
    if (python) {
        core_call(instance, "FreeInstance", "()");
        const int state = python->PyGILState_Ensure();
        python->Py_DecRef(instance->calls);
        python->PyGILState_Release(state);
    }
    forget(instance);
    release(instance);
}
