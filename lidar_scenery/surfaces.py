# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Look-up tables from what a ray has hit to the object and the material there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from raycore.images.image_kernels import ImageArrays


@dataclass(frozen=True, slots=True, kw_only=True)
class Surfaces:
    """What the response needs to know of the scene: look-up tables by Embree's indices.

    Attributes
    ----------
    object_of_instance : uint64 (n_instance,)
        OSI id, ``NO_OBJECT`` where there is none.
    whole_of_instance : uint32 (n_instance,)
        One instance that stands for all those of a file whose meshes stand in several places; for
        any other instance it is that one itself.
    first_row_of_instance : int64 (n_instance,)
        Where the rows of an instance's mesh start.
    material_of_row : uint16 (n_row,)
        Row of the material table, by Embree's primitive.
    images : ImageArrays
        The images of base colours, where they give surfaces a pattern.
    wide_ids : bool
        Whether an OSI id does not fit into 32 bits.
    """

    object_of_instance: NDArray[np.uint64]
    whole_of_instance: NDArray[np.uint32]
    first_row_of_instance: NDArray[np.int64]
    material_of_row: NDArray[np.uint16]
    images: ImageArrays
    wide_ids: bool
