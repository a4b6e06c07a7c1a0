# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration of a sensor's detection range."""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag, model_validator

import material_mapping
from lidar_base.sections import Section, problem_at
from material_mapping.detection_range.range_equation import (
    SIZES,
    RangeEquation,
    clear_range_m,
    fit_equation,
    system_constant_w,
)
from material_mapping.errors import RangeLimitError
from osi_lidar.config.values import NotNegative, Positive, check_percent

TARGETS = "Target that fills the beam, crosses it, or lies within it: power ~ 1/r², 1/r³, 1/r⁴."

Efficiency = Annotated[Positive, Field(le=1)]
Fit = Literal["linear", "root2", "root3", "root4", "log", "table"]
Pairs = tuple[tuple[Positive, Positive], ...]
Target = Literal["extended", "line", "point"]


class RangePiece(Section):
    """A curve of range over reflectivity, for one interval of reflectivity."""

    until_percent: Positive | None = Field(
        default=None,
        description="Upper end of the curve's interval of reflectivity [%]; not for the last "
        "piece.",
    )
    pairs: Pairs = Field(
        min_length=2,
        description="Pairs of this curve, as for a single curve; they may lie outside of the "
        "interval.",
    )
    fit: Fit = Field(default="log", description="Curve through the pairs.")

    @model_validator(mode="after")
    def _check_pairs(self) -> "RangePiece":
        with _problems_at("pairs"):
            material_mapping.RangeLimit.from_pairs(self.pairs, fit=self.fit)
        return self


class FittedEquation(Section):
    """The lidar range equation, fitted to the pairs of a data sheet."""

    pairs: Pairs = Field(
        min_length=1,
        description="Reflectivity [%] and maximum range [m] that the equation is fitted to.",
    )
    target: Target = Field(default="extended", description=TARGETS)
    extinction_per_km: NotNegative | None = Field(
        default=None,
        description="Extinction coefficient of the air [1/km], one way. Default: fitted to two or "
        "more pairs, 0 with one.",
    )

    @model_validator(mode="after")
    def _check_pairs(self) -> "FittedEquation":
        check_percent("pairs", (percent for percent, _ in self.pairs))
        with _problems_at("pairs"):
            self.equation()
        return self

    def equation(self) -> RangeEquation:
        """Return the lidar range equation, a `RangeEquation`, whose constants fit ``pairs`` best.

        It gives the detection range [m] for a reflectivity.
        """
        given = self.extinction_per_km
        extinction = None if given is None else given / 1000.0
        return fit_equation(self.pairs, target=self.target, extinction_per_m=extinction).equation


class OpticsEquation(Section):
    """The lidar range equation of a sensor with known optics."""

    transmit_power_w: Positive = Field(description="Peak power of a pulse [W].")
    aperture_diameter_m: Positive = Field(description="Aperture diameter of the receiver.")
    efficiency: Efficiency = Field(
        description="Efficiency of the optics, on the way out and back; at most 1."
    )
    detection_threshold_w: Positive = Field(description="Minimum detectable power [W].")
    target: Target = Field(default="extended", description=TARGETS)
    extinction_per_km: NotNegative = Field(
        default=0.0, description="Extinction coefficient of the air [1/km], one way."
    )
    beam_divergence_deg: Positive | None = Field(
        default=None, description="Full angle of the beam, for targets `line` and `point`."
    )
    target_width_m: Positive | None = Field(default=None, description="Width of the target `line`.")
    target_area_m2: Positive | None = Field(
        default=None, description="Area of the target `point` [m²]."
    )

    @model_validator(mode="after")
    def _check_target(self) -> "OpticsEquation":
        size = SIZES.get(self.target)
        needed = () if size is None else ("beam_divergence_deg", size)
        for key in ("beam_divergence_deg", *SIZES.values()):
            if (getattr(self, key) is None) == (key in needed):
                verb = "needs this" if key in needed else "does not have this"
                raise problem_at(key, message=f"target {self.target} {verb}")
        with _problems_at("target"):
            self.equation()
        return self

    def equation(self) -> RangeEquation:
        """Return the lidar range equation, a `RangeEquation`, computed from the section's optics.

        It gives the detection range [m] for a reflectivity.
        """
        divergence_deg = self.beam_divergence_deg
        constant_w = system_constant_w(
            transmit_power_w=self.transmit_power_w,
            aperture_diameter_m=self.aperture_diameter_m,
            efficiency=self.efficiency,
            target=self.target,
            beam_divergence_rad=None if divergence_deg is None else math.radians(divergence_deg),
            target_width_m=self.target_width_m,
            target_area_m2=self.target_area_m2,
        )
        threshold_w = self.detection_threshold_w
        return RangeEquation(
            clear_range_m=clear_range_m(
                constant_w=constant_w, detection_threshold_w=threshold_w, target=self.target
            ),
            target=self.target,
            extinction_per_m=self.extinction_per_km / 1000.0,
        )


