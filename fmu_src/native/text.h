/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef OSI_LIDAR_TEXT_H
#define OSI_LIDAR_TEXT_H

/* Makes a text one line of valid UTF-8, in place: paths and names may be neither. */
void text_clean(char *text);

#endif
