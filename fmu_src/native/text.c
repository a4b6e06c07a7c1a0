/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stddef.h>

#include "text.h"

#define IS_BETWEEN(value, least, most) ((value) >= (least) && (value) <= (most))

/* Returns the number of bytes of the character that begins here; 0: this is not UTF-8.
 *
 * Table 3-7 of the Unicode Standard 15.0; the zero at the end of the text follows none. */
static size_t size_of_character(const unsigned char *at)
{
    const unsigned char first = at[0], second = first ? at[1] : 0;
    if (first < 0x80) return 1;
    if (IS_BETWEEN(first, 0xc2, 0xdf)) return IS_BETWEEN(second, 0x80, 0xbf) ? 2 : 0;
    const unsigned char least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (!IS_BETWEEN(first, 0xe0, 0xf4) || !IS_BETWEEN(second, least, most)) return 0;
    const size_t size = first < 0xf0 ? 3 : 4;
    for (size_t i = 2; i < size; i++)
        if (!IS_BETWEEN(at[i], 0x80, 0xbf)) return 0;
    return size;
}

void text_clean(char *text)
{
    for (size_t size; *text; text += size ? size : 1) {
        size = size_of_character((const unsigned char *)text);
        if (!size) *text = '?';
        else if ((unsigned char)*text < ' ' || *text == 0x7f) *text = ' ';
    }
}
