# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Normals of a map's points, and Open3D, which computes them."""

from __future__ import annotations

import ctypes
import importlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NEIGHBOURS = 30


def open3d() -> Any:  # noqa: ANN401  the module has no types
    """Import and return the module Open3D, which the extra ``twin`` installs.

    Raises
    ------
    InputError
        If Open3D is not installed, or cannot be loaded.
    """
    with suppress(ImportError):  # Open3D needs libusb, which many Linux systems lack
        libusb = importlib.import_module("libusb_package")
        ctypes.CDLL(str(libusb.get_library_path()), mode=ctypes.RTLD_GLOBAL)
    try:
        return importlib.import_module("open3d")
    except (ImportError, OSError) as error:
        raise InputError(f"twin: needs Open3D: pip install 'osi-lidar[twin]' ({error})") from None


def normals_of(points_m: NDArray[np.float64], *, radius_m: float) -> NDArray[np.float64]:
    """Return a unit normal of arbitrary sign for each point of a cloud, float64 (n_point, 3).

    Parameters
    ----------
    points_m : float64 (n_point, 3)
        The points. [m]
    radius_m : float
        Largest distance of the neighbours that a normal is computed from; at most 30 are used. [m]

    Raises
    ------
    InputError
        If Open3D is not installed.
    """
    library = open3d()
    cloud = library.geometry.PointCloud(library.utility.Vector3dVector(points_m))
    near = library.geometry.KDTreeSearchParamHybrid(radius=radius_m, max_nn=_NEIGHBOURS)
    cloud.estimate_covariances(near)
    axes = np.linalg.eigh(np.asarray(cloud.covariances))[1]
    # direction of the smallest spread
    normal: NDArray[np.float64] = np.ascontiguousarray(axes[:, :, 0])
    return normal
