# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The law of the signal of a known sensor, from its preset."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.twin.reflectivity.albedo import ROUGH, SignalLaw
from lidar_gap.twin.reflectivity.photon_counter import PhotonCounter
from osi_lidar.config import Sensor
from osi_lidar.config.receiver import Reception
from osi_lidar.scan.from_config import signal_scale_of
from osi_lidar.sensors.presets import load_preset

if TYPE_CHECKING:
    from osi_lidar.sensors.presets import SensorPreset

PHOTONS = np.linspace(0.1, 100.0, 1000)
"""Photon counts that are searched for the count at which half of the pulses return. [1]"""


def law_of(preset: str | None) -> SignalLaw:
    """Return the law by which a sensor's signal falls with range and incidence.

    Parameters
    ----------
    preset : str or None
        Name of a known sensor; its near field is used, and its receiver if it counts photons. None
        gives a general law.
    """
    law = SignalLaw(incidence=ROUGH)
    if preset is None:
        return law
    figures = load_preset(preset)
    return replace(law, near_field=figures.near_field or law.near_field, counts=_counts(figures))


def _counts(figures: SensorPreset) -> PhotonCounter | None:
    """Return the receiver of a sensor that reports peak photons; None for other sensors."""
    sensor = Sensor.model_validate({"preset": figures.name, "fidelity": "physical"})
    receiver = sensor.receiver or Reception()
    if figures.reports.photons_at_1_m is None or receiver.reported != "peak":
        return None
    scale, range_m = signal_scale_of(sensor), 0.5 * sensor.max_range_m
    of_white = figures.reports.photons(np.ones(1), np.array([range_m]), figures.near_field)
    probability = scale.detection_probability(scale.snr(PHOTONS / of_white, range_m))
    return PhotonCounter(
        half=float(np.interp(0.5, probability, PHOTONS)),
        spread=math.hypot(receiver.signal_spread, receiver.laser_spread),
    )
