/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Counts the blocks of memory that the wrapper holds, and says how many are left when it is unloaded.
 * Linked to it with --wrap for malloc, realloc and free.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);

static atomic_int n_blocks;

void *__wrap_malloc(size_t size)
{
    n_blocks++;
    return __real_malloc(size);
}

void *__wrap_realloc(void *block, size_t size)
{
    n_blocks += !block;
    return __real_realloc(block, size);
}

void __wrap_free(void *block)
{
    n_blocks -= block != NULL;
    __real_free(block);
}

__attribute__((destructor)) static void tell(void)
{
    fprintf(stderr, "%d blocks are left\n", n_blocks);
}
