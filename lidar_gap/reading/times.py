# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Times of points: few files state the unit of times, so it is inferred from their size.

livox_ros_driver2 writes ``timestamp`` as float64 nanoseconds since 1970. Drivers of RoboSense and
Hesai write it as float64 seconds. Drivers of Ouster write ``t`` as whole nanoseconds from the start
of the frame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_EPOCH_S = (9.0e8, 4.2e9)  # 1998 to 2103, since 1970
_LONGEST_FRAME_S = 10.0
_LEAST_WHOLE_NS = 1e6  # integers whose span within a frame is smaller are not nanoseconds


class PointTimes(NamedTuple):
    """Times of points since the earliest point, and a remark on the unit of the file's times.

    Attributes
    ----------
    since_s : float64 (n_point,)
        Time of each point since the earliest point. [s]
    assumed : str
        The assumed unit of the times in the file and why, such as "column t: times in us, by .. ".
        Empty if no remark is needed: for a unit that the name of the column means, and for the
        usual unit (ns for integers, s for other numbers), unless the time of the message told it.
    """

    since_s: NDArray[np.float64]  # (n_point,)
    assumed: str  # such as "column t: times in us, .."; may be empty


def point_times(
    name: str, values: NDArray[np.generic], stamp_s: float | None, *, in_ns: bool = False
) -> PointTimes | None:
    """Return the times of points since the earliest of them, in seconds; infer the file's unit.

    Parameters
    ----------
    name : str
        Name of the column.
    values : (n_point,)
        Times as in the file.
    stamp_s : float or None
        Time of the ROS message that contains the points [s]; None for points in a file.
    in_ns : bool
        Whether the name of the column means nanoseconds.

    Returns
    -------
    PointTimes or None
        The times, and a remark on their unit, which may be empty. None if a time is not finite.
    """
    numbers = np.asarray(values)
    whole = numbers.dtype.kind in "iu"
    if not whole and not np.isfinite(numbers).all():
        return None
    if not numbers.size:
        return PointTimes(np.zeros(0), "")
    since = (numbers - numbers.min()).astype(np.float64)
    last = float(numbers.max())
    span = float(since.max())
    unit, why = ("ns", "") if in_ns else _unit(last, span, stamp_s, whole=whole)
    assumed = f"column {name}: times in {unit}, {why}" if why else ""
    return PointTimes(since * _UNITS[unit], assumed)


def _unit(last: float, span: float, stamp_s: float | None, *, whole: bool) -> tuple[str, str]:
    """Return the unit of times, and the reason in words; none if the usual unit is assumed."""
    usual = "ns" if whole else "s"
    if stamp_s and (unit := next((u for u in _UNITS if _near(last * _UNITS[u], stamp_s)), None)):
        return unit, "by the time of the message"
    low, high = _EPOCH_S
    epoch = next((unit for unit, scale in _UNITS.items() if low <= last * scale <= high), None)
    if epoch is not None and (not whole or span < _LEAST_WHOLE_NS or epoch == "ns"):
        return epoch, "" if epoch == usual else "by their size, as times since 1970"
    if stamp_s is not None and not whole and span > _LONGEST_FRAME_S:
        fits = (unit for unit, scale in _UNITS.items() if span * scale <= _LONGEST_FRAME_S)
        return next(fits, "ns"), "by how far they are apart in one message"
    return usual, ""


def _near(one_s: float, other_s: float) -> bool:
    """Return whether two times since 1970 are within a factor of 2."""
    return 0.5 * other_s < one_s < 2.0 * other_s
