# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Binding to the Embree 4 C library: the only file that loads it.

The library comes with the wheel of ``embreex``; the environment variable ``OSI_LIDAR_EMBREE``
selects another one. This module declares the part of Embree's API that the ray core uses. Embree's
manual sets these preconditions:

- a shared vertex buffer must be readable 16 bytes from its last vertex on (``triangles`` pads it);
- ray packets and their valid masks are 64-byte aligned (the tracing kernels align them);
- a scene, including the scene of an instance, is committed after any change, before it is traced.

Embree reports errors to a callback of its device. The device keeps them and raises them as
``EmbreeError`` at the next return to Python.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
import threading
import weakref
from ctypes import CFUNCTYPE, c_char_p, c_int, c_size_t, c_ssize_t, c_uint, c_void_p
from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from raycore.errors import EmbreeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_Made = TypeVar("_Made")

GEOMETRY_TRIANGLE = 0
GEOMETRY_INSTANCE = 121
BUFFER_INDEX = 0
BUFFER_VERTEX = 1
FORMAT_UINT3 = 0x5003
FORMAT_FLOAT3 = 0x9003
FORMAT_FLOAT4X4_COLUMN_MAJOR = 0x9244
SCENE_DYNAMIC = 1 << 0
SCENE_ROBUST = 1 << 2
PROPERTIES_VERSION = (1, 2, 3)  # major, minor, patch
PROPERTY_NATIVE_RAY = {8: 33, 16: 34}

MASK_LASER = 1
"""Mask bit of the surfaces that a laser beam hits; transparent surfaces do not have it."""

_ErrorFunction = CFUNCTYPE(None, c_void_p, c_int, c_char_p)

_SIGNATURES: dict[str, tuple[object, tuple[object, ...]]] = {
    "rtcNewDevice": (c_void_p, (c_char_p,)),
    "rtcSetDeviceErrorFunction": (None, (c_void_p, _ErrorFunction, c_void_p)),
    "rtcGetDeviceError": (c_int, (c_void_p,)),
    "rtcGetDeviceProperty": (c_ssize_t, (c_void_p, c_int)),
    "rtcNewScene": (c_void_p, (c_void_p,)),
    "rtcReleaseScene": (None, (c_void_p,)),
    "rtcSetSceneFlags": (None, (c_void_p, c_int)),
    "rtcAttachGeometry": (c_uint, (c_void_p, c_void_p)),
    "rtcAttachGeometryByID": (None, (c_void_p, c_void_p, c_uint)),
    "rtcDetachGeometry": (None, (c_void_p, c_uint)),
    "rtcCommitScene": (None, (c_void_p,)),
    "rtcNewGeometry": (c_void_p, (c_void_p, c_int)),
    "rtcReleaseGeometry": (None, (c_void_p,)),
    "rtcCommitGeometry": (None, (c_void_p,)),
    "rtcGetSceneBounds": (None, (c_void_p, c_void_p)),
    "rtcSetGeometryMask": (None, (c_void_p, c_uint)),
    "rtcSetGeometryInstancedScene": (None, (c_void_p, c_void_p)),
    "rtcSetGeometryTransform": (None, (c_void_p, c_uint, c_int, c_void_p)),
    "rtcSetGeometryTransformQuaternion": (None, (c_void_p, c_uint, c_void_p)),
    "rtcSetGeometryTimeStepCount": (None, (c_void_p, c_uint)),
    "rtcSetSharedGeometryBuffer": (
        None,
        (c_void_p, c_int, c_uint, c_int, c_void_p, c_size_t, c_size_t, c_size_t),
    ),
}


def _library_path() -> Path:
    """Return the path of the Embree 4 library: ``OSI_LIDAR_EMBREE``, or in the package embreex."""
    named = os.environ.get("OSI_LIDAR_EMBREE")
    if named:
        return Path(named)
    spec = importlib.util.find_spec("embreex")
    if spec is None or spec.origin is None:
        raise EmbreeError(
            "the package embreex, which contains the Embree library, is not installed: pip install "
            "embreex"
        )
    package = Path(spec.origin).parent
    folder, pattern = {
        "darwin": (package / ".dylibs", "libembree4*.dylib"),
        "win32": (package.parent / "embreex.libs", "embree4*.dll"),
    }.get(sys.platform, (package.parent / "embreex.libs", "libembree4*"))
    found = sorted(folder.glob(pattern))
    if not found:
        raise EmbreeError(
            f"found no {pattern} in {folder}; set the variable OSI_LIDAR_EMBREE to the path of the "
            "library"
        )
    return found[0]


