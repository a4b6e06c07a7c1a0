# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The coordinate frames that Lichtblick's converter of OSI messages draws in, and transforms.

Names and rules are as in asam-osi-converter 1.0.1 [1]_ (``src/config/ frameTransformNames.ts`` and
``src/converters/*/frameTransformConverter.ts``, commit f0a7a6f):

- ``global`` to ``ego_vehicle_bb_center``: position and orientation of the host vehicle, whose id is
  GroundTruth's ``host_vehicle_id``, or else SensorView's;
- ``ego_vehicle_bb_center`` to ``ego_vehicle_rear_axle``: a translation by ``bbcenter_to_rear``, in
  the axes of the vehicle; none if the message lacks it;
- ``ego_vehicle_rear_axle`` to ``virtual_mounting_position``: ``mounting_position`` of SensorData;
- the time of each is the timestamp of the message.

References
----------
.. [1] https://github.com/lichtblick-suite/asam-osi-converter
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

GLOBAL_FRAME = "global"
BB_CENTER_FRAME = "ego_vehicle_bb_center"
REAR_AXLE_FRAME = "ego_vehicle_rear_axle"
VIRTUAL_MOUNTING_FRAME = "virtual_mounting_position"


class Transform(NamedTuple):
    """The pose of a frame in its parent.

    Attributes
    ----------
    parent, child : str
        Names of the frames.
    time_ns : int
        Time at which the pose is valid. [ns]
    pose : sequence of seven floats
        x y z [m] and the unit quaternion qw qx qy qz, whose rotation matrix is R:
        p_parent = R @ p_child + (x, y, z).
    """

    parent: str
    child: str
    time_ns: int
    pose: Sequence[float]
