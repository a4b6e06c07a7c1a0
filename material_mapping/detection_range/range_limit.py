# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Range limit: the largest range at which a sensor sees a given reflectivity.

Data sheets state the range limit for Lambertian targets, at best for a dark and a bright one. For
every other reflectivity it comes from a curve through these pairs, from the lidar range equation,
or from several curves in one (docs/explanation/materials.md).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lidar_base.near_match import near_match
from material_mapping import kernels
from material_mapping.errors import RangeLimitError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from material_mapping.detection_range.range_equation import RangeEquation

    Pairs = Sequence[tuple[float, float]]
    KernelArguments = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], float]

FITS = {
    "linear": kernels.LINEAR,
    "root2": kernels.ROOT2,
    "root3": kernels.ROOT3,
    "root4": kernels.ROOT4,
    "log": kernels.LOG,
    "table": kernels.SEGMENT,
}
"""The fits that `RangeLimit.from_pairs` knows, and their codes in the kernels."""

JOINT_TOLERANCE_M = 1e-6
"""Largest drop of the range from one `Piece` to the next that counts as rounding. [m]"""

DARK_TARGET = 0.1
"""Reflectivity of the dark target of data sheets. [1]"""

BOUND_STEPS = 512
"""Number of steps of reflectivity, 0 to 1, in `RangeLimit.kernel_bounds`."""
_BOUND_SLACK_M = 1e-3  # more than a curve can fall by rounding and at joints

