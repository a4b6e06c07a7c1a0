# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of the ray core.

RayCoreError
|-- PatternError   a scan pattern cannot be built from the values given
|-- MeshError      a mesh file or array is not usable as geometry
|-- ImageError     an image file cannot be read
`-- EmbreeError    the ray tracing library refused a call (carries its error code)
"""

from lidar_base.errors import OneLineError


class RayCoreError(OneLineError):
    """Base class of every error that the caller of raycore can fix."""


class PatternError(RayCoreError):
    """A scan pattern cannot be built from the values given."""


class MeshError(RayCoreError):
    """A mesh file or mesh array is not usable as geometry."""


class ImageError(RayCoreError):
    """An image file cannot be read. The text lacks the file's name; the caller puts it before."""


class EmbreeError(RayCoreError):
    """The ray tracing library refused a call.

    Parameters
    ----------
    message : str
        One line: the call and the library's own message.
    code : int
        Embree's error code (``RTCError``); 0 if the library itself is missing.
    """

    def __init__(self, message: str, *, code: int = 0) -> None:
        super().__init__(f"{message} (Embree error {code})" if code else message)
        self.code = code
