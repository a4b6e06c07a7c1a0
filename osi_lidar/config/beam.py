# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration of a sensor's beam and of its pulse."""

import math
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from lidar_base.sections import Section, problem_at
from osi_lidar.config.values import Finite, Switch

MAX_DIVERGENCE_DEG = 20.0  # wider is a typing error, or a flash lidar's whole field of view
MAX_WINDOW_M = 1.0
PULSE_NS = (0.01, 1000.0)  # 1.5 mm to 150 m of range

SPEED_OF_LIGHT_M_S = 299_792_458.0  # exact: definition of the metre
FWHM_PER_SIGMA = 2.3548200450309493  # of a Gaussian: 2 sqrt(2 ln 2)
E2_PER_SIGMA = 4.0  # full width at 1/e² of a Gaussian: exp(-x²/2) = exp(-2) at x = 2
EDGE_PER_SIGMA = 4.0  # full width of a uniform profile, whose unit points lie within 2 sigma

Divergence = Annotated[Finite, Field(ge=0, le=MAX_DIVERGENCE_DEG)]
Window = Annotated[Finite, Field(ge=0, le=MAX_WINDOW_M)]
PulseLength = Annotated[Finite, Field(ge=PULSE_NS[0], le=PULSE_NS[1])]
SubRays = Literal[16, 32, 64, 128]
Pair = tuple[float, float]


def _span_tag(value: object) -> str:
    return "both" if isinstance(value, (list, tuple)) else "one"


DivergencePair = Annotated[
    Annotated[Divergence, Tag("one")] | Annotated[tuple[Divergence, Divergence], Tag("both")],
    Discriminator(_span_tag),
]
WindowPair = Annotated[
    Annotated[Window, Tag("one")] | Annotated[tuple[Window, Window], Tag("both")],
    Discriminator(_span_tag),
]


class Beam(Section):
    """Footprint of a laser beam: intensity over angle and over the sensor's window."""

    divergence_deg: DivergencePair = Field(
        default=0.0,
        description="Full angular width of the beam, or [horizontal, vertical]; 0: a line.",
    )
    width: Literal["fwhm", "e2"] = Field(
        default="fwhm",
        description="Where `divergence_deg` and `window_m` of a `gaussian` are measured: `fwhm` at "
        "half of the maximum, `e2` at 1/e² of it (1.6986 times wider).",
    )
    window_m: WindowPair = Field(
        default=0.0,
        description="Full width of the beam at the sensor's window, or [horizontal, vertical].",
    )
    profile: Literal["gaussian", "uniform", "rectangle"] = Field(
        default="gaussian",
        description="Intensity over the beam; `uniform` is an ellipse. The widths of `uniform` and "
        "`rectangle` reach from edge to edge, whatever `width`.",
    )
    sub_rays: SubRays = Field(
        default=16,
        description="Rays traced per beam. More rays resolve edges more finely, and take more "
        "time.",
    )
    refine: Switch = Field(
        default=False,
        description="Whether a beam that meets several surfaces, or meets a surface with only some "
        "of its rays, is traced again with four times as many rays, at most 128.",
    )
    second_bounce: Switch | None = Field(
        default=None,
        description="Whether light that a glossy surface mirrors makes ghost points of the "
        "surfaces that it meets next. Default: true with `fidelity: physical`.",
    )

    @model_validator(mode="after")
    def _check_bounce(self) -> "Beam":
        if self.second_bounce and not self.lights_an_area:
            message = (
                "needs divergence_deg or window_m above 0 horizontally and vertically, got a beam "
                "without a width"
            )
            raise problem_at("second_bounce", message=message)
        return self

    @property
    def lights_an_area(self) -> bool:
        """Whether the beam has a width horizontally and vertically, over angle or at the window."""
        return all(map(any, zip(self.sigma_rad, self.window_sigma_m, strict=True)))

    @property
    def sigma_rad(self) -> Pair:
        """Standard deviations of the intensity over angle [rad], (horizontal, vertical).

        For the profiles ``uniform`` and ``rectangle``: a quarter of the full width, because
        footprint samples of these profiles have coordinates from -2 to 2 times this value.
        """
        horizontal_deg, vertical_deg = _both(self.divergence_deg)
        return (
            math.radians(horizontal_deg) / self._width_per_sigma,
            math.radians(vertical_deg) / self._width_per_sigma,
        )

    @property
    def window_sigma_m(self) -> Pair:
        """Standard deviations of the intensity over the sensor's window [m]; as ``sigma_rad``."""
        horizontal_m, vertical_m = _both(self.window_m)
        return horizontal_m / self._width_per_sigma, vertical_m / self._width_per_sigma

    @property
    def full_width_rad(self) -> Pair:
        """Full angular width of the beam [rad], as (horizontal, vertical).

        A gaussian is measured at half of its maximum, other profiles from edge to edge.
        """
        per_sigma = FWHM_PER_SIGMA if self.profile == "gaussian" else EDGE_PER_SIGMA
        horizontal_rad, vertical_rad = self.sigma_rad
        return per_sigma * horizontal_rad, per_sigma * vertical_rad

    @property
    def _width_per_sigma(self) -> float:
        """Ratio of the configured full width to ``sigma_rad``."""
        if self.profile != "gaussian":
            return EDGE_PER_SIGMA
        return FWHM_PER_SIGMA if self.width == "fwhm" else E2_PER_SIGMA


class Pulse(Section):
    """Pulse of the laser as the receiver's comparator sees it."""

    fwhm_ns: PulseLength = Field(
        default=5.0,
        description="Full width at half maximum of the power over time; with 5 ns, equal echoes "
        "are separate if they are 0.64 m apart or more.",
    )

    @property
    def sigma_m(self) -> float:
        """Standard deviation of the pulse in range [m], c sigma_t / 2; 0.3183 m for 5 ns."""
        sigma_s = 1e-9 * self.fwhm_ns / FWHM_PER_SIGMA
        return SPEED_OF_LIGHT_M_S * sigma_s / 2.0


def _both(value: float | Pair) -> Pair:
    return value if isinstance(value, tuple) else (value, value)
