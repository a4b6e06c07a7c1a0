# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Number of points of each object in each cloud, for the plot of an object over frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_app.show.page.encoding import encode_chunk, number_codes, table_codes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

BYTES_OF_ROW = 4
"""Approximate size in the page of the point count of one object in one cloud. [bytes]"""


class ObjectPoints(NamedTuple):
    """Number and median time of the points on each OSI object in a cloud.

    Attributes
    ----------
    object_id : uint64 (n,)
        OSI ids of the objects with points.
    n_point : int64 (n,)
        Number of points on each object.
    median_ns : int64 (n,) or None
        Lower median of the times of each object's points, after the begin of the scan; None if the
        points have no times. [ns]
    """

    object_id: NDArray[np.uint64]
    n_point: NDArray[np.int64]
    median_ns: NDArray[np.int64] | None = None


NO_OBJECTS = ObjectPoints(np.zeros(0, np.uint64), np.zeros(0, np.int64))


def object_points(
    object_id: NDArray[np.uint32] | NDArray[np.uint64], time_ns: NDArray[np.integer] | None = None
) -> ObjectPoints:
    """Count the points on each OSI object in a cloud.

    Parameters
    ----------
    object_id : uint32 or uint64 (n_point,)
        OSI id of each point's object; the largest number of the type means no object.
    time_ns : int (n_point,), optional
        Times of the points after the begin of the scan. [ns]
    """
    ids, counts = np.unique(object_id, return_counts=True)
    is_object = ids != np.iinfo(object_id.dtype).max
    median_ns = None
    if time_ns is not None:
        middle = np.cumsum(counts) - counts + (counts - 1) // 2
        median_ns = time_ns[np.lexsort((time_ns, object_id))][middle][is_object].astype(np.int64)
    chosen = ids[is_object].astype(np.uint64), counts[is_object].astype(np.int64)
    return ObjectPoints(*chosen, median_ns)


def points_chunk(clouds: Iterable[ObjectPoints]) -> bytes:
    """Encode the point counts of all clouds as one chunk, a gzipped table for the browser.

    A row is one object in one cloud: index of the cloud in ``clouds``, OSI id, number of points.
    """
    clouds = list(clouds)
    ids = [each.object_id for each in clouds]
    return encode_chunk(
        [
            number_codes("cloud", np.repeat(np.arange(len(clouds)), [*map(len, ids)])),
            table_codes("object", np.concatenate(ids)),
            number_codes("points", np.concatenate([each.n_point for each in clouds])),
        ],
        {},
    )
