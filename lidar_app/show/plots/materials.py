# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A picture of one infrared material: its reflectivity over angle and wavelength."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.pictures.figures import (
    COLOURS,
    FAINT,
    INK,
    Axes,
    Figure,
    MultipleLocator,
    dark_figure,
    dark_panel,
    grid,
    headline,
    legend,
    logarithmic,
    save,
)
from material_mapping.response import DEGREES, Lookup, Tabulated

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from material_mapping import MaterialEntry

SIZE_PX = (1500, 640)
ANY_WAVELENGTH_NM = (400.0, 2500.0)
"""Range of the wavelength axis for a material that is valid at all wavelengths. [nm]"""
WIDE_SPAN = 4.0
"""Ratio of the longest to the shortest wavelength above which the axis is logarithmic."""
N_WAVELENGTHS = 800
N_OF_MODEL = 41
"""Number of drawn wavelengths of a reflection model, which is smooth and may take 0.1 s each."""
PERCENT = "% of a white target hit perpendicularly"


def material_picture(entry: MaterialEntry, wavelengths_nm: Sequence[float], path: Path) -> Path:
    """Draw reflectivity over the angle of incidence, and over the wavelength at normal incidence.

    Parameters
    ----------
    entry : MaterialEntry
        The material.
    wavelengths_nm : sequence of float
        Wavelengths; each has a curve over the angle, and a mark on the wavelength axis. [nm]
    path : Path
        The picture (PNG) to write.

    Raises
    ------
    OutputError
        If the picture cannot be written, or its name does not end in ``.png``.
    WavelengthError
        If the material is not known at one of the wavelengths.
    """
    figure = dark_figure(SIZE_PX)
    model = "" if entry.response is None else _short(entry.response.model, 110)
    words = (entry.material_class.name, model, _short(entry.source, 70 if model else 110))
    headline(figure, _short(entry.name, 90), "   ".join(filter(None, words)))
    _over_angle(_panel(figure, 0, "over the angle of incidence"), entry, wavelengths_nm)
    title = "over the wavelength, perpendicular"
    _over_wavelength(_panel(figure, 1, title), entry, wavelengths_nm)
    return save(figure, path)


def _panel(figure: Figure, column: int, title: str) -> Axes:
    axes = dark_panel(figure, (0.045 + 0.49 * column, 0.11, 0.45, 0.68), title)
    grid(axes)
    if column == 0:
        axes.set_ylabel(PERCENT, color=FAINT)
    return axes


def _over_angle(axes: Axes, entry: MaterialEntry, wavelengths_nm: Sequence[float]) -> None:
    steps = entry.lookup is Lookup.STEP
    for number, nm in enumerate(wavelengths_nm):
        colour = COLOURS[number % len(COLOURS)]
        back, passes = 100.0 * entry.reflectivity(nm), 100.0 * entry.transmittance(nm)
        mirrored = 100.0 * entry.mirrored(nm)
        if back.any() or not (passes.any() or mirrored.any()):
            axes.plot(
                DEGREES,
                back,
                color=colour,
                lw=2.0,
                drawstyle="steps-post" if steps else "default",
                label=f"comes back, {wavelength_words(entry, nm)}",
                zorder=3,
            )
        cosine = back[0] * np.cos(np.radians(DEGREES))
        if back[0] > 0.0 and not np.allclose(back, cosine, atol=0.1):
            axes.plot(
                DEGREES,
                cosine,
                color=colour,
                lw=1.0,
                ls=":",
                label="a matt surface, for comparison",
            )
        if passes.any():
            label = f"passes and comes back, {wavelength_words(entry, nm)}"
            axes.plot(DEGREES, passes, color=colour, lw=1.6, ls="--", label=label)
        if mirrored.any():
            label = f"mirrored, there and back, {wavelength_words(entry, nm)}"
            axes.plot(DEGREES, mirrored, color=colour, lw=1.6, ls="-.", label=label)
    last_deg = 90.0 if entry.response is None else entry.response.last_angle_deg
    if last_deg < 90.0:
        _shade_beyond(axes, last_deg)
    axes.set_xlim(0.0, 90.0)
    axes.xaxis.set_major_locator(MultipleLocator(10))
    axes.set_xlabel("angle of incidence [deg]", color=FAINT)
    _finish(axes)


