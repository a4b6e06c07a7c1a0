# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A cloud, encoded as a chunk of the page: positions, columns, pixels of the range image."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lidar_app.show.page.encoding import (
    Codes,
    encode_chunk,
    number_codes,
    rounded_step,
    table_codes,
)
from lidar_app.show.page.object_points import NO_OBJECTS, ObjectPoints, object_points
from lidar_gap.pictures.image_grid import image_points, places_m, points_only, range_grid
from osi_lidar.clouds.cloud import FIELD_UNITS
from osi_lidar.clouds.origins import ORIGINS
from osi_lidar.errors import InputError
from osi_lidar.scan.records import NO_MATERIAL

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    Rows: TypeAlias = NDArray[Any]  # structured

MOST_COLUMNS = 40
"""Largest number of columns (fields of a cloud) that the page shows; some clouds have thousands."""
FINEST_STEP_M = 1e-4
_PLACE_CODES = 65_533  # 16 bits, minus reserves for rounding and for the offset
_MOST_STEPS = 1e8  # to the farthest point, so that angles fit into 32 bits
_FAR_AWAY = 10.0  # in extents of a cloud
_WIDEST_IMAGE = 4096
_STEPS = {
    "intensity": 0.1,
    "reflectivity": 0.001,
    **dict.fromkeys(("normal_x", "normal_y", "normal_z"), 0.01),
    **dict.fromkeys(("range", "true_x", "true_y", "true_z", "true_range", "width_m"), 0.001),
    **dict.fromkeys(("yaw", "pitch"), 1e-5),
    "snr": 0.01,
    "radial_velocity": 0.001,
}
"""Rounding steps of columns of osi-lidar's clouds, see `scan.cloud.point_type`, `truth_export`."""
_OWN = {"object_id", "material_id", "reflectivity"}


class CloudChunk(NamedTuple):
    """A cloud that is encoded as a chunk, a gzipped table for the browser.

    Attributes
    ----------
    data : bytes
        The chunk, see `encode_chunk`.
    n_point : int
        Number of points; rows without a return do not count.
    step_m : float
        Step to which positions are rounded. [m]
    objects : ObjectPoints
        Number of points on each OSI object; empty for clouds from other programs.
    """

    data: bytes
    n_point: int
    step_m: float
    objects: ObjectPoints = NO_OBJECTS


@np.errstate(invalid="ignore")  # signalling NaNs count as NaN, too
def cloud_chunk(
    points: Rows, *, name: str = "the cloud", materials: Sequence[str] | None = None
) -> CloudChunk:
    """Encode a cloud as a chunk, see `encode_chunk`; rows without a return are left out.

    Parameters
    ----------
    points : structured (n_point,)
        With fields x, y and z [m]; up to `MOST_COLUMNS` other fields become columns.
    name : str
        Name of the cloud in error messages.
    materials : sequence of str, optional
        Names of the infrared materials, indexed by ``material_id``.

    Raises
    ------
    InputError
        If a field x, y or z is absent, or a coordinate is too large.
    """
    names = _names(points, name)
    points = _in_rows(points_only(name, points))
    places, step_m = _place_codes(points)
    sensor_at_0 = _is_around_0(points)
    derived = _derived(points, places, step_m) if sensor_at_0 else {}
    is_own = set(names) >= _OWN
    others = [each for each in names if each not in {"x", "y", "z", *derived}]
    single = [each for each in others if not points.dtype[each].shape]
    chosen = single[:MOST_COLUMNS]
    own = (_column(each, points, is_own=is_own, materials=materials) for each in chosen)
    columns = [*places, *derived.values(), *own]
    if is_own:
        columns = [_with_unit(each) for each in columns]
    about: dict[str, Any] = {"step_m": step_m, "left_out": len(others) - len(single[:MOST_COLUMNS])}
    if sensor_at_0:
        pixels, about["image"] = _pixels(points)
        columns += pixels
    times_ns = points["time_ns"] if is_own and "time_ns" in names else None
    objects = object_points(points["object_id"], times_ns) if is_own else NO_OBJECTS
    return CloudChunk(encode_chunk(columns, about), len(points), step_m, objects)


def _names(points: Rows, name: str) -> tuple[str, ...]:
    """Return the names of the fields of a cloud; raise InputError without x, y or z."""
    names = points.dtype.names or ()
    if missing := [axis for axis in "xyz" if axis not in names]:
        raise InputError(f"{name} has no field {', '.join(missing)}; it has {', '.join(names)}")
    return names


def _in_rows(points: Rows) -> Rows:
    """Sort the points by ring, if they have rings: adjacent rows then differ little."""
    names = points.dtype.names or ()
    if "ring" not in names:
        return points
    along = points["column"] if "column" in names else -np.arctan2(points["y"], points["x"])
    echo = points["echo"] if "echo" in names else np.zeros(len(points), np.uint8)
    return points[np.lexsort((echo, along, points["ring"]))]


