# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Point instancers: their prototypes, and the transforms of their instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pxr import UsdGeom

from raycore.errors import MeshError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pxr import Usd


def prototypes_of(prim: Usd.Prim) -> list[Usd.Prim]:
    """Return the prototypes of a point instancer; a missing prototype is an invalid prim.

    ``prim`` is the point instancer. The order is the one to which its protoIndices refer.
    """
    stage = prim.GetStage()
    targets = UsdGeom.PointInstancer(prim).GetPrototypesRel().GetForwardedTargets()
    return [stage.GetPrimAtPath(path) for path in targets]


def matrices_of(
    prim: Usd.Prim, time: Usd.TimeCode, subject: str
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the transforms of a point instancer's active and visible instances.

    Parameters
    ----------
    prim : Usd.Prim
        The point instancer.
    time : Usd.TimeCode
        Time at which its attributes are read.
    subject : str
        Beginning of the messages of errors.

    Returns
    -------
    matrices : float64 (n, 4, 4)
        From the frame of the prototype's root prim into the instancer's, for row vectors.
    prototype : int64 (n,)
        Index of each instance's prototype.

    Raises
    ------
    MeshError
        The instancer's arrays differ in length, or an index is out of bounds.
    """
    instancer = UsdGeom.PointInstancer(prim)
    prototype = np.array(instancer.GetProtoIndicesAttr().Get(time) or [], np.int64)
    if not len(prototype):
        return np.empty((0, 4, 4)), prototype
    n_prototype = len(prototypes_of(prim))
    if prototype.min() < 0 or prototype.max() >= n_prototype:
        raise MeshError(
            f"{subject}protoIndices are {prototype.min()} to {prototype.max()}, expected 0 to "
            f"{n_prototype - 1}"
        )
    matrices = _all_matrices(instancer, time)
    if len(matrices) != len(prototype):
        raise MeshError(
            f"{subject}positions, orientations and scales differ in number from the "
            f"{len(prototype)} protoIndices, expected one for each"
        )
    mask = np.array(instancer.ComputeMaskAtTime(time), bool)
    shown = mask if len(mask) else np.ones(len(prototype), bool)
    return matrices[shown], prototype[shown]


def _all_matrices(instancer: UsdGeom.PointInstancer, time: Usd.TimeCode) -> NDArray[np.float64]:
    """Return the transforms of all instances, (n, 4, 4); none if arrays differ in length."""
    kind = UsdGeom.PointInstancer
    found = instancer.ComputeInstanceTransformsAtTime(
        time, time, kind.IncludeProtoXform, kind.IgnoreMask
    )
    return np.array(found, np.float64).reshape(-1, 4, 4)
