# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The picture of the runs: gaps at detection and onset of the brake, and least distances."""

from collections.abc import Sequence
from pathlib import Path

from drive import Outcome

from osi_lidar.errors import InputError

try:
    from lidar_gap.pictures.figures import Axes, Figure, save
except InputError as error:
    raise SystemExit(str(error)) from None

__all__ = ["draw"]

SHOWN = (
    ("detected_m", "detected", "tab:blue", "o"),
    ("braked_m", "brake on", "tab:orange", "s"),
    ("least_m", "least distance", "tab:green", "^"),
)
LEVEL = 0.22
"""Distance of the three rows of a variant, in rows of variants."""


def draw(path: Path, outcomes: Sequence[Outcome]) -> None:
    """Draw a panel for each scenario, and a mark for each run.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    scenarios = list(dict.fromkeys(each.scenario for each in outcomes))
    variants = list(dict.fromkeys(each.variant for each in outcomes))
    figure = Figure(figsize=(3.3 * len(scenarios) + 0.9, 0.5 * len(variants) + 1.3))
    figure.set_layout_engine("constrained")
    panels = figure.subplots(1, len(scenarios), sharey=True, squeeze=False)[0]
    for axes, scenario in zip(panels, scenarios, strict=True):
        _panel(axes, [each for each in outcomes if each.scenario == scenario], variants)
        axes.set_title(scenario, size=10)
    panels[0].set_yticks(range(len(variants)), variants, size=9)
    panels[0].invert_yaxis()
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), fontsize=8)
    save(figure, path)


def _panel(axes: Axes, outcomes: Sequence[Outcome], variants: Sequence[str]) -> None:
    for number, (name, label, colour, marker) in enumerate(SHOWN):
        places = [
            (getattr(each, name), variants.index(each.variant) + LEVEL * (number - 1))
            for each in outcomes
            if getattr(each, name) is not None
        ]
        gap_m, row = zip(*places, strict=True) if places else ((), ())
        axes.scatter(gap_m, row, s=14, c=colour, marker=marker, alpha=0.6, lw=0, label=label)
    hits = [variants.index(each.variant) + LEVEL for each in outcomes if each.least_m == 0.0]
    axes.scatter([0.0] * len(hits), hits, s=40, c="tab:red", marker="x", label="collision")
    for below in range(1, len(variants)):
        axes.axhline(below - 0.5, color="0.85", lw=0.8)
    axes.set_xlim(left=-1.0)
    axes.set_xlabel("gap to the hazard [m]", size=9)
    axes.tick_params(labelsize=8)
