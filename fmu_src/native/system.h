/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What differs between operating systems: libraries, locks, files, signals. Texts are UTF-8.
 */
#ifndef OSI_LIDAR_SYSTEM_H
#define OSI_LIDAR_SYSTEM_H

#include <stddef.h>
#include <stdio.h>

typedef void (*Function)(void);

/* Loads a library for the whole process; NULL if there is none. */
void *system_load(const char *path);

/* Finds a function in a library, or with NULL in what the process has loaded for all. */
Function system_find(void *library, const char *name);

/* Gives a Python library that the process has loaded, also for one plug-in only; NULL: none. */
void *system_loaded_python(void);

/* Tries the names by which the system may find a library of Python; gives the first success. */
void *system_first_python(void *(*attempt)(const char *name));

/* Says why the last system_load failed. */
const char *system_load_error(void);

FILE *system_open(const char *path);

/* Returns the whole file, to be freed by the caller; NULL if it cannot be read. */
char *system_read_file(const char *path);

int system_is_file(const char *path);

/* Returns an environment variable, to be freed by the caller; NULL if it is empty. */
char *system_environment(const char *name);

char *system_copy(const char *text);

/* Returns a text as Python's wide characters, to be freed; NULL where Python has a function for it. */
wchar_t *system_wide(const char *text);

/* Keeps this library in the process: masters close it while instances of theirs live. */
void system_stay_loaded(void);

/* One lock for all instances of this library. */
void system_lock(void);
void system_unlock(void);

/* One lock for all libraries of the process: two FMUs may start Python at once. */
void system_lock_process(void);
void system_unlock_process(void);

/* Runs a function while SIGINT has an action of ours; one that comes meanwhile is passed on. */
void system_with_sigint_taken(void (*function)(void *), void *argument);

#endif
