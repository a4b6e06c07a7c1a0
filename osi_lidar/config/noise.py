# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration of a sensor's measurement errors, and of the reflectivity that it detects."""

import itertools
from typing import Annotated, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BeforeValidator, Field, model_validator

from lidar_base.formula import Formula
from lidar_base.sections import Section, problem_at
from osi_lidar.config.values import (
    Finite,
    FormulaText,
    NotNegative,
    Positive,
    check_percent,
    formula_at,
)
from osi_lidar.errors import ConfigurationError

MAX_SIGMA_M = 1e6
MAX_SIGMA_DEG = 90.0
MAX_ERROR_M = 1e3
MAX_TAILS = 0.2  # with larger ones the variance nearly diverges
_SCATTER = ("range_sigma_m", "sigma_per_range", "sigma_incidence_m", "sigma_dark_m")
_TABLES = ("reflectivity_table", "depth_table")  # the last column is a standard deviation, too
QUANTA_M = 1e-6, 100.0
"""Bounds of the step to which ranges are rounded. [m]"""

Sigma = Annotated[Finite, Field(ge=0, le=MAX_SIGMA_M)]
AngleSigma = Annotated[Finite, Field(ge=0, le=MAX_SIGMA_DEG)]
Share = Annotated[Finite, Field(ge=0, le=1)]
Tails = Annotated[Finite, Field(ge=0, le=MAX_TAILS)]
Percent = Annotated[Finite, Field(ge=0, le=100)]
DepthScale = Annotated[Finite, Field(ge=-0.9, le=10)]
RangeError = Annotated[Finite, Field(ge=-MAX_ERROR_M, le=MAX_ERROR_M)]
DepthRow = tuple[NotNegative, RangeError, Sigma]
ReflectivityRow = tuple[Positive, Sigma]


class Noise(Section):
    """Measurement errors of a sensor. All are off unless given."""

    range_sigma_m: Sigma = Field(
        default=0.0, description="Standard deviation of the range, drawn anew for every point."
    )
    sigma_per_range: Share = Field(
        default=0.0, description="Additional standard deviation, in metres per metre of range."
    )
    sigma_incidence_m: Sigma = Field(
        default=0.0,
        description="Additional standard deviation at 45° incidence; grows with the tangent "
        "of the angle.",
    )
    sigma_dark_m: Sigma = Field(
        default=0.0,
        description="Additional standard deviation at 10 % reflectivity; falls with "
        "the root of the reflectivity.",
    )
    reflectivity_table: tuple[ReflectivityRow, ...] = Field(
        default=(),
        description="Rows of reported reflectivity (1: a white surface) and additional standard "
        "deviation in metres; interpolated linearly over the logarithm of the reflectivity, and "
        "constant beyond the ends.",
    )
    range_bias_m: tuple[RangeError, ...] = Field(
        default=(),
        description="Constant range error of each laser, one for each ring from the top down.",
    )
    range_bias_sigma_m: Sigma = Field(
        default=0.0,
        description="Standard deviation of the constant range error of each laser (ring), drawn "
        "once, the same in all scans; it adds to `range_bias_m`.",
    )
    distribution: Literal["gaussian", "laplace"] = Field(
        default="gaussian", description="Distribution of range noise and of the lasers' errors."
    )
    tails: Tails = Field(
        default=0.0,
        description="Weight of the tails of range noise, Tukey's h; 0: Gaussian. The standard "
        "deviation does not change. With 0.1, 1.1 % of the errors exceed three standard "
        "deviations, with 0 only 0.27 %.",
    )
    depth_offset_m: RangeError = Field(default=0.0, description="Offset added to every range.")
    depth_scale: DepthScale = Field(
        default=0.0,
        description="Fraction of the range that is added to it: 0.01 turns 100 m into 101 m.",
    )
    depth_table: tuple[DepthRow, ...] = Field(
        default=(),
        description="Rows of range, error and its standard deviation, all in metres; interpolated "
        "linearly, and constant beyond the ends.",
    )
    depth_error_m: FormulaText | None = Field(
        default=None,
        description="Error added to every range, a [formula](../explanation/errors.md#formulas) "
        "of the true "
        "range `d` in metres.",
    )
    depth_sigma_m: FormulaText | None = Field(
        default=None,
        description="Additional standard deviation of every range, a formula of `d` that is "
        "nowhere negative.",
    )
    quantisation_m: Sigma = Field(
        default=0.0, description="Step to whose multiples ranges are rounded; 0: no rounding."
    )
    azimuth_sigma_deg: AngleSigma = Field(
        default=0.0, description="Standard deviation of each beam's azimuth, Gaussian."
    )
    elevation_sigma_deg: AngleSigma = Field(
        default=0.0, description="Standard deviation of each beam's elevation, Gaussian."
    )
    line_of_sight: Literal["ray", "readout"] = Field(
        default="ray",
        description="`ray`: beams are fired at the wrong angle, and points stay on surfaces; "
        "`readout`: beams are fired at the right angle and reported at the wrong one.",
    )
    drop_probability: Share = Field(default=0.0, description="Probability that a point is missing.")

    @model_validator(mode="after")
    def _check_tables(self) -> "Noise":
        _check_increasing("depth_table", "range", [row[0] for row in self.depth_table], " m")
        brightness = [row[0] for row in self.reflectivity_table]
        _check_increasing("reflectivity_table", "reflectivity", brightness)
        (least, most), step_m = QUANTA_M, self.quantisation_m
        if step_m and not least <= step_m <= most:
            message = f"is {step_m:g} m, expected 0, or {least:g} to {most:g} m"
            raise problem_at("quantisation_m", message=message)
        self.depth_formulas()
        return self

    @model_validator(mode="after")
    def _check_tails(self) -> "Noise":
        if self.tails and self.distribution == "laplace":
            raise problem_at("tails", message="needs distribution: gaussian, got laplace")
        return self

    def times(self, factor: float) -> "Noise":
        """Return a copy with all standard deviations of range noise multiplied by ``factor``.

        ``range_bias_sigma_m`` (constant errors of the lasers) and all other errors do not change.
        """
        if factor == 1.0:
            return self
        scattered: dict[str, object] = {key: factor * getattr(self, key) for key in _SCATTER}
        for key in _TABLES:
            scattered[key] = tuple((*row[:-1], factor * row[-1]) for row in getattr(self, key))
        if self.depth_sigma_m is not None:
            scattered["depth_sigma_m"] = f"{factor!r} * ({self.depth_sigma_m})"
        return self.model_copy(update=scattered)

    def depth_formulas(self) -> dict[str, Formula]:
        """Return the formulas ``depth_error_m`` and ``depth_sigma_m`` by key.

        Unset ones are left out. The variable of a formula is the true range ``d`` [m].
        """
        texts = {"depth_error_m": self.depth_error_m, "depth_sigma_m": self.depth_sigma_m}
        given = {key: text for key, text in texts.items() if text is not None}
        return {key: formula_at(key, text, ("d",)) for key, text in given.items()}


