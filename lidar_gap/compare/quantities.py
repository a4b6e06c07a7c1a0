# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The measures as tables and JSON show them: key, title, unit, digits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lidar_gap.compare.pair_measures import DCD_PER_M, F_SCORE_M, HAUSDORFF_PORTION
from lidar_gap.metrics.ranges import APART_M

if TYPE_CHECKING:
    from collections.abc import Callable

    from lidar_gap.compare.pair_measures import Measures

_MM, _PERCENT = ("mm", 1e3), ("%", 100.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """One number of `Measures`, and how tables and JSON show it.

    Attributes
    ----------
    key : str
        Key in JSON, which ends with the unit.
    title : str
        Name in tables.
    unit : str
        Unit of the value in tables; empty for numbers without a unit.
    scale : float
        Factor from the value in JSON to the value in tables.
    digits : int
        Digits after the decimal point in tables.
    brief : str
        Name in the table of frames; empty if this table does not show the quantity.
    of : callable
        Takes `Measures` and returns the number in the unit of JSON; NaN if it is not known.
    """

    key: str
    title: str
    of: Callable[[Measures], float]
    unit: str = ""
    scale: float = 1.0
    digits: int = 3
    brief: str = ""

    @property
    def heading(self) -> str:
        """Name in tables (`title`), followed by the unit in brackets if there is one."""
        return f"{self.title} [{self.unit}]" if self.unit else self.title

    @property
    def brief_heading(self) -> str:
        """Name in the table of frames (`brief`), followed by the unit in brackets if any."""
        return f"{self.brief} [{self.unit}]" if self.unit else self.brief

    def shown(self, measures: Measures) -> str:
        """Return the quantity's value in ``measures`` (`Measures`) as text, in the unit of tables.

        The text of a value that is NaN is "-".
        """
        return number_text(self.scale * self.of(measures), self.digits)


def number_text(value: float, digits: int) -> str:
    """Return the number ``value`` as text, with ``digits`` (int) digits after the decimal point.

    The text of NaN is "-". A negative number that rounds to zero has no minus sign: "0.00".
    """
    return "-" if math.isnan(value) else f"{round(value, digits) + 0.0:.{digits}f}"


def _shown_in(
    unit: tuple[str, float],
    key: str,
    title: str,
    of: Callable[[Measures], float],
    brief: str = "",
) -> Quantity:
    """Return a quantity that tables show in another unit than JSON, with one decimal."""
    return Quantity(key=key, title=title, of=of, unit=unit[0], scale=unit[1], digits=1, brief=brief)


def _distance(name: str) -> Callable[[Measures], float]:
    """Return a function that reads one distance of the measures; NaN if there are no distances."""

    def read(measures: Measures) -> float:
        return math.nan if measures.distances is None else getattr(measures.distances, name)

    return read


def _apart(number: int) -> Quantity:
    """Return the share of pixels in one class of range difference of the gap budget."""
    low, high = APART_M[number : number + 2]
    ends = f"{low:g} m on" if math.isinf(high) else f"{low:g} to {high:g} m"
    key = f"apart_from_{low:g}_m".replace(".", "p")
    brief = "< 5 cm" if number == 0 else ""
    return _shown_in(
        _PERCENT, key, f"apart by {ends}", lambda measures: measures.budget.apart[number], brief
    )


RETURNS = (
    Quantity(key="points_real", title="points, real", of=lambda m: m.n_real, digits=0),
    Quantity(key="points_sim", title="points, simulated", of=lambda m: m.n_sim, digits=0),
    Quantity(
        key="points_sim_over_real",
        title="simulated points per real one",
        of=lambda m: m.points_ratio,
        brief="S/R",
    ),
    Quantity(key="iou", title="IoU", of=lambda m: m.returns.iou, brief="IoU"),
    Quantity(key="precision", title="precision", of=lambda m: m.returns.precision),
    Quantity(key="recall", title="recall", of=lambda m: m.returns.recall),
    Quantity(key="f1", title="F1", of=lambda m: m.returns.f1),
    Quantity(key="accuracy", title="accuracy", of=lambda m: m.returns.accuracy),
    Quantity(
        key="ring_counts_mape_percent",
        title="returns per ring, MAPE",
        of=lambda m: m.ring_counts_mape_percent,
        unit="%",
        digits=1,
    ),
)
RANGES = (
    _shown_in(_MM, "median_m", "median error", lambda m: m.errors.median_m, "median"),
    _shown_in(_MM, "signed_median_m", "signed median", lambda m: m.errors.signed_median_m),
    _shown_in(_MM, "mae_m", "mean absolute error", lambda m: m.errors.mae_m),
    _shown_in(_MM, "rmse_m", "root mean square", lambda m: m.errors.rmse_m),
    _shown_in(_MM, "p95_m", "95th percentile", lambda m: m.errors.p95_m),
    Quantity(key="recall_50cm", title="recall within 50 cm", of=lambda m: m.recall_50cm),
)
BUDGET = (
    _shown_in(_PERCENT, "sim_only", "simulated only", lambda m: m.budget.sim_only, "sim only"),
    _shown_in(_PERCENT, "real_only", "real only", lambda m: m.budget.real_only, "real only"),
    *(_apart(number) for number in range(len(APART_M) - 1)),
)
EDGE_BUDGET = (
    _shown_in(_PERCENT, "at_edges", "share of the pixels", lambda m: m.edge_share),
    _shown_in(_PERCENT, "edge_sim_only", "simulated only", lambda m: m.edge_budget.sim_only),
    _shown_in(_PERCENT, "edge_real_only", "real only", lambda m: m.edge_budget.real_only),
    _shown_in(
        _PERCENT,
        "edge_apart_to_0p05_m",
        "apart by 0 to 0.05 m",
        lambda m: m.edge_budget.apart[0],
    ),
    _shown_in(
        _PERCENT,
        "edge_apart_from_0p05_m",
        "apart by 0.05 m on",
        lambda m: sum(m.edge_budget.apart[1:]),
    ),
)
DISTRIBUTIONS = (
    _shown_in(_MM, "range_avm_m", "ranges: area", lambda m: m.range_areas.area),
    _shown_in(_MM, "range_d_plus_m", "ranges: d+, too far", lambda m: m.range_areas.right),
    _shown_in(_MM, "range_d_minus_m", "ranges: d-, too near", lambda m: m.range_areas.left),
    _shown_in(_MM, "range_dvm_bias_m", "ranges: bias", lambda m: m.range_dvm.bias),
    _shown_in(_MM, "range_dvm_scatter_m", "ranges: scatter", lambda m: m.range_dvm.scatter),
    Quantity(key="range_ks", title="ranges: largest difference, KS", of=lambda m: m.range_ks),
    Quantity(key="jsd", title="seen from above: JSD", of=lambda m: m.jsd, digits=4),
    Quantity(key="mmd2", title="seen from above: MMD²", of=lambda m: m.mmd2, digits=6),
)
EDGES = (
    _shown_in(_PERCENT, "mixed_real", "mixed pixels, real", lambda m: m.real_edges.mixed),
    _shown_in(_PERCENT, "mixed_sim", "mixed pixels, simulated", lambda m: m.sim_edges.mixed),
    _shown_in(
        _PERCENT, "edge_missing_real", "missing at edges, real", lambda m: m.real_edges.missing
    ),
    _shown_in(
        _PERCENT, "edge_missing_sim", "missing at edges, simulated", lambda m: m.sim_edges.missing
    ),
    Quantity(
        key="holes_real",
        title="holes in surfaces, real",
        of=lambda m: m.real_edges.holes,
        unit="%",
        scale=100.0,
        digits=2,
    ),
    Quantity(
        key="holes_sim",
        title="holes in surfaces, simulated",
        of=lambda m: m.sim_edges.holes,
        unit="%",
        scale=100.0,
        digits=2,
    ),
)
CLOUDS = (
    Quantity(
        key="chamfer_m",
        title="Chamfer",
        of=_distance("chamfer_m"),
        unit="m",
        digits=4,
        brief="Chamfer",
    ),
    Quantity(
        key="chamfer_squared_m2",
        title="Chamfer, squared",
        of=_distance("chamfer_squared_m2"),
        unit="m²",
        digits=4,
    ),
    Quantity(
        key=f"f_score_{100 * F_SCORE_M:.0f}cm",
        title=f"F-score at {100 * F_SCORE_M:.0f} cm",
        of=_distance("f_score"),
    ),
    Quantity(
        key=f"hausdorff_{100 * HAUSDORFF_PORTION:.0f}_percent_m",
        title=f"Hausdorff, {100 * HAUSDORFF_PORTION:.0f} %",
        of=_distance("hausdorff_m"),
        unit="m",
    ),
    Quantity(
        key=f"dcd_{DCD_PER_M:.0f}_per_m",
        title=f"density-aware Chamfer, {DCD_PER_M:.0f} 1/m",
        of=_distance("dcd"),
    ),
    Quantity(
        key="emd_m", title="earth mover's, samples", of=_distance("emd_m"), unit="m", digits=2
    ),
)
GROUPS = {
    "Which beams return": RETURNS,
    "Range, where both return": RANGES,
    "Gap budget, of the pixels that return in either": BUDGET,
    "The same, beside edges": EDGE_BUDGET,
    "Clouds, by nearest neighbours": CLOUDS,
    "Distributions": DISTRIBUTIONS,
    "Edges and holes": EDGES,
}
"""All quantities as a mapping: title of a section of the table of measures, to the tuple of
`Quantity` that the section shows, in order."""
EVERY = tuple(quantity for group in GROUPS.values() for quantity in group)
BRIEF = tuple(quantity for quantity in EVERY if quantity.brief)
"""Tuple of `Quantity`: the columns of the table that has one row for each frame."""
