# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Pose of a mesh in the box of its OSI object, or in the world. All in float64.

The frame of an OSI object has its origin at the centre of the bounding box, x forward, y to the
left, z up (OSI, BaseMoving.position).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from osi_bridge import rotation_from_orientation
from raycore.mesh.axes import axes_rotation, default_forward, object_from_mesh_axes
from raycore.mesh.mesh_names import up_axis

if TYPE_CHECKING:
    from osi_lidar.config.scene import EnvironmentMesh
    from osi_lidar.world.assets.asset import Asset

Matrix = npt.NDArray[np.float64]

_NEAR = 0.02  # fraction of its size by which a mesh's origin may miss the bottom's centre


def placement(
    asset: Asset,
    mesh_bounds_m: npt.ArrayLike,
    dimension_m: npt.ArrayLike,
    rear_axle_from_center_m: npt.ArrayLike | None = None,
) -> Matrix:
    """Return ``object_from_mesh``, float64 (4, 4): from the mesh's frame to the OSI object's.

    Parameters
    ----------
    asset : Asset
        Axes, origin and scale of the mesh.
    mesh_bounds_m : (2, 3)
        Minimum and maximum coordinates of the mesh, in the mesh's frame and unit.
    dimension_m : (3,)
        Length, width, height of the OSI object. [m]
    rear_axle_from_center_m : (3,), optional
        Rear axle in the object's frame, NaN where unknown. [m]

    Notes
    -----
    ``fit`` makes the mesh's bounding box equal to the OSI box, axis by axis; the factor is 1 along
    an axis on which the mesh or the box has no extent. Otherwise the origin decides:

    - ``center``: the centre of the mesh's bounding box is the box's centre;
    - ``ground``: the mesh's origin is the centre of the box's bottom;
    - ``rear_axle``: the mesh's origin is the rear axle; as ``center`` if that is unknown;
    - ``as_is``: the mesh's origin is the box's centre;
    - ``auto``: ``ground`` if the mesh's origin is at its own bottom centre, else ``center``.

    A ``forward`` of ``auto`` means x, or y for a mesh with x up. If the mesh is clearly wider than
    long and the OSI box clearly longer than wide, or the reverse, ``auto`` means the other
    horizontal axis.
    """
    bounds = np.asarray(mesh_bounds_m, np.float64)
    dimension = np.asarray(dimension_m, np.float64)
    rotation = object_from_mesh_axes((asset.up, asset.forward), bounds, dimension)
    corners = np.sort(bounds @ rotation.T, axis=0)  # a signed permutation keeps a box a box
    center, extent = corners.mean(axis=0), corners[1] - corners[0]
    if asset.fit:
        sound = (extent > 0) & (dimension > 0)
        factors = np.divide(dimension, extent, out=np.ones(3), where=sound)
        return _affine(factors[:, None] * rotation, -factors * center)
    origin = _origin(asset.origin, center=center, extent=extent, bottom=corners[0, 2])
    shift = -asset.scale * center
    if origin == "ground":
        shift = np.array([0.0, 0.0, -dimension[2] / 2])
    elif origin == "as_is":
        shift = np.zeros(3)
    elif origin == "rear_axle" and rear_axle_from_center_m is not None:
        rear_axle = np.asarray(rear_axle_from_center_m, np.float64)
        shift = rear_axle if np.isfinite(rear_axle).all() else shift
    return _affine(asset.scale * rotation, shift)


def environment_transform(entry: EnvironmentMesh) -> Matrix:
    """Return ``world_from_mesh`` of a static mesh, (4, 4), from the mesh's unit to metres.

    ``entry`` is an entry of the configuration's ``scene.environment``: file, scale, axes and pose.
    The mesh is scaled, turned upright, then posed. The rotation is yaw, pitch, roll about z, y',
    x'' (ISO 8855). A ``forward`` of ``auto`` means x, or y for a mesh with x up.
    """
    up = up_axis(entry.mesh_file) if entry.up == "auto" else entry.up
    forward = default_forward(up) if entry.forward == "auto" else entry.forward
    orientation_rad = np.radians((entry.roll_deg, entry.pitch_deg, entry.yaw_deg))
    rotation = rotation_from_orientation(orientation_rad) @ axes_rotation(up, forward)
    return _affine(entry.scale * rotation, entry.position_m)


def _origin(origin: str, *, center: Matrix, extent: Matrix, bottom: float) -> str:
    if origin != "auto":
        return origin
    miss = np.abs([center[0], center[1], bottom])
    return "ground" if np.all(miss <= _NEAR * extent.max()) else "center"


def _affine(linear: Matrix, shift: npt.ArrayLike) -> Matrix:
    matrix = np.eye(4)
    matrix[:3, :3] = linear
    matrix[:3, 3] = shift
    return matrix
