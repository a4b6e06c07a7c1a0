# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Look-up tables from Embree's indices of a hit to the object and the material."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from raycore.images.image_kernels import ImageArrays


@dataclass(frozen=True, slots=True, kw_only=True)
class Surfaces:
    """Look-up tables of a scene: from the instance and primitive that a ray hits to what it hit.

    Embree numbers instances of meshes, and the primitives (triangles) of each mesh. The tables have
    a row for each primitive of each mesh, and then of each variant of a mesh with other materials.

    Attributes
    ----------
    object_of_instance : uint64 (n_instance,)
        OSI id of each instance's object; ``NO_OBJECT`` for an instance without an object.
    whole_of_instance : uint32 (n_instance,)
        Index of an instance that stands for each instance. If one file places its meshes several
        times, its instances all have the same index; any other instance has its own index.
    first_row_of_instance : int64 (n_instance,)
        First row of each instance's mesh, or of its variant; the row of a hit is this plus the
        hit's primitive.
    material_of_row : uint16 (n_row,)
        Index into the material table for each row.
    images : ImageArrays
        The images of base colours, if they give surfaces a pattern.
    wide_ids : bool
        Whether an OSI id does not fit into 32 bits.
    """

    object_of_instance: NDArray[np.uint64]
    whole_of_instance: NDArray[np.uint32]
    first_row_of_instance: NDArray[np.int64]
    material_of_row: NDArray[np.uint16]
    images: ImageArrays
    wide_ids: bool
