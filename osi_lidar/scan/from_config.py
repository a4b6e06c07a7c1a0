# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Makes the objects of a scan from the configuration of a sensor."""

from __future__ import annotations

import math
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from material_mapping import RangeLimit, RangeLimitError
from material_mapping.detection_range.brighter import with_signal
from material_mapping.detection_range.signal_scale import DATA_SHEET_LUX, SignalScale
from osi_bridge import MountingPosition, rotation_from_orientation
from osi_lidar.config.beam import Pulse
from osi_lidar.config.patterns.kinds import DEFAULT_RATE_HZ
from osi_lidar.config.receiver import Reception
from osi_lidar.errors import ConfigurationError
from osi_lidar.scan.beams import sensor_source
from osi_lidar.sensors.presets import load_preset
from raycore.errors import PatternError
from raycore.pattern.footprint import Footprint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from osi_lidar.config import Mounting, Sensor
    from raycore.pattern.scan_pattern import ScanPattern
    from raycore.pattern.source import PatternSource


def pose_matrix(
    position_m: tuple[float, float, float] | NDArray[np.float64],
    orientation_rad: tuple[float, float, float] | NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the pose of a child in its parent's frame, as the matrix parent_from_child.

    Parameters
    ----------
    position_m : (x, y, z) or float64 (3,)
        Position of the child in the parent's frame. [m]
    orientation_rad : (roll, pitch, yaw) or float64 (3,)
        Rotation of the child: about x, then y, then z of the parent. [rad]

    Returns
    -------
    float64 (4, 4)
        ``p_parent = parent_from_child @ p_child``, with homogeneous coordinates. [m]
    """
    pose = np.eye(4)
    pose[:3, :3] = rotation_from_orientation(orientation_rad)
    pose[:3, 3] = position_m
    return pose


def scan_pattern(config: Sensor) -> ScanPattern:
    """Return the beams of a configured sensor, for the scan at time 0.

    Parameters
    ----------
    config : Sensor
        An entry of the configuration's ``sensors``.

    Raises
    ------
    ConfigurationError, PatternError
        As for `pattern_source`, or if there is no usable beam.
    """
    source = pattern_source(config)
    with problems_of(config.name):
        return source.at(0.0)


def pattern_source(config: Sensor) -> PatternSource:
    """Return the source that gives the beams of each scan of a configured sensor.

    Parameters
    ----------
    config : Sensor
        An entry of the configuration's ``sensors``. Its ``pattern`` counts if set, else its preset
        and calibration.

    Raises
    ------
    ConfigurationError, PatternError
        If the preset does not have the columns or the rate asked for, an angle is impossible, or a
        file or a plugin cannot be used.
    """
    if config.pattern is None:
        return sensor_source(config)
    with problems_of(config.name):
        return config.pattern.source(1.0 / (config.rotation_rate_hz or DEFAULT_RATE_HZ))


@contextmanager
def problems_of(sensor: str) -> Iterator[None]:
    """Add the name of a sensor to a PatternError that the ``with`` block raises.

    ``sensor`` is the name.
    """
    try:
        yield
    except PatternError as error:
        raise PatternError(f"sensor {sensor}: {error}") from None


def _radians(a_deg: float, b_deg: float, c_deg: float) -> tuple[float, float, float]:
    return math.radians(a_deg), math.radians(b_deg), math.radians(c_deg)


def mounting_position(mounting: Mounting) -> MountingPosition:
    """Return position [m] and roll, pitch, yaw [rad] of a sensor's mounting.

    ``mounting`` is the section of the configuration, with angles in degrees.
    """
    return MountingPosition(
        position_m=(mounting.x_m, mounting.y_m, mounting.z_m),
        orientation_rad=_radians(mounting.roll_deg, mounting.pitch_deg, mounting.yaw_deg),
    )


def range_limit_of(config: Sensor) -> RangeLimit:
    """Return the detection range of a configured sensor, by reflectivity.

    The limit is the curve in ``config.range_limit``, or the preset's curve if that is "preset".
    Without a curve, it is ``config.max_range_m`` for every reflectivity. No curve exceeds
    ``max_range_m``.

    A unit drawn at random (``config.drawn_unit``) receives ``signal_factor`` times the light of a
    typical one. So its limit at reflectivity R is the typical limit at ``signal_factor`` times R;
    ``max_range_m`` stays the same.

    Parameters
    ----------
    config : Sensor
        An entry of the configuration's ``sensors``.
    """
    return with_signal(_typical_limit(config), config.drawn_unit.signal_factor)


def _typical_limit(config: Sensor) -> RangeLimit:
    limit = config.range_limit
    if limit == "preset":
        preset = None if config.preset is None else load_preset(config.preset)
        if preset is None or not preset.range_pairs:
            return RangeLimit.constant(config.max_range_m)
        return RangeLimit.from_pairs(
            preset.range_pairs, fit=preset.range_fit, max_range_m=config.max_range_m
        )
    if limit is None:
        return RangeLimit.constant(config.max_range_m)
    return limit.limit(max_range_m=config.max_range_m)


def signal_limit_of(config: Sensor) -> RangeLimit:
    """Return the range limit from which a sensor's signal over range is computed.

    This is `range_limit_of`, unless the sensor has both the range limit of a preset and a near
    field. A near field is a factor on a signal that falls with 1/r². Then the signal falls so,
    through the data sheet's pair of the least reflectivity and its range. A curve through two pairs
    does not: with 10 % at 40 m and 80 % at 120 m, it gives a third of that signal at 4 m.

    Parameters
    ----------
    config : Sensor
        An entry of the configuration's ``sensors``.
    """
    near_field = () if config.receiver is None else config.receiver.near_field
    pairs = () if config.preset is None else load_preset(config.preset).range_pairs
    if config.range_limit != "preset" or not near_field or not pairs:
        return range_limit_of(config)
    percent, range_m = min(pairs)
    square = ((percent, range_m), (4.0 * percent, 2.0 * range_m))
    typical = RangeLimit.from_pairs(square, fit="root2", max_range_m=config.max_range_m)
    return with_signal(typical, config.drawn_unit.signal_factor)


def footprint_of(config: Sensor) -> Footprint | None:
    """Return the widths of a sensor's beams, and their sub-rays; None if beams are lines.

    Parameters
    ----------
    config : Sensor
        An entry of the configuration's ``sensors``. Beams are lines if it has no section ``beam``,
        or all widths in it are 0.
    """
    beam = config.beam
    if beam is None or not any((*beam.sigma_rad, *beam.window_sigma_m)):
        return None
    return Footprint(
        sigma_rad=beam.sigma_rad,
        window_sigma_m=beam.window_sigma_m,
        profile=beam.profile,
        n_points=beam.sub_rays,
    )


def check_gains(config: Sensor, pattern: ScanPattern, *, spare: bool = False) -> None:
    """Check that ``laser_gains``, if set, has one gain for each ring (laser) of a pattern.

    Parameters
    ----------
    config : Sensor
        The sensor.
    pattern : ScanPattern
        Beams of the sensor.
    spare : bool
        Whether more gains than rings are allowed, because not every scan has all rings.

    Raises
    ------
    ConfigurationError
        If there are fewer gains than rings, or more without ``spare``.
    """
    n_given, n_rings = len(config.laser_gains), int(pattern.ring.max()) + 1
    if not n_given or n_given == n_rings or (spare and n_given > n_rings):
        return
    raise ConfigurationError(
        f"sensor {config.name}: laser_gains: has length {n_given}, expected {n_rings}, a gain for "
        "each laser (ring)"
    )


def sees_texture(config: Sensor) -> bool:
    """Return whether a sensor sees texture, which means reflectivity that varies within a material.

    ``config`` is an entry of the configuration's ``sensors``. If it does not set ``texture``, the
    result is True for ``fidelity: physical``, else False.
    """
    return config.fidelity == "physical" if config.texture is None else config.texture


def signal_scale_of(config: Sensor) -> SignalScale:
    """Return the scale from which the signal-to-noise ratio of a sensor's echoes follows.

    A sensor without the section ``receiver`` or ``pulse`` has their defaults. A receiver without
    noise may have a false-alarm probability of 0; the threshold is then computed from the default
    probability, because it only serves as the unit of the signal.

    Parameters
    ----------
    config : Sensor
        An entry of the configuration's ``sensors``.

    Raises
    ------
    RangeLimitError
        If the range limit is 0 for every reflectivity, or noise and limit leave no signal.
    """
    receiver = config.receiver or Reception()
    alarms = receiver.false_alarm_probability or Reception().false_alarm_probability
    try:
        return SignalScale(
            limit=signal_limit_of(config),
            sigma_m=(config.pulse or Pulse()).sigma_m,
            max_range_m=config.max_range_m,
            false_alarm_probability=alarms,
            probability_at_limit=receiver.probability_at_limit,
            near_range_m=0.0 if receiver.near_field else receiver.near_range_m,
            near_field=receiver.near_field,
            signal_spread=math.hypot(receiver.signal_spread, receiver.laser_spread),
            shot_noise=receiver.shot_noise,
            sunlight_share=receiver.sunlight_share,
            ambient_lux=DATA_SHEET_LUX if receiver.ambient_lux is None else receiver.ambient_lux,
        )
    except RangeLimitError as error:
        raise RangeLimitError(f"sensor {config.name}: {error}") from None