_BASES = {
    kernels.LINEAR: "R",
    kernels.ROOT2: "R^(1/2)",
    kernels.ROOT3: "R^(1/3)",
    kernels.ROOT4: "R^(1/4)",
    kernels.LOG: "ln R",
}
_POWERS = {2: kernels.ROOT2, 3: kernels.ROOT3, 4: kernels.ROOT4}
_EQUATIONS = {2: kernels.EQUATION2, 3: kernels.EQUATION3, 4: kernels.EQUATION4}


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Formula of a range limit, r(R), in one interval of reflectivity; r in m, R in percent.

    Attributes
    ----------
    kind : int
        Code of the formula in `material_mapping.kernels`. CONSTANT: r = a. LINEAR, ROOT2, ROOT3,
        ROOT4, LOG: r = a + b f(R) with f(R) = R, R^(1/2), R^(1/3), R^(1/4), ln R. SEGMENT:
        r = a + b (R - from) / width. EQUATION2, 3 or 4: r exp(a r) = b R^(1/m) with m = 2, 3 or 4.
    a, b : float
        Constants of the formula, in metres; only the a of an EQUATION is in 1/m.
    from_percent, width_percent : float
        Start and width of a segment. [%]
    until_percent : float
        Last reflectivity of this piece; the next piece begins above it. [%]
    """

    kind: int
    a: float = 0.0
    b: float = 0.0
    from_percent: float = 0.0
    width_percent: float = 1.0
    until_percent: float = math.inf

    def formula(self) -> str:
        """Return the piece's equation as text, such as "r = 20 + 3 R", r in m and R in percent."""
        if self.kind == kernels.CONSTANT:
            return f"r = {self.a:.6g}"
        if self.kind in _BASES:
            return f"r = {_tidy(self.a)} + {self.b:.6g} {_BASES[self.kind]}"
        if self.kind == kernels.SEGMENT:
            slope = self.b / self.width_percent
            return f"r = {self.a:.6g} + {slope:.6g} (R - {self.from_percent:g})"
        basis = _BASES[self.kind - kernels.EQUATION2 + kernels.ROOT2]
        return f"r exp({self.a:.6g} r) = {self.b:.6g} {basis}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RangeLimit:
    """The largest range at which a reflectivity is detected.

    Attributes
    ----------
    pieces : tuple of Piece
        One piece for each interval of reflectivity, dark to bright; the range never decreases.
    cap_m : float
        No surface is seen beyond this range. [m], may be infinite
    darkest : float
        Darkest reflectivity of the stated pairs, by default 10 %; see `least_reflectivity`. [1]
    """

    pieces: tuple[Piece, ...]
    cap_m: float = math.inf
    darkest: float = DARK_TARGET
    _arguments: KernelArguments = field(init=False, repr=False)

    def __post_init__(self) -> None:
        until = np.array([piece.until_percent for piece in self.pieces])
        rows = np.array(
            [(p.kind, p.a, p.b, p.from_percent, p.width_percent) for p in self.pieces], np.float64
        )
        until.flags.writeable = rows.flags.writeable = False
        object.__setattr__(self, "_arguments", (until, rows, self.cap_m))

    @classmethod
    def constant(cls, range_m: float = math.inf) -> RangeLimit:
        """Return a limit that is the same for every reflectivity above 0.

        Parameters
        ----------
        range_m : float
            The limit, above 0, else RangeLimitError; infinite by default. [m]
        """
        return cls(pieces=(Piece(kind=kernels.CONSTANT, a=math.inf),), cap_m=_cap(range_m))

    @classmethod
    def from_pairs(
        cls, pairs: Pairs, *, fit: str = "log", max_range_m: float = math.inf
    ) -> RangeLimit:
        """Return the curve through the pairs of a data sheet, r(R) = a + b f(R).

        Parameters
        ----------
        pairs : sequence of (percent, metres)
            Reflectivity of a Lambertian target [%] and the range at which it is just seen [m],
            in any order: two for a fit, two or more for a table.
        fit : {"linear", "root2", "root3", "root4", "log", "table"}
            f(R) = R, R^(1/2), R^(1/3), R^(1/4), ln R, or straight lines between the pairs,
            held constant outside them.
        max_range_m : float
            No surface is seen beyond this range. [m]

        Returns
        -------
        RangeLimit

        Raises
        ------
        RangeLimitError
            The fit is unknown, there are too few or too many pairs, percentages are equal,
            negative, or 0 for "log", ranges are negative or fall, or `max_range_m` is not above 0.

        Notes
        -----
        The received power of a target that fills the beam falls with 1/r^2, of a wire with 1/r^3,
        of a point with 1/r^4; hence the roots [1]_. The offset a makes the curve meet both pairs.

        References
        ----------
        .. [1] Rott et al., LiMOX - a point cloud lidar model toolbox based on NVIDIA OptiX ray
           tracing engine, Sensors 24(6), 1846, 2024, section 4.2, doi:10.3390/s24061846
        """
        pieces = _curve(pairs, fit)
        return cls(pieces=pieces, cap_m=_cap(max_range_m), darkest=_darkest(pairs))

    @classmethod
    def from_pieces(
        cls,
        pieces: Sequence[tuple[float | None, str, Pairs]],
        *,
        max_range_m: float = math.inf,
    ) -> RangeLimit:
        """Return a limit composed of several curves, each for an interval of reflectivity.

        Parameters
        ----------
        pieces : sequence of (until_percent, fit, pairs)
            From dark to bright. Each curve is as in `from_pairs`, and is used up to and including
            its `until_percent` [%]; the last one has None and is used beyond all others. The pairs
            of a piece need not lie in its interval.
        max_range_m : float
            No surface is seen beyond this range. [m]

        Raises
        ------
        RangeLimitError
            `from_pairs` rejects the pairs, the ends do not increase or are missing, or a curve
            begins at a shorter range than the range at which the previous curve ends.

        Notes
        -----
        A "user-defined range limit curve composed of different functional relations" (LiMOX,
        section 4.2, see `from_pairs`): the receiver's noise may limit dark targets, and the width
        of the beam bright ones.
        """
        if not pieces:
            raise RangeLimitError("range limit: pieces: got none, expected one curve or more")
        made: list[Piece] = []
        for number, (until_percent, fit, pairs) in enumerate(pieces, start=1):
            least = made[-1].until_percent if made else 0.0
            try:
                most = _end(until_percent, least, is_last=number == len(pieces))
                curve = _between(_curve(pairs, fit), least, most)
                if made:
                    _check_joint(made[-1], curve[0])
            except RangeLimitError as error:
                problem = str(error).removeprefix("range limit: ")
                raise RangeLimitError(f"range limit: piece {number}: {problem}") from None
            made += curve
        _, _, first_pairs = pieces[0]
        return cls(pieces=tuple(made), cap_m=_cap(max_range_m), darkest=_darkest(first_pairs))

    @classmethod
    def from_equation(cls, equation: RangeEquation, *, max_range_m: float = math.inf) -> RangeLimit:
        """Return the limit of the lidar range equation.

        Parameters
        ----------
        equation : RangeEquation
            From a sensor's optics, or fitted to pairs, see `range_equation`.
        max_range_m : float
            No surface is seen beyond this range. [m]
        """
        exponent = equation.exponent
        rate_per_m = equation.rate_per_m
        kind = (_EQUATIONS if rate_per_m > 0.0 else _POWERS)[exponent]
        factor = equation.clear_range_m / 100.0 ** (1.0 / exponent)
        return cls(pieces=(Piece(kind=kind, a=rate_per_m, b=factor),), cap_m=_cap(max_range_m))

    def max_range_m(self, reflectivity: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the largest range at which a surface of each reflectivity is seen.

        Parameters
        ----------
        reflectivity : array_like
            Reflectivity at the angle of incidence, as a fraction; above 1 for retroreflectors. [1]

        Returns
        -------
        float64, shape of `reflectivity`
            Between 0 and `cap_m`; 0 where nothing is reflected (reflectivity <= 0 or not a
            number), whatever the fit gives there. [m]
        """
        values = np.asarray(reflectivity)
        if values.dtype != np.float32:
            values = values.astype(np.float64)
        limit_m = np.zeros(values.size, np.float64)
        kernels.range_limit_of(*self.kernel_arguments(), values.ravel(), limit_m)
        return limit_m.reshape(values.shape)

    def kernel_arguments(self) -> KernelArguments:
        """Return the first three arguments of `kernels.range_limit_at`, of n pieces.

        They are the `until_percent` of each `Piece`, float64 (n,); its `kind`, `a`, `b`,
        `from_percent` and `width_percent`, float64 (n, 5); and `cap_m`.
        """
        return self._arguments

    def kernel_bounds(self) -> npt.NDArray[np.float64]:
        """Return a lower and an upper bound of the limit [m] in 512 steps of reflectivity, 0 to 1.

        Rows (lower, upper), float64 (512, 2); the last one also holds for reflectivities above 1.
        """
        edge_m = self.max_range_m(np.arange(BOUND_STEPS + 1) / BOUND_STEPS)
        edge_m[-1] = self.cap_m  # reflectivities above 1 belong to the last step
        return np.stack([edge_m[:-1] - _BOUND_SLACK_M, edge_m[1:] + _BOUND_SLACK_M], axis=1)


def _tidy(a_m: float) -> str:
    """Return an offset as text, as 0 if only a rounding error remains."""
    return f"{round(a_m, 9) + 0.0:.6g}"


def _curve(pairs: Pairs, fit: str) -> tuple[Piece, ...]:
    """Return the pieces of the curve through the pairs."""
    if fit not in FITS:
        expected = f"expected one of {', '.join(FITS)}{near_match(fit, FITS)}"
        raise RangeLimitError(f"range limit: unknown fit {fit!r}, {expected}")
    percent, range_m = _checked(pairs, fit)
    kind = FITS[fit]
    if fit == "table":
        return _table(percent, range_m)
    low, high = (kernels.fit_basis(kind, value) for value in percent)
    b = (range_m[1] - range_m[0]) / (high - low) if high > low else math.inf
    a = range_m[0] - b * low
    if not math.isfinite(a):
        raise RangeLimitError(
            f"range limit: no curve of fit {fit!r} from {range_m[0]:g} m at {percent[0]:g} % to "
            f"{range_m[1]:g} m at {percent[1]:g} %, the numbers are too close or too far apart"
        )
    return (Piece(kind=kind, a=a, b=b),)


def _darkest(pairs: Pairs) -> float:
    """Return the lowest reflectivity above 0 of checked pairs [1]."""
    return min(float(percent) for percent, _ in pairs if percent > 0.0) / 100.0


def _table(percent: tuple[float, ...], range_m: tuple[float, ...]) -> tuple[Piece, ...]:
    """Return the pieces of a table: straight lines between the pairs, constant outside them."""
    below = Piece(kind=kernels.CONSTANT, a=range_m[0], until_percent=percent[0])
    above = Piece(kind=kernels.CONSTANT, a=range_m[-1])
    pairs = itertools.pairwise(zip(percent, range_m, strict=True))
    lines = (
        Piece(
            kind=kernels.SEGMENT,
            a=start_m,
            b=end_m - start_m,
            from_percent=start,
            width_percent=end - start,
            until_percent=end,
        )
        for (start, start_m), (end, end_m) in pairs
    )
    return below, *lines, above


def _end(until_percent: float | None, least: float, *, is_last: bool) -> float:
    """Return the last reflectivity of a piece [%], checked; infinite for the last piece."""
    if is_last:
        if until_percent is not None:
            raise RangeLimitError(f"until_percent {until_percent:g}, but the last piece has no end")
        return math.inf
    if until_percent is None:
        raise RangeLimitError("until_percent is missing, only the last piece has no end")
    if not (math.isfinite(until_percent) and until_percent > least):
        raise RangeLimitError(f"until_percent {until_percent:g}, expected above {least:g}")
    return float(until_percent)


def _between(curve: Sequence[Piece], least: float, most: float) -> list[Piece]:
    """Return the pieces of a curve that lie in an interval, the last one cut off at its end."""
    inside = [piece for piece in curve if piece.until_percent > least]
    end = next(index for index, piece in enumerate(inside) if piece.until_percent >= most)
    return [*inside[:end], replace(inside[end], until_percent=most)]


def _check_joint(piece: Piece, following: Piece) -> None:
    """Raise RangeLimitError if the range drops from one piece to the next, brighter one."""
    percent = piece.until_percent
    before_m, after_m = (
        float(RangeLimit(pieces=(replace(one, until_percent=math.inf),)).max_range_m(percent / 100))
        for one in (piece, following)
    )
    if after_m < before_m - JOINT_TOLERANCE_M:
        raise RangeLimitError(
            f"begins with {after_m:g} m at {percent:g} %, but the previous piece ends with "
            f"{before_m:g} m; expected ranges that grow with reflectivity"
        )


def _cap(range_m: float) -> float:
    """Return a maximum range [m]; raise RangeLimitError if it is not above 0."""
    if not range_m > 0.0:
        raise RangeLimitError(f"range limit: maximum range {range_m:g} m, expected above 0 m")
    return float(range_m)


def _checked(
    pairs: Sequence[tuple[float, float]], fit: str
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the percentages and the ranges, sorted; raise RangeLimitError if one is wrong."""
    if len(pairs) < 2 or (len(pairs) > 2 and fit != "table"):
        expected = "2 or more" if fit == "table" else "2"
        raise RangeLimitError(
            f"range limit: got {len(pairs)} pair(s) for fit {fit!r}, expected {expected}"
        )
    if any(len(pair) != 2 for pair in pairs):
        raise RangeLimitError("range limit: expected pairs of [percent, metres]")
    ordered = sorted((float(percent), float(range_m)) for percent, range_m in pairs)
    for percent, range_m in ordered:
        if not (math.isfinite(percent) and percent >= 0.0 and (percent > 0.0 or fit != "log")):
            least = "a percentage above 0" if fit == "log" else "a percentage of 0 or more"
            raise RangeLimitError(f"range limit: {percent:g} % for fit {fit!r}, expected {least}")
        if not (math.isfinite(range_m) and range_m >= 0.0):
            raise RangeLimitError(
                f"range limit: got {range_m:g} m at {percent:g} %, expected 0 m or more"
            )
    for (percent, range_m), (next_percent, next_m) in itertools.pairwise(ordered):
        if percent == next_percent:
            raise RangeLimitError(f"range limit: two pairs for {percent:g} %, expected one")
        if next_m < range_m:
            raise RangeLimitError(
                f"range limit: {next_m:g} m at {next_percent:g} % is less than {range_m:g} m at"
                f" {percent:g} %, expected ranges that grow with reflectivity"
            )
    return tuple(p for p, _ in ordered), tuple(r for _, r in ordered)
