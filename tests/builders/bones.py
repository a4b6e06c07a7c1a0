# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""People whose bones a message states."""

from osi3.osi_groundtruth_pb2 import GroundTruth

from osi_bridge import FrameDecoder
from osi_bridge.description.bones import BONES

SIZE = (0.8, 0.6, 1.75)
ROOT_M = (0.02, 0.0, -0.875)


def frame_with(joints_m, *, turns=None, missing=(), size=SIZE):
    """Return a frame with one person who has these bones."""
    truth = GroundTruth()
    truth.timestamp.seconds = 1
    person = truth.moving_object.add(type="TYPE_PEDESTRIAN")
    person.id.value = 5
    person.base.position.z = size[2] / 2
    side = person.base.dimension
    side.length, side.width, side.height = size
    stated = person.pedestrian_attributes
    root = stated.bbcenter_to_root
    root.x, root.y, root.z = ROOT_M
    for name, place in joints_m.items():
        bone = stated.skeleton_bone.add(type=BONES[name])
        bone.position.x, bone.position.y, bone.position.z = place
        bone.missing = name in missing
        if turns and name in turns:
            angles = bone.orientation
            angles.roll, angles.pitch, angles.yaw = turns[name]
    return FrameDecoder("GroundTruth").decode(truth.SerializeToString(), 0)
