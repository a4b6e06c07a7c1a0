# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Figures of a known sensor's beam, pulse, returns and receiver, for ``fidelity: physical``.

A figure without a source is left out, and listed in ``unknown`` with the reason. A key without a
figure keeps the default of the configuration.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Strict(BaseModel):
    """Base class of the records in a sensor's file; immutable, and without unknown keys."""

    # a part is built where it stands in a sensor, see `lidar_base.sections.Section`
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)


class Fit(Strict):
    """How a figure was fitted to recordings.

    Attributes
    ----------
    over : str
        The measured quantity to which the figure was fitted. If that was compared with a model's
        prediction (such as a simulated office), the figure includes errors of the prediction.
    recording : str
        The recording to which the figure was fitted, and the unit of the sensor in it.
    checked : str
        Another recording with which the figure was compared, and the result of the comparison.
    """

    over: str
    recording: str
    checked: str


class BeamFigures(Strict):
    """Footprint of a beam, as (horizontal, vertical); see ``osi_lidar.config.beam.Beam``.

    Attributes
    ----------
    divergence_deg : (float, float)
        Full angular widths. [deg]
    width : {"fwhm", "e2"}
        Where a Gaussian's widths are measured: at half of the maximum, or at 1/e² of it.
    window_m : (float, float) or None
        Full widths at the sensor's window. [m]
    profile : {"gaussian", "uniform", "rectangle"}
        Intensity over the beam: Gaussian, or constant over an ellipse or a rectangle.
    source : str
        Where the figures were read.
    """

    divergence_deg: tuple[float, float]
    width: Literal["fwhm", "e2"] = "fwhm"
    window_m: tuple[float, float] | None = None
    profile: Literal["gaussian", "uniform", "rectangle"] = "gaussian"
    source: str