def _once(make: Callable[[], _Made]) -> Callable[[], _Made]:
    """Cache a function's result, and let threads that first call it at once share one result."""
    cached, lock = cache(make), threading.Lock()

    @wraps(make)
    def made() -> _Made:
        with lock:
            return cached()

    return made


@_once
def library() -> ctypes.CDLL:
    """Return the loaded Embree 4 library with its functions declared.

    Raises
    ------
    EmbreeError
        If the library is not found, or the file is not an Embree 4 library.
    """
    path = _library_path()
    try:
        lib = ctypes.CDLL(str(path))
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(lib, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise EmbreeError(f"{path}: is not an Embree 4 library: {error}") from error
    return lib


def function_address(name: str) -> int:
    """Return the memory address of a C function of the Embree library, for kernels that call it.

    ``name`` is the name of the function, such as "rtcIntersect16".

    Raises
    ------
    EmbreeError
        If the library lacks the function.
    """
    function = getattr(library(), name, None)
    address = None if function is None else ctypes.cast(function, c_void_p).value
    if address is None:
        raise EmbreeError(f"the Embree library has no function {name}, expected Embree 4")
    return address


class Device:
    """The Embree device: one per process, shared by all scenes.

    Attributes
    ----------
    handle : int
        Address of the RTCDevice, for calls of the library.
    """

    def __init__(self) -> None:
        lib = library()
        self._errors: list[tuple[int, str]] = []
        handle = lib.rtcNewDevice(None)
        if not handle:
            raise EmbreeError("Embree returned no device", code=lib.rtcGetDeviceError(None))
        self.handle: int = handle
        self._callback = _ErrorFunction(self._note)
        lib.rtcSetDeviceErrorFunction(handle, self._callback, None)

    def _note(self, _user: int | None, code: int, text: bytes | None) -> None:
        self._errors.append((code, (text or b"").decode(errors="replace")))

    def check(self) -> None:
        """Raise EmbreeError for the first error that Embree has reported since the last check."""
        if self._errors:
            code, text = self._errors[0]
            self._errors.clear()
            raise EmbreeError(text or "Embree reported an error", code=code)

    def version(self) -> tuple[int, int, int]:
        """Return the version of the library: major, minor, patch."""
        major, minor, patch = (
            int(library().rtcGetDeviceProperty(self.handle, each)) for each in PROPERTIES_VERSION
        )
        return major, minor, patch

    def native_packet_width(self) -> int:
        """Return the number of rays of the widest packet that this processor traces natively.

        It is 16, 8 or 4.
        """
        for width in (16, 8):
            if library().rtcGetDeviceProperty(self.handle, PROPERTY_NATIVE_RAY[width]):
                return width
        return 4


@_once
def device() -> Device:
    """Return the Embree device of this process; the first call makes it."""
    return Device()


class EmbreeScene:
    """An Embree scene with its attached geometries, freed with the object.

    Parameters
    ----------
    dynamic : bool
        Whether Embree builds the scene for frequent changes.

    Attributes
    ----------
    handle : int
        Address of the RTCScene, for calls of the library.
    """

    def __init__(self, *, dynamic: bool = False) -> None:
        lib = library()
        self.handle: int = lib.rtcNewScene(device().handle)
        weakref.finalize(self, lib.rtcReleaseScene, self.handle)
        lib.rtcSetSceneFlags(self.handle, SCENE_ROBUST | (SCENE_DYNAMIC if dynamic else 0))
        self._geometries: dict[int, Geometry] = {}
        device().check()

    def attach(self, geometry: Geometry) -> int:
        """Attach a geometry and return its id, the lowest free one."""
        geometry_id = int(library().rtcAttachGeometry(self.handle, geometry.handle))
        device().check()
        self._geometries[geometry_id] = geometry
        return geometry_id

    def attach_of(self, other: EmbreeScene, geometry_id: int) -> None:
        """Attach a geometry of another scene also to this one, under the id that it has there.

        ``other`` is that scene, and ``geometry_id`` the id of the geometry in it. The id must be
        free in this scene.
        """
        geometry = other.geometry(geometry_id)
        library().rtcAttachGeometryByID(self.handle, geometry.handle, geometry_id)
        device().check()
        self._geometries[geometry_id] = geometry

    def geometry(self, geometry_id: int) -> Geometry:
        """Return the attached geometry with the id ``geometry_id``; KeyError if there is none."""
        return self._geometries[geometry_id]

    def detach(self, geometry_id: int) -> None:
        """Detach the geometry with the id ``geometry_id``, which is then free, from the scene."""
        library().rtcDetachGeometry(self.handle, geometry_id)
        del self._geometries[geometry_id]
        device().check()

    def commit(self) -> None:
        """Build or update the scene's acceleration structure."""
        library().rtcCommitScene(self.handle)
        device().check()

    def bounds(self) -> NDArray[np.float32]:
        """Return the lowest and highest corner of the committed scene, (2, 3) [m]."""
        raw = np.zeros(12, np.float32)
        skip = -raw.ctypes.data % 16 // 4  # Embree requires 16-byte alignment
        corners = raw[skip : skip + 8]
        library().rtcGetSceneBounds(self.handle, corners.ctypes.data)
        device().check()
        return corners.reshape(2, 4)[:, :3]


class Geometry:
    """An Embree geometry and the arrays whose memory it reads, freed with this object.

    Parameters
    ----------
    kind : int
        Type of the geometry: `GEOMETRY_TRIANGLE` or `GEOMETRY_INSTANCE`.
    mask : int
        Mask bits. A ray hits the surface if the ray's mask has at least one of these bits.

    Attributes
    ----------
    handle : int
        Address of the RTCGeometry, for calls of the library.
    """

    def __init__(self, kind: int, *, mask: int) -> None:
        lib = library()
        self.handle: int = lib.rtcNewGeometry(device().handle, kind)
        weakref.finalize(self, lib.rtcReleaseGeometry, self.handle)
        lib.rtcSetGeometryMask(self.handle, mask)
        self._kept_alive: list[object] = []
        device().check()

    def keep(self, owner: object) -> None:
        """Keep an object alive as long as the geometry, as Embree reads its memory.

        ``owner`` is the object that owns the memory, such as an array or the scene of an instance.
        """
        self._kept_alive.append(owner)


def triangles(vertices_m: NDArray[np.float32], faces: NDArray[np.uint32], *, mask: int) -> Geometry:
    """Return a committed triangle geometry.

    Parameters
    ----------
    vertices_m : float32 (n_vertex, 3)
        Vertices. [m]
    faces : uint32 (n_face, 3)
        Vertex indices of each triangle.
    mask : int
        Mask bits. A ray hits the surface if the ray's mask has at least one of these bits.
    """
    geometry = Geometry(GEOMETRY_TRIANGLE, mask=mask)
    padded = np.zeros(vertices_m.size + 1, np.float32)
    padded[:-1] = vertices_m.ravel()
    indices = np.ascontiguousarray(faces, np.uint32)
    lib = library()
    for kind, form, array, count in (
        (BUFFER_VERTEX, FORMAT_FLOAT3, padded, len(vertices_m)),
        (BUFFER_INDEX, FORMAT_UINT3, indices, len(faces)),
    ):
        geometry.keep(array)
        lib.rtcSetSharedGeometryBuffer(
            geometry.handle, kind, 0, form, array.ctypes.data, 0, 12, count
        )
    lib.rtcCommitGeometry(geometry.handle)
    device().check()
    return geometry


def instance(scene: EmbreeScene) -> Geometry:
    """Return an instance of a committed scene; kernels of ``scene_kernels`` set its pose."""
    geometry = Geometry(GEOMETRY_INSTANCE, mask=0xFFFFFFFF)
    geometry.keep(scene)
    library().rtcSetGeometryInstancedScene(geometry.handle, scene.handle)
    device().check()
    return geometry