def _place_codes(points: Rows) -> tuple[list[Codes], float]:
    """Return the positions as multiples of a step, and the step [m].

    Points in rings are written as range, azimuth and elevation. Only the range differs much between
    neighbours, so this takes half the bytes of x, y and z. The step of the angles equals the step
    of the range at the farthest point. Points without rings are written as x, y and z.
    """
    places = places_m(points)
    span_m = float(np.ptp(places, axis=0).max()) if len(places) else 0.0
    step_m = max(rounded_step(span_m / _PLACE_CODES) if span_m else 0.0, FINEST_STEP_M)
    x, y, z = places.T
    range_m = np.sqrt(x**2 + y**2 + z**2)
    farthest_m = float(range_m.max(initial=step_m))
    if "ring" not in (points.dtype.names or ()) or farthest_m > _MOST_STEPS * step_m:
        codes = [
            number_codes(axis, each, step=step_m)
            for axis, each in zip("xyz", (x, y, z), strict=True)
        ]
        return codes, step_m
    step_rad = step_m / farthest_m
    return [
        number_codes("@range", range_m, step=step_m),
        number_codes("@azimuth", np.arctan2(y, x), step=step_rad),
        number_codes("@elevation", np.arctan2(z, np.hypot(x, y)), step=step_rad),
    ], step_m


def _is_around_0(points: Rows) -> bool:
    """Return whether the origin is near the points, as for a sensor; in a map it is far away."""
    if not len(points):
        return False
    places = places_m(points)
    nearest_m = float(np.linalg.norm(places, axis=1).min())
    return nearest_m <= max(float(np.ptp(places, axis=0).max()), 1.0) * _FAR_AWAY


def _decoded_range_m(places: Sequence[Codes]) -> NDArray[np.float64]:
    """Return the distances of the rounded positions, float64 (n_point,) [m]."""
    first, *others = (each.header["offset"] + each.codes * each.header["step"] for each in places)
    if places[0].name == "@range":
        return np.asarray(first)
    return np.asarray(np.sqrt(first**2 + sum(each**2 for each in others)))


def _column(name: str, points: Rows, *, is_own: bool, materials: Sequence[str] | None) -> Codes:
    """Return the codes of a field; ids of materials and origins also have names."""
    values = points[name]
    if values.dtype.kind not in "iubf":
        return table_codes(name, values.astype(str))
    if not is_own:
        return number_codes(name, values)
    if name == "object_id":
        return table_codes(name, values, absent=int(np.iinfo(values.dtype).max))
    if name == "material_id":
        return _named(table_codes(name, values, absent=NO_MATERIAL), materials or ())
    if name == "origin":
        return _named(table_codes(name, values), ORIGINS)
    return number_codes(name, values, step=_STEPS.get(name))


def _with_unit(column: Codes) -> Codes:
    """Return a column of osi-lidar's clouds with its unit, if it has one."""
    unit = FIELD_UNITS.get(column.name, "1")
    if unit == "1":
        return column
    return Codes(name=column.name, codes=column.codes, header={**column.header, "unit": unit})


def _named(column: Codes, names: Sequence[str]) -> Codes:
    """Return a column with a name for each number in its table."""
    table = column.header["table"]
    known = [
        names[int(each)] if each.isdecimal() and int(each) < len(names) else each for each in table
    ]
    return Codes(name=column.name, codes=column.codes, header={"table": table, "names": known})


def _derived(points: Rows, places: Sequence[Codes], step_m: float) -> dict[str, Codes]:
    """Return the columns that the page can compute from others, to within a step.

    ``range`` is the distance of the point, also in clouds without this field. ``intensity`` is the
    reflectivity in percent, up to 100.
    """
    names = points.dtype.names or ()
    nothing = np.zeros(len(points), np.uint32)
    found = {}
    told = _decoded_range_m(places)
    if "range" not in names or bool((np.abs(points["range"] - told) <= step_m).all()):
        header = {"derived": "distance", "offset": 0.0, "step": step_m, "none": 0}
        found["range"] = Codes(name="range", codes=nothing, header=header)
    if {"intensity", "reflectivity"} <= set(names):
        step = _STEPS["intensity"]
        percent = np.minimum(100.0 * points["reflectivity"].astype(np.float64), 100.0)
        if bool((np.abs(points["intensity"] - percent) <= step / 10).all()):
            header = {"derived": "percent", "offset": 0.0, "step": step, "none": 0}
            found["intensity"] = Codes(name="intensity", codes=nothing, header=header)
    return found


def _pixels(points: Rows) -> tuple[list[Codes], dict[str, Any]]:
    """Return the pixels of the points in the range image, and a description of the image."""
    grid = range_grid(image_points("", points))
    columns = grid.column // (int(grid.column.max()) // _WIDEST_IMAGE + 1)
    image = {
        "rows": int(grid.row.max()) + 1,
        "columns": int(columns.max()) + 1,
        "extent": list(grid.extent),
        "labels": list(grid.labels),
    }
    return [number_codes("@row", grid.row), number_codes("@column", columns)], image