def formula_values(key: str, formula: Formula, range_m: ArrayLike) -> NDArray[np.float64]:
    """Return the values of a formula of the section `Noise` at some true ranges.

    Parameters
    ----------
    key : {"depth_error_m", "depth_sigma_m"}
        Key of the formula in `Noise`. It decides which values are allowed: errors from -1000 to
        1000 m, or standard deviations from 0 to 1e6 m.
    formula : Formula
        The formula, whose only variable is the true range ``d`` [m].
    range_m : array_like (n,)
        The true ranges. [m]

    Returns
    -------
    float64 (n,)
        The value at each range. [m]

    Raises
    ------
    ConfigurationError
        If a value is not a number or out of bounds; the text has formula, range and value.
    """
    values = formula(d=range_m)
    least, most = (0.0, MAX_SIGMA_M) if key == "depth_sigma_m" else (-MAX_ERROR_M, MAX_ERROR_M)
    wrong = np.flatnonzero(~((values >= least) & (values <= most)))
    if wrong.size:
        at_m, wanted = np.asarray(range_m)[wrong[0]], f"{least:g} to {most:g} m"
        raise ConfigurationError(
            f"{formula.text!r:.80} is {values[wrong[0]]:.6g} at d = {at_m:.6g} m, expected {wanted}"
        )
    return values


_PLURALS = {"range": "ranges", "reflectivity": "reflectivities"}


def _check_increasing(key: str, what: str, values: list[float], unit: str = "") -> None:
    for number, (before, value) in enumerate(itertools.pairwise(values), start=1):
        if value <= before:
            raise problem_at(
                key,
                number,
                message=f"{what} {value:g}{unit} after {before:g}{unit}, expected increasing "
                f"{_PLURALS[what]}",
            )


def _word(value: object) -> object:
    """Return "off" for False, which is how YAML reads the word off."""
    return "off" if value is False else value


class DetectionThreshold(Section):
    """The minimum reflectivity of a surface to be detected, by its distance."""

    min_reflectivity: Annotated[Literal["corrected", "printed", "off"], BeforeValidator(_word)] = (
        Field(
            default="corrected",
            description="`corrected`: the line through the pairs; `printed`: as printed in "
            "BlenSor's paper, which detects less.",
        )
    )
    pairs: tuple[tuple[Percent, NotNegative], ...] = Field(
        default=((10.0, 50.0), (80.0, 120.0)),
        min_length=2,
        max_length=2,
        description="Minimum reflectivity [%] and the range [m] from which it is required: the "
        "start of the line, and a farther point of it.",
    )

    @model_validator(mode="after")
    def _check_pairs(self) -> "DetectionThreshold":
        (low, near_m), (high, far_m) = self.pairs
        check_percent("pairs", (low, high))
        if not (far_m > near_m and high >= low):
            raise problem_at(
                "pairs",
                message=f"{high:g} % at {far_m:g} m after {low:g} % at {near_m:g} m, expected "
                "a farther range and no less reflectivity",
            )
        return self
