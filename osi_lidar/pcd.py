# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Point clouds as PCD files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pypcd4.pypcd4 import Encoding, MetaData, PointCloud

from osi_lidar.files import replacing

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_LETTER: dict[str, Literal["F", "U", "I"]] = {"f": "F", "u": "U", "i": "I"}


def write_pcd(path: Path, points: NDArray[Any], encoding: str = "binary") -> None:
    """Write points to a PCD file, unorganised, without a row that is no point.

    Parameters
    ----------
    path : Path
        The file; it is replaced if it exists.
    points : structured (n_point,)
        Rows as in ``response.point_type``; every field keeps its type.
    encoding : {"binary", "binary_compressed", "ascii"}
        How the rows are written.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    names = points.dtype.names or ()
    types = [points.dtype[name] for name in names]
    metadata = MetaData(
        fields=names,
        size=tuple(t.itemsize for t in types),
        type=tuple(_LETTER[t.kind] for t in types),
        count=(1,) * len(types),
        points=len(points),
        width=len(points),
    )
    with replacing(path) as temporary:
        PointCloud(metadata, points).save(temporary, Encoding(encoding))