def _shade_beyond(axes: Axes, last_deg: float) -> None:
    """Shade the angles for which a material has no data."""
    axes.axvspan(last_deg, 90.0, color="white", alpha=0.06, lw=0)
    axes.annotate(
        "beyond the last known angle",
        (last_deg + 0.5, 0.97),
        xycoords=("data", "axes fraction"),
        rotation=90,
        color=FAINT,
        size=9,
        ha="left",
        va="top",
    )


def _over_wavelength(axes: Axes, entry: MaterialEntry, wavelengths_nm: Sequence[float]) -> None:
    known = _drawn_nm(entry)
    at_normal = np.array([_at_normal(entry, nm) for nm in known])
    if len(known) > 1 and (at_normal[:, 0].any() or not at_normal[:, 1:].any()):
        axes.plot(known, at_normal[:, 0], color=INK, lw=1.4, zorder=2, label="comes back")
    if at_normal[:, 1].any():
        axes.plot(known, at_normal[:, 1], color=INK, lw=1.4, ls="--", label="passes and comes back")
    if at_normal[:, 2].any():
        label = "mirrored, there and back"
        axes.plot(known, at_normal[:, 2], color=INK, lw=1.4, ls="-.", label=label)
    if isinstance(entry.response, Tabulated) or len(known) == 1:
        published = known if len(known) == 1 else np.array(list(_curves(entry)))
        values = [max(_at_normal(entry, nm)) for nm in published]
        axes.plot(published, values, "o", color=INK, ms=6, label="as published", zorder=4)
    for number, nm in enumerate(wavelengths_nm):
        colour = COLOURS[number % len(COLOURS)]
        axes.axvline(nm, color=colour, lw=1.2, alpha=0.8, label=wavelength_words(entry, nm))
    low, high = min(known[0], *wavelengths_nm), max(known[-1], *wavelengths_nm)
    if high / low > WIDE_SPAN:
        marks = [nm for nm in (300, 500, 1000, 2000, 3000, 5000, 10000, 15000) if low <= nm <= high]
        logarithmic(axes, marks)
        axes.set_xlim(low, high)
    else:
        margin = max(0.04 * (high - low), 25.0)
        axes.set_xlim(low - margin, high + margin)
    axes.set_xlabel("wavelength [nm]", color=FAINT)
    _finish(axes)


def _curves(entry: MaterialEntry) -> Sequence[float]:
    return tuple(entry.response.curves) if isinstance(entry.response, Tabulated) else ()


def _at_normal(entry: MaterialEntry, nm: float) -> tuple[float, ...]:
    """Return reflected, transmitted and mirrored light at normal incidence, in percent."""
    answers = (entry.reflectivity, entry.transmittance, entry.mirrored)
    return tuple(100.0 * float(answer(nm)[0]) for answer in answers)


def _drawn_nm(entry: MaterialEntry) -> NDArray[np.float64]:
    low, high = ANY_WAVELENGTH_NM if entry.at_every_wavelength else entry.wavelength_range_nm
    if low == high:
        return np.array([low])
    n = N_OF_MODEL if entry.response is not None and entry.response.model else N_WAVELENGTHS
    spaced = np.geomspace if high / low > WIDE_SPAN else np.linspace
    drawn = np.asarray(spaced(low, high, n), np.float64)
    drawn[0], drawn[-1] = low, high  # rounding must not exceed the range
    return np.unique(np.concatenate([drawn, _curves(entry)]))


def _finish(axes: Axes) -> None:
    top = float(axes.dataLim.ymax)  # ignores vertical lines and areas
    axes.set_ylim(0.0, 1.08 * top if top > 0.0 else 100.0)
    legend(axes)


def wavelength_words(entry: MaterialEntry, nm: float) -> str:
    """Return a wavelength as text for a legend, such as "905 nm".

    If the material has no data at it, the text adds the wavelength of the data that is used in its
    place: "905 nm (values at 850 nm)". `entry` is the material, and `nm` the wavelength [nm].

    Raises
    ------
    WavelengthError
        If the material has no values that may be used at the wavelength.
    """
    taken = entry.known_at_nm(nm)
    return f"{nm:g} nm" if taken == nm else f"{nm:g} nm (values at {taken:g} nm)"


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 2] + ".."
