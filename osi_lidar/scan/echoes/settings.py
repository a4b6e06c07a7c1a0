# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Pulse, footprint and receiver of a sensor, as the kernels of the physical executor take them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from osi_lidar.config.beam import Pulse
from osi_lidar.config.receiver import Reception, ReturnSelection
from osi_lidar.scan.echoes import ranging_kernels as methods
from osi_lidar.scan.echoes import receiver_kernels as codes
from osi_lidar.scan.echoes.waveform_kernels import WaveformSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from material_mapping import RangeLimit
    from material_mapping.detection_range.signal_scale import SignalScale
    from osi_lidar.config import Sensor
    from raycore.pattern.footprint import Footprint

_MODES = {
    "strongest": codes.STRONGEST,
    "last": codes.LAST,
    "first": codes.FIRST,
    "last_strongest": codes.LAST_STRONGEST,
    "last_first": codes.LAST_FIRST,
    "first_strongest": codes.FIRST_STRONGEST,
    "all": codes.ALL,
}
_ORDERS = {"range": codes.NEAREST, "farthest": codes.FARTHEST, "strength": codes.BY_STRENGTH}
_METHODS = {
    "peak": methods.PEAK,
    "centroid": methods.CENTROID,
    "leading_edge": methods.LEADING_EDGE,
    "fraction": methods.FRACTION,
}
_NO_TABLE = np.empty(0)


class Light(NamedTuple):
    """The scale of signals in the ambient light of a scan.

    Attributes
    ----------
    scale : SignalScale
        Scale of the sensor's signal in this light.
    clear : tuple of (float, float64 (n,))
        Range step of a table [m], and its rows, q(r) in clear air: a target of reflectivity R that
        fills the beam has the signal-to-noise ratio R / q^2.
    arrays : ScaleArrays
        The scale, for kernels.
    """

    scale: SignalScale
    clear: tuple[float, NDArray[np.float64]]
    arrays: codes.ScaleArrays


class LightOf:
    """Makes the scale of signals for any ambient light; a call with its illuminance gives `Light`.

    Parameters
    ----------
    scale : SignalScale
        Scale of the sensor's signal in the configured light.
    limit : RangeLimit
        Range limit of the sensor.
    precision : tuple or None
        Precision of the receiver: rows of signal-to-noise ratio and standard deviation of the range
        [m]; None: no such table.
    """

    def __init__(
        self,
        scale: SignalScale,
        limit: RangeLimit,
        precision: tuple[tuple[float, float], ...] | None,
    ) -> None:
        self._scale, self._precision = scale, log_table(precision)
        self._limit = limit

    def __call__(self, lux: float) -> Light:
        """Return the scale under an illuminance [lx]."""
        scale = self._scale
        if lux != scale.ambient_lux:
            scale = replace(scale, ambient_lux=lux)
        clear, limit = scale.kernel_table(), self._limit
        of_limit = *limit.kernel_arguments(), limit.kernel_bounds()
        arrays = codes.ScaleArrays(clear[0], clear[1], self._precision, *of_limit)
        return Light(scale, clear, arrays)


def waveform_settings(config: Sensor, footprint: Footprint | None) -> WaveformSettings:
    """Return pulse width and footprint of a sensor for kernels.

    The tables q(r) of the signal over range are empty: `waveform_in` adds them for each scan.

    Parameters
    ----------
    config : Sensor
        An entry of the configuration's ``sensors``.
    footprint : Footprint or None
        Widths of its beams, and their sub-rays; None if beams are lines.
    """
    sigma_rad = (0.0, 0.0) if footprint is None else footprint.sigma_rad
    return WaveformSettings(
        (config.pulse or Pulse()).sigma_m,
        *sigma_rad,
        0.0 if footprint is None else footprint.cell_variance,
        1.0 if footprint is None else footprint.point_scale,
        1.0,
        _NO_TABLE,
        _NO_TABLE,
        (config.returns or ReturnSelection()).reset == "threshold",
    )


def waveform_in(
    settings: WaveformSettings, light: Light, root: NDArray[np.float64]
) -> WaveformSettings:
    """Return a copy of kernel settings of a sensor with the tables q(r) of a scan.

    A target of reflectivity R that fills the beam has the signal-to-noise ratio R / q(r)^2.

    Parameters
    ----------
    settings : WaveformSettings
        Pulse width and footprint of the sensor.
    light : Light
        The scale of signals in the light of the scan; it has the table for clear air and the range
        step.
    root : float64 (n,)
        The table for the air of the scan, in the same range steps.
    """
    step_m, clear = light.clear
    return settings._replace(step_m=step_m, root=clear, air_root=root)


def receiver_settings(config: Sensor, scale: SignalScale) -> codes.ReceiverSettings:
    """Return the settings of a sensor's receiver for kernels.

    Without the section ``receiver`` there is no noise: the sharp range limit decides what is
    detected.

    Parameters
    ----------
    config : Sensor
        An entry of the configuration's ``sensors``.
    scale : SignalScale
        Scale of the sensor's signal in the configured light; it gives threshold and pulse width.
    """
    receiver = config.receiver or Reception(amplitude_noise=False)
    returns = config.returns or ReturnSelection()
    error = methods.NO_ERROR
    if receiver.adds_range_error:
        error = methods.OF_PULSE if receiver.precision is None else methods.OF_TABLE
    saturation = receiver.saturation
    return codes.ReceiverSettings(
        is_noisy=receiver.amplitude_noise,
        threshold=scale.threshold,
        signal_spread=receiver.signal_spread,
        shot_noise=receiver.shot_noise,
        n_0=scale.n_0,
        min_range_m=config.min_range_m,
        max_range_m=config.max_range_m,
        alarm_probability=receiver.false_alarm_probability,
        saturation=math.inf if saturation is None else saturation * scale.threshold,
        mode=_MODES[returns.mode],
        n_most=returns.n_most,
        min_separation_m=returns.min_separation_m,
        by_reflectivity=returns.strongest_by == "reflectivity",
        method=_METHODS[returns.method],
        order=_ORDERS[returns.order],
        duplicates=returns.duplicates,
        walk_residual=receiver.walk_residual,
        error=error,
        sigma_r_m=scale.sigma_m,
        resets=returns.reset == "threshold",
        recovery_m=receiver.recovery_m,
        reports_peak=receiver.reported == "peak",
    )


def log_table(table: tuple[tuple[float, float], ...] | None) -> NDArray[np.float64]:
    """Return natural logarithms of a table of the receiver's precision, a row for each column.

    Parameters
    ----------
    table : tuple of (float, float), or None
        Rows of signal-to-noise ratio and standard deviation of the range [m]; None: no table.

    Returns
    -------
    float64 (2, n)
        Row 0 for the ratios, row 1 for the deviations; zeros (2, 1) without a table.
    """
    columns = np.ascontiguousarray(np.array(table or [(1.0, 1.0)], np.float64).T)
    logarithms: NDArray[np.float64] = np.log(columns)
    return logarithms
