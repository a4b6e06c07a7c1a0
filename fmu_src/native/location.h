/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef OSI_LIDAR_LOCATION_H
#define OSI_LIDAR_LOCATION_H

/* Returns the path that a file URI or a path names, to be freed; NULL for what is neither.
 *
 * FMI 2.0 gives resources as a URI. All forms of RFC 8089 are taken, with any percent codes:
 * file:/x, file:///x, file://localhost/x, on Windows file:///C:/x and file://server/share. */
char *location_path(const char *location);

#endif