class PhysicalFigures(Strict):
    """Name of a sensor and figures of its signal; figures without a source are None or empty.

    Attributes
    ----------
    name, maker, description : str
        Name of the sensor, name of its maker, and what it is, in words.
    beam : BeamFigures or None
        Footprint of a beam.
    pulse_fwhm_ns : float or None
        Full width at half maximum of a pulse. [ns]
    max_returns : int
        Number of echoes that the device reports for one beam.
    return_modes : tuple of str
        The device's choices of ``returns.mode``, its default first.
    return_order : {"range", "farthest", "strength"} or None
        Order of the points of a beam, a choice of ``returns.order``.
    min_separation_m : float or None
        Smallest distance of two echoes that the device separates. [m]
    range_method : str or None
        How the device measures the range of an echo, a choice of ``returns.method``.
    range_noise_sigma_m : float or None
        Standard deviation of a range, for any strength of the signal. [m]
    range_noise_by_reflectivity, range_noise_by_range : tuple of (float, float)
        Pairs of reflectivity [1] or range [m], and standard deviation of the range [m] there, as
        measured in recordings; they replace ``range_noise_sigma_m``.
    range_tails : float or None
        Weight of the tails of the range errors, see ``noise.tails``.
    range_bias_sigma_m : float or None
        Standard deviation of the constant errors of the lasers. [m]
    range_precision : tuple of (float, float)
        Pairs of signal-to-noise ratio [1] and standard deviation of the range at it [m]; they
        replace ``range_noise_sigma_m``.
    range_resolution_m : float or None
        Step to which ranges are rounded. [m]
    signal_spread : float or None
        Standard deviation of the logarithm of the threshold from pulse to pulse. [1]
    laser_spread : float or None
        Standard deviation of the logarithm of the threshold from laser to laser. [1]
    reported : {"sum", "peak"} or None
        What the reported signal measures: all light of an echo, or its maximum.
    shot_noise : float or None
        Additional variance of the signal for each unit of its signal-to-noise ratio.
    near_field : tuple of (float, float)
        Pairs of range [m], and signal of a target there relative to the 1/r² law of far targets.
    recovery_m : float or None
        Distance behind an echo over which the receiver recovers from it. [m]
    walk_residual : float or None
        Share of the range walk of a leading edge that the device does not correct.
    receiver_offset_m : (float, float) or None
        Position of the receiver relative to the start of its beam, to the left and up. [m]
    false_alarm_probability : float or None
        Probability of a false echo in a beam, under the conditions of the device's stated range.
    probability_at_limit : float or None
        Probability of detection of a target at the device's stated range.
    unknown : dict
        Reason for each figure that is left out or assumed, by its key in the configuration.
    notes : tuple of str
        Further remarks for users, on the device or on its model.
    """

    name: str
    maker: str
    description: str
    beam: BeamFigures | None = None
    pulse_fwhm_ns: float | None = Field(default=None, gt=0)
    max_returns: int = Field(default=1, ge=1)
    return_modes: tuple[str, ...] = ()
    return_order: Literal["range", "farthest", "strength"] | None = None
    min_separation_m: float | None = Field(default=None, ge=0)
    range_method: Literal["peak", "centroid", "leading_edge", "fraction"] | None = None
    range_noise_sigma_m: float | None = Field(default=None, ge=0)
    range_noise_by_reflectivity: tuple[tuple[float, float], ...] = ()
    range_noise_by_range: tuple[tuple[float, float], ...] = ()
    range_tails: float | None = Field(default=None, ge=0)
    range_bias_sigma_m: float | None = Field(default=None, ge=0)
    range_precision: tuple[tuple[float, float], ...] = ()
    range_resolution_m: float | None = Field(default=None, ge=0)
    signal_spread: float | None = Field(default=None, ge=0)
    laser_spread: float | None = Field(default=None, ge=0)
    shot_noise: float | None = Field(default=None, ge=0)
    reported: Literal["sum", "peak"] | None = None
    near_field: tuple[tuple[float, float], ...] = ()
    recovery_m: float | None = Field(default=None, ge=0)
    walk_residual: float | None = Field(default=None, ge=0, le=1)
    receiver_offset_m: tuple[float, float] | None = None
    false_alarm_probability: float | None = Field(default=None, gt=0, lt=1)
    probability_at_limit: float | None = Field(default=None, gt=0, lt=1)
    unknown: dict[str, str] = {}
    notes: tuple[str, ...] = ()

    def physical(self) -> dict[str, dict[str, Any]]:
        """Return the values that a sensor gets with ``fidelity: physical``, by section and key.

        Sections and keys are as in an entry of ``sensors``. ``receiver`` is always among the
        sections; an empty mapping stands for its defaults. If ``range_precision`` is given, the
        receiver's ``precision`` decides range noise. Otherwise ``noise`` decides it (by
        reflectivity, by range, or constant), if it is known, and ``precision`` is empty.
        """
        noise = {} if self.range_precision else self._range_noise()
        precision: tuple[tuple[float, float], ...] | None = self.range_precision or None
        sections = {
            "beam": {} if self.beam is None else _known(self.beam.model_dump(exclude={"source"})),
            "pulse": _known({"fwhm_ns": self.pulse_fwhm_ns}),
            "returns": self._returns(),
            "receiver": _known(
                {
                    "precision": () if noise else precision,
                    "signal_spread": self.signal_spread,
                    "laser_spread": self.laser_spread,
                    "shot_noise": self.shot_noise,
                    "reported": self.reported,
                    "near_field": self.near_field or None,
                    "recovery_m": self.recovery_m,
                    "walk_residual": self.walk_residual,
                    "offset_m": self.receiver_offset_m,
                    "false_alarm_probability": self.false_alarm_probability,
                    "probability_at_limit": self.probability_at_limit,
                }
            ),
            "noise": _known(
                {
                    **noise,
                    "tails": self.range_tails,
                    "range_bias_sigma_m": self.range_bias_sigma_m,
                    "quantisation_m": self.range_resolution_m,
                }
            ),
        }
        return {key: keys for key, keys in sections.items() if keys or key == "receiver"}

    def _range_noise(self) -> dict[str, Any]:
        """Return the key of ``noise`` for the scatter of ranges, with its value; may be empty."""
        if self.range_noise_by_reflectivity:
            return {"reflectivity_table": self.range_noise_by_reflectivity}
        if self.range_noise_by_range:
            rows = self.range_noise_by_range
            return {"depth_table": tuple((range_m, 0.0, sigma_m) for range_m, sigma_m in rows)}
        return _known({"range_sigma_m": self.range_noise_sigma_m})

    def _returns(self) -> dict[str, Any]:
        mode = self.return_modes[0] if self.return_modes else None
        n_most = self.max_returns if mode == "all" else None
        return _known(
            {
                "mode": mode,
                "max": n_most,
                "min_separation_m": self.min_separation_m,
                "method": self.range_method,
                "order": self.return_order,
            }
        )


def _known(keys: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in keys.items() if value is not None}
