# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors that the user of the extension can cause."""


class SceneError(Exception):
    """A scene cannot be written, scanned or read back; the message is one line for Blender."""