def _equation_tag(value: object) -> str:
    if isinstance(value, Mapping):
        optics = OpticsEquation.model_fields.keys() - FittedEquation.model_fields.keys()
        return "optics" if "pairs" not in value and optics & value.keys() else "fitted"
    return "optics" if isinstance(value, OpticsEquation) else "fitted"


Equation = Annotated[
    Annotated[FittedEquation, Tag("fitted")] | Annotated[OpticsEquation, Tag("optics")],
    Discriminator(_equation_tag),
]


class RangeLimitSection(Section):
    """Detection range of a target as a function of its reflectivity."""

    pairs: Pairs | None = Field(
        default=None,
        min_length=2,
        description="Reflectivity [%] and maximum range [m]; two pairs, or more for `table`.",
    )
    fit: Fit = Field(
        default="log", description="Curve through the pairs; `table` interpolates linearly."
    )
    pieces: tuple[RangePiece, ...] | None = Field(
        default=None, min_length=1, description="Several curves instead, from dark to bright."
    )
    equation: Equation | None = Field(
        default=None,
        description="The lidar range equation instead, fitted to `pairs` or given by the optics.",
    )

    @model_validator(mode="after")
    def _check_choices(self) -> "RangeLimitSection":
        kinds = ("pairs", "pieces", "equation")
        given = [key for key in kinds if getattr(self, key) is not None]
        if len(given) != 1:
            raise ValueError("needs exactly one of pairs, pieces and equation")
        if self.pairs is None and self.fit != "log":
            raise problem_at("fit", message=f"is for pairs, but the range limit has {given[0]}")
        if self.equation is None:
            pieces = [self.pairs or (), *(piece.pairs for piece in self.pieces or ())]
            check_percent(given[0], (percent for pairs in pieces for percent, _ in pairs))
        with _problems_at(given[0]):
            self.limit()
        return self

    def limit(self, *, max_range_m: float = math.inf) -> "material_mapping.RangeLimit":
        """Return the sensor's range limit: the largest range at which a reflectivity is detected.

        ``max_range_m`` [m] is the sensor's maximum range: no reflectivity is detected beyond it,
        whatever the section says. By default there is no such bound.
        """
        make = material_mapping.RangeLimit
        if self.pieces is not None:
            pieces = [(piece.until_percent, piece.fit, piece.pairs) for piece in self.pieces]
            return make.from_pieces(pieces, max_range_m=max_range_m)
        if self.equation is not None:
            return make.from_equation(self.equation.equation(), max_range_m=max_range_m)
        return make.from_pairs(self.pairs or (), fit=self.fit, max_range_m=max_range_m)


@contextmanager
def _problems_at(key: str) -> Iterator[None]:
    """Turn errors of the range limit made in the block into validation errors at a key."""
    try:
        yield
    except RangeLimitError as error:
        raise problem_at(key, message=str(error)) from None


def _limit_tag(value: object) -> str:
    return "preset" if isinstance(value, str) else "limit"


Limit = Annotated[
    Annotated[RangeLimitSection, Tag("limit")] | Annotated[Literal["preset"], Tag("preset")],
    Discriminator(_limit_tag),
]
