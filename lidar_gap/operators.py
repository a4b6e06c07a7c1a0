# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators that close parts of the gap, to measure the effect of each part on a detector.

Operators replace parts of a simulated cloud by parts of the real cloud, pixel by pixel of their
images. Each operator chooses points from the two unchanged clouds, so their order does not matter.

    drop                removes simulated points without a real one
    add                 adds real points without a simulated one
    echoes              adds the real points of beams with several echoes, wherever they lie
    modify=lo:hi        replaces simulated points whose range is lo to hi metres off the real one
    modify-range=lo:hi  replaces simulated points lo to hi metres from the sensor

The operators follow [1]_, which calls the limits of "modify" both a difference and a range.

References
----------
.. [1] S. Manivasagam et al., "Towards zero domain gap: a comprehensive study of realistic LiDAR
   simulation for autonomy testing", ICCV 2023.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lidar_gap.records import ScanCloud
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lidar_gap.records import Pair, RangeImage

OPERATORS = "drop, add, echoes, modify=lo:hi, modify-range=lo:hi"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Simulated points that an operator removes, and real points that it adds in their place.

    Attributes
    ----------
    removed : bool (n_sim,)
        Whether each simulated point is removed.
    added : bool (n_real,)
        Whether each real point is added to the simulated cloud.
    """

    removed: NDArray[np.bool_]
    added: NDArray[np.bool_]


def applied(names: Sequence[str], pair: Pair) -> ScanCloud:
    """Apply operators to the simulated cloud of a pair, and return the resulting cloud.

    Each operator chooses points in the original clouds, so their order does not matter.

    Parameters
    ----------
    names : sequence of str
        Operators, such as ``["drop", "modify=0:0.5"]``; without any, all simulated points stay.
    pair : Pair
        The real and the simulated cloud with their range images.

    Returns
    -------
    ScanCloud
        The remaining simulated points, then the added real ones, with the columns that both clouds
        have.

    Raises
    ------
    InputError
        If there is no such operator, its limits are not 0 <= lo <= hi, or the real cloud does not
        state numbers of echoes, which ``echoes`` needs.
    """
    removed = np.zeros(len(pair.sim), np.bool_)
    added = np.zeros(len(pair.real), np.bool_)
    for name in names:
        choice = chosen(name, pair)
        removed |= choice.removed
        added |= choice.added
    return _joined(pair.sim.rows(~removed), pair.real.rows(added))


def chosen(name: str, pair: Pair) -> Chosen:
    """Return the points that an operator removes and adds.

    Parameters
    ----------
    name : str
        The operator with its limits, such as ``drop`` or ``modify=0:0.5`` (metres).
    pair : Pair
        The real and the simulated cloud with their range images.

    Raises
    ------
    InputError
        If there is no such operator, its limits are not 0 <= lo <= hi, or the real cloud does not
        state numbers of echoes, which ``echoes`` needs.
    """
    plain = {"drop": drop, "add": add, "echoes": add_echoes}
    if name in plain:
        return plain[name](pair)
    operator, _, limits = name.partition("=")
    if operator == "modify":
        return modify(pair, *_limits(name, limits))
    if operator == "modify-range":
        return modify(pair, *_limits(name, limits), by="range")
    raise InputError(f"no operator {name!r}, expected some of: {OPERATORS}")


def drop(pair: Pair) -> Chosen:
    """Choose the simulated points without a real point in their pixel, to be removed.

    ``pair`` (`Pair`) has the real and the simulated cloud with their range images. Simulated points
    outside the range image are chosen, too. No real point is added. Trap: the result is the best
    that any model of dropouts could reach.
    """
    return Chosen(removed=~_met(pair.sim_image, pair.real_image), added=_none(pair.real))


def add(pair: Pair) -> Chosen:
    """Choose the real points without a simulated point in their pixel, to be added.

    ``pair`` (`Pair`) has the real and the simulated cloud with their range images. Real points
    outside the range image are chosen, too. No simulated point is removed. Trap: this also adds
    objects that the simulated scene lacks, such as traffic.
    """
    return Chosen(removed=_none(pair.sim), added=~_met(pair.real_image, pair.sim_image))


def add_echoes(pair: Pair) -> Chosen:
    """Choose all real points of beams with several echoes, to be added to the simulated cloud.

    ``pair`` (`Pair`) has the real and the simulated cloud. No simulated point is removed, even in
    the same pixels. Trap: formats of different makers state numbers of echoes differently. Readers
    of packets count two equal returns of a beam as one echo.

    Raises
    ------
    InputError
        If the real cloud does not state numbers of echoes.
    """
    n_echoes = pair.real.n_echoes
    if n_echoes is None:
        raise InputError(
            f"{pair.real.name}: does not state the number of echoes, which operator 'echoes' needs"
        )
    return Chosen(removed=_none(pair.sim), added=n_echoes > 1)


def modify(
    pair: Pair, lo: float, hi: float, *, by: Literal["difference", "range"] = "difference"
) -> Chosen:
    """Choose simulated points, to be replaced by the real points in the same pixels.

    A pixel may hold several points. Only its nearest simulated and its nearest real point are
    compared. If the quantity is within the limits, the result removes the simulated point and adds
    the real point. All other points stay unchanged.

    Parameters
    ----------
    pair : Pair
        The real and the simulated cloud with their range images.
    lo, hi : float
        Points are replaced if the quantity ``by`` is from ``lo`` to ``hi``, both included. [m]
    by : {"difference", "range"}
        Quantity that the limits apply to: the absolute difference between simulated and real range,
        or the simulated range.
    """
    real_m, sim_m = pair.real_image.range_m, pair.sim_image.range_m
    compared_m = np.abs(sim_m - real_m) if by == "difference" else sim_m
    both = pair.real_image.returned & pair.sim_image.returned
    exchanged = both & (compared_m >= lo) & (compared_m <= hi)
    removed, added = _none(pair.sim), _none(pair.real)
    removed[pair.sim_image.point[exchanged]] = True
    added[pair.real_image.point[exchanged]] = True
    return Chosen(removed=removed, added=added)


def _limits(name: str, text: str) -> tuple[float, float]:
    """Return the limits of an operator, such as 0 and inf of "0:inf"."""
    lo_text, _, hi_text = text.partition(":")
    try:
        lo, hi = float(lo_text), float(hi_text)
    except ValueError:
        lo = hi = math.nan
    if not 0 <= lo <= hi:
        raise InputError(
            f"{name!r}: expected two limits in metres, from 0 on, the lower one first, such as "
            "modify=0.1:0.5"
        )
    return lo, hi


def _met(own: RangeImage, other: RangeImage) -> NDArray[np.bool_]:
    """Return which points of a cloud have a point of the other cloud in their pixel."""
    pixel = own.pixel_of_point
    met: NDArray[np.bool_] = other.returned.ravel()[pixel] & (pixel >= 0)
    return met


def _none(cloud: ScanCloud) -> NDArray[np.bool_]:
    """Return a mask that chooses no point of a cloud."""
    return np.zeros(len(cloud), np.bool_)


def _joined(sim: ScanCloud, real: ScanCloud) -> ScanCloud:
    """Return a cloud with the points of both clouds, and the columns that both have."""
    columns_of = {
        each.name: (getattr(sim, each.name), getattr(real, each.name))
        for each in fields(ScanCloud)
        if each.name not in {"name", "states_range", "not_followed", "assumed"}
    }
    columns: dict[str, Any] = {
        name: np.concatenate(columns)
        for name, columns in columns_of.items()
        if all(column is not None for column in columns)
    }
    return ScanCloud(name=sim.name, states_range=sim.states_range, **columns)
