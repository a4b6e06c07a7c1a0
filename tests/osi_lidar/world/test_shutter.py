# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Where host and objects are at any time of a scan, from the messages around it."""

import numpy as np
import pytest

from osi_lidar.config.scene import Teleport
from osi_lidar.world.history import History
from raycore.scene.jumps import JumpLimits
from tests.builders.messages import Thing, frames, host

STEP_S, N_MESSAGES = 0.05, 5
TIME_S = STEP_S * np.arange(N_MESSAGES)


def shutter_of(x_m, duration_s):
    """Return a scan that ends with the last message; host and car are at the places on x."""
    history = History(JumpLimits.of(Teleport()))
    worlds = [[host(x_m=x), Thing(9, (x, 10.0, 0.75))] for x in x_m]
    for frame in frames(worlds, step_s=STEP_S):
        history.add(frame)
    return history.until_now(round(1e9 * duration_s))


@pytest.mark.parametrize("lands", range(N_MESSAGES))
@pytest.mark.parametrize("begin_s", [0.0, 0.02, 0.08])
def test_what_jumps_in_a_scan_rests_where_it_lands_and_then_drives_on(lands, begin_s):
    """It is first seen after the jump in this message; 0: it does not jump."""
    jump_m = 1000.0 * (np.arange(N_MESSAGES) >= lands)
    x_m = jump_m + (0.0, 1.0, 3.0, 6.0, 7.0)
    shutter = shutter_of(x_m, TIME_S[-1] - begin_s)

    def expected_m(after_s):
        return np.interp(begin_s + after_s, TIME_S[lands:], x_m[lands:])

    share = np.linspace(0.0, 1.0, 41)
    host_m = shutter.carrier().trajectory.at(share)[:, 0, 3]
    np.testing.assert_allclose(host_m, expected_m(share * 1e-9 * shutter.duration_ns), atol=1e-6)
    ids = shutter.frame.objects.object_id.tolist()
    for blur in (False, True):
        after_s, poses = shutter.object_keys(blur=blur, n_interval=40)
        car_m = poses[ids.index(9), :, 0, 3]
        np.testing.assert_allclose(car_m, expected_m(after_s), atol=1e-6)
