# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Names by which nodes are wheels."""

import pytest

from raycore.mesh.bones import is_wheel


@pytest.mark.parametrize(
    "name",
    [
        "Grp_Wheel_Steering_Rotating_0_1",
        "Grp_Wheel_Front_Left",
        "Wheel_Front_Left",
        "wheel_fl",
        "WheelRL.001",
        "FrontLeftWheel",
        "Vehicle_Wheel_RR",
        "tyre_rear_right",
        "Rim_FR",
        "Wheel",
        "wheel_front_left_lod0",
    ],
)
def test_names_of_wheels(name):
    assert is_wheel(name)


@pytest.mark.parametrize(
    "name",
    [
        "Grp_Wheel_0_1",
        "Grp_Wheel_Steering_0_1",
        "Grp_Steering_Wheel",
        "SteeringWheel",
        "Wheel_Arch_FL",
        "Spare_Wheel",
        "Wheels",
        "trim_fl",
        "Door_Rim_Inner_Left_0",
        "Body",
        "",
    ],
)
def test_names_of_other_nodes(name):
    assert not is_wheel(name)
