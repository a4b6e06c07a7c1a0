/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Python in the process: found at run time, started if need be, and never ended. Only functions of
 * CPython's stable ABI are used, so one library serves every version.
 */
#ifndef OSI_LIDAR_PYTHON_H
#define OSI_LIDAR_PYTHON_H

#include <stdarg.h>
#include <stddef.h>

typedef struct Object Object; /* PyObject */

#define PYTHON_FUNCTIONS(X) \
    X(int, Py_IsInitialized, (void)) \
    X(const char *, Py_GetVersion, (void)) \
    X(void, Py_InitializeEx, (int install_signal_handlers)) \
    X(void *, PyEval_SaveThread, (void)) \
    X(int, PyGILState_Ensure, (void)) \
    X(void, PyGILState_Release, (int state)) \
    X(Object *, Py_CompileString, (const char *text, const char *name, int start)) \
    X(Object *, PyEval_EvalCode, (Object *code, Object *globals, Object *locals)) \
    X(Object *, PyImport_ImportModule, (const char *name)) \
    X(Object *, PyDict_New, (void)) \
    X(Object *, PyDict_GetItemString, (Object *dict, const char *key)) \
    X(Object *, PyObject_GetAttrString, (Object *object, const char *name)) \
    X(Object *, PyObject_CallObject, (Object *callable, Object *arguments)) \
    X(Object *, PyObject_Str, (Object *object)) \
    X(Object *, PyUnicode_AsUTF8String, (Object *text)) \
    X(char *, PyBytes_AsString, (Object *bytes)) \
    X(long, PyLong_AsLong, (Object *number)) \
    X(Object *, Py_VaBuildValue, (const char *format, va_list values)) \
    X(void, PyErr_Fetch, (Object **type, Object **value, Object **traceback)) \
    X(void, PyErr_Clear, (void)) \
    X(void, PyErr_SetInterrupt, (void)) \
    X(void, Py_DecRef, (Object *object))

typedef struct {
#define DECLARE(Result, name, parameters) Result(*name) parameters;
    PYTHON_FUNCTIONS(DECLARE)
#undef DECLARE
} Python;

/* Finds or starts Python; NULL with one line in `problem` if there is none.
 *
 * `record` is the text of the file that the build has left: lines key=value. */
const Python *python_start(const char *record, char *problem, size_t size);

/* Keeps Python from making SIGINT its own; call it with Python's lock. */
void python_leave_sigint(void);

/* Gives Python if it is still there: a process that ends may have ended it. */
const Python *python_running(void);

/* Returns the value of a key's first line in a record, to be freed; NULL if there is none. */
char *python_recorded(const char *record, const char *key);

/* Writes the exception that Python has raised, and clears it. */
void python_take_error(const Python *python, char *text, size_t size);

/* Interrupts a host that is Python if an error that was taken was its Ctrl-C; the last of a call,
 * because the host's logger would get the exception. */
void python_pass_interrupt(void);

#endif
