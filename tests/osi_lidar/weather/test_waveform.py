# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The waveform of a beam in weather holds the echoes that the scan reports of it."""

import numpy as np
import pytest

from lidar_scenery.weather.state import DustBox, Weather
from tests.builders.beams import plate
from tests.builders.messages import frames
from tests.builders.weather import DUST, FOG, PUCK, RAIN, SURFACE, model_in

STORM = Weather(
    rain_mm_h=300.0,
    visibility_m=40.0,
    dust=(DustBox(center_m=(7.0, 0.0, 0.0), size_m=(1.0, 9.0, 9.0), visibility_m=10.0),),
)


@pytest.mark.parametrize("refine", [False, True], ids=["one look", "two looks"])
def test_its_echoes_are_those_of_the_scan(tmp_path, refine):
    sensor = {**PUCK, "beam": {**PUCK["beam"], "refine": refine}, "n": 500}
    half = [(plate(15.0, right_m=0.0), 80.0)]
    model = model_in(STORM, tmp_path, half, **sensor)
    (frame,) = frames([[]], host_id=None)
    cloud, (lidar,) = model.step(frame).scans[0].cloud, model.lidars
    scanned = model.last_scans["front"].scanned
    assert set(cloud.points["origin"].tolist()) == {SURFACE, FOG, RAIN, DUST}
    for beam in range(0, 500, 7):
        waveform = lidar.waveform(scanned, beam)
        own = cloud.points[cloud.beam == beam]
        seen = waveform.echo_snr >= waveform.threshold
        np.testing.assert_allclose(waveform.echo_range_m[seen], own["range"], atol=1e-5)
        np.testing.assert_allclose(waveform.echo_snr[seen], own["snr"], rtol=1e-5)
        at_echo = np.interp(waveform.echo_range_m, waveform.range_m, waveform.snr)
        np.testing.assert_allclose(at_echo, waveform.echo_snr, rtol=0.01)
