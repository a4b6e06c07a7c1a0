# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Boxes of the OSI objects of a message, encoded as a chunk of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_app.show.page.encoding import encode_chunk, number_codes, table_codes
from osi_bridge import ObjectKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_bridge import ObjectStates

LENGTH_STEP_M, ANGLE_STEP_RAD = 0.001, 1e-4


def box_chunk(objects: ObjectStates, parts: NDArray[np.int64] | None = None) -> bytes:
    """Encode the boxes of OSI objects as a chunk, a gzipped table that the page decodes.

    A row is one object: pose in the world, size, OSI id, kind and type.

    Parameters
    ----------
    objects : ObjectStates
        Objects of one OSI message.
    parts : int64 (n_object,), optional
        Index of each object's mesh in `RunScene.parts`, -1 for an object without a mesh. It becomes
        the column "part".
    """
    lengths = {
        **dict(zip("xyz", objects.position_m.T, strict=True)),
        **dict(zip(("length", "width", "height"), objects.dimension_m.T, strict=True)),
    }
    angles = dict(zip(("roll", "pitch", "yaw"), objects.orientation_rad.T, strict=True))
    types = zip(objects.type_name, objects.subtype_name, strict=True)
    kinds = [ObjectKind(kind).name.lower().replace("_", " ") for kind in objects.kind]
    words = [
        _plain(finer) or _plain(coarse) or kind
        for (coarse, finer), kind in zip(types, kinds, strict=True)
    ]
    return encode_chunk(
        [
            *(number_codes(name, each, step=LENGTH_STEP_M) for name, each in lengths.items()),
            *(number_codes(name, each, step=ANGLE_STEP_RAD) for name, each in angles.items()),
            table_codes("object", objects.object_id),
            table_codes("kind", np.array(kinds, str)),
            table_codes("type", np.array(words, str)),
            *([] if parts is None else [number_codes("part", parts)]),
        ],
        {},
    )


def _plain(name: str) -> str:
    """Return a name of an OSI enumeration in plain words: TYPE_DELIVERY_VAN: delivery van."""
    return name.removeprefix("TYPE_").removeprefix("ICON_").replace("_", " ").lower()
