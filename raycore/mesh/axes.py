# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Axes of meshes: which one points up and which one forward, and the turn to x forward, z up."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_Array = npt.NDArray[np.float64]

_AXES = "xyz"
_ELONGATED = 1.5  # a footprint this much longer than wide shows the object's long axis


def axes_rotation(up: str, forward: str) -> _Array:
    """Return the matrix (3, 3) that rotates a mesh's forward axis to x, and its up axis to z.

    Axes are named like "y" or "-y".
    """
    z, x = _unit(up), _unit(forward)
    return np.array([x, np.cross(z, x), z])


def _unit(axis: str) -> _Array:
    unit = np.zeros(3)
    unit[_AXES.index(axis[-1])] = -1.0 if axis.startswith("-") else 1.0
    return unit


def default_forward(up: str) -> str:
    """Return the default forward axis for an up axis: y if x is up, else x."""
    return "y" if up == "x" else "x"


def object_from_mesh_axes(axes: tuple[str, str], bounds: _Array, dimension: _Array) -> _Array:
    """Return the rotation of a mesh into the frame of its object (x forward, z up), float64 (3, 3).

    Parameters
    ----------
    axes : (str, str)
        The axis of the mesh that points up, such as "z", and the axis that points forward, or
        "auto". With "auto", `default_forward` points forward, unless mesh and object clearly differ
        in which horizontal side is the longer one. Then the other horizontal axis points forward.
    bounds : float64 (2, 3)
        Least and greatest corner of the mesh, in its frame.
    dimension : float64 (3,)
        Length, width and height of the object. [m]
    """
    up, forward = axes
    if forward != "auto":
        return axes_rotation(up, forward)
    ahead = default_forward(up)
    across = next(axis for axis in reversed(_AXES) if axis not in (up, ahead))
    extent = bounds[1] - bounds[0]
    mesh = _elongation(extent[_AXES.index(ahead)], extent[_AXES.index(across)])
    box = _elongation(dimension[0], dimension[1])
    return axes_rotation(up, across if mesh * box < 0 else ahead)


def _elongation(length: float, width: float) -> int:
    """Return 1 if clearly longer than wide, -1 if clearly wider than long, else 0."""
    return int(length > _ELONGATED * width) - int(width > _ELONGATED * length)
