# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Draw the waveform of a beam on two surfaces, and the probability of detection over range.

    python examples/draw_echoes.py PICTURE

The sensor detects a target of 10 % reflectivity up to 60 m. Both surfaces have a reflectivity of
50 %, and each is hit by half of the beam.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from material_mapping import RangeLimit
from material_mapping.detection_range.signal_scale import SignalScale
from osi_lidar.config.beam import Pulse

LIMIT = RangeLimit.from_pairs([(10, 60), (40, 120)], fit="root2")
SIGMA_M = Pulse().sigma_m
REFLECTIVITY, SHARE = 0.5, 0.5
NEAR_M, APART_M = 60.0, (1.0, 0.5)
PROBABILITIES = (0.5, 0.9)


def scale_of(probability_at_limit: float) -> SignalScale:
    """Return the sensor's signal-to-noise scale, given the probability at the range limit."""
    return SignalScale(
        limit=LIMIT,
        sigma_m=SIGMA_M,
        max_range_m=200.0,
        probability_at_limit=probability_at_limit,
    )


def draw_waveform(axes: Axes, apart_m: float) -> None:
    """Draw the echoes of both surfaces, their sum with its maxima, and the threshold."""
    scale = scale_of(0.5)
    x_m = np.arange(NEAR_M - 1.5, NEAR_M + 2.5, 1e-3)
    surface_m = np.array([NEAR_M, NEAR_M + apart_m])
    height = scale.snr(SHARE * REFLECTIVITY, surface_m)
    parts = height * np.exp(-((x_m[:, np.newaxis] - surface_m) ** 2) / (2.0 * SIGMA_M**2))
    total = parts.sum(axis=1)
    inside = total[1:-1]
    top = 1 + np.flatnonzero((inside > total[:-2]) & (inside > total[2:]))
    axes.plot(x_m, parts, color="tab:gray", lw=1.0, ls="--")
    axes.plot(x_m, total, color="tab:blue", lw=2.0)
    axes.plot(x_m[top], total[top], "v", color="tab:red", ms=7)
    for at in top:
        label = f"{x_m[at]:.3f} m"
        axes.annotate(
            label, (x_m[at], total[at]), (0, 8), textcoords="offset points", ha="center", size=8
        )
    axes.axhline(scale.threshold, color="tab:green", lw=1.0, ls=":")
    axes.text(x_m[0] + 0.05, scale.threshold + 0.6, "threshold", color="tab:green", size=8)
    axes.set_title(f"surfaces at {surface_m[0]:g} and {surface_m[1]:g} m", size=9, loc="left")
    axes.set_xlim(x_m[0], x_m[-1])
    axes.set_ylim(0.0, 1.25 * total.max())
    axes.set_ylabel("signal / noise", size=9)


def draw_detection(axes: Axes) -> None:
    """Draw the probability of detection over range, as a multiple of the range limit."""
    times = np.linspace(0.6, 1.6, 400)
    limit_m = float(LIMIT.max_range_m(REFLECTIVITY))
    for probability in PROBABILITIES:
        scale = scale_of(probability)
        chance = scale.detection_probability(scale.snr(REFLECTIVITY, times * limit_m))
        axes.plot(times, chance, lw=2.0, label=f"{probability:g} at the limit")
    axes.axvline(1.0, color="tab:gray", lw=1.0, ls="--")
    axes.set_title("a surface that fills the beam", size=9, loc="left")
    axes.set_xlabel("range / range limit", size=9)
    axes.set_ylabel("probability of detection", size=9)
    axes.legend(fontsize=8)


def main(picture: Path) -> None:
    """Draw two waveforms on the left, and the probability on the right."""
    figure = Figure(figsize=(9.0, 4.2), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=(1.2, 1.0))
    panels = left.subplots(len(APART_M), 1, sharex=True)
    for axes, apart_m in zip(panels, APART_M, strict=True):
        draw_waveform(axes, apart_m)
    panels[-1].set_xlabel("range [m]", size=9)
    last = right.subplots()
    draw_detection(last)
    for axes in (*panels, last):
        axes.tick_params(labelsize=8)
    figure.savefig(picture, dpi=100)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
