# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The scenes of the bench. To add one, define a `BenchScene` here and list it in `SCENES`."""

from lidar_app.conformance.scenes import (
    edges,
    frames,
    messages,
    motion,
    shapes,
    strengths,
    targets,
    walls,
    worlds,
)

SCENES = (
    walls.WALL,
    walls.TILTED,
    walls.PLATES,
    walls.BEYOND,
    edges.STEP,
    edges.OCCLUSION,
    edges.POLES,
    edges.GRAZING,
    shapes.BALL,
    shapes.FENCE,
    frames.MOUNTING,
    frames.ATTITUDE,
    frames.REAR_AXLE,
    frames.UTM,
    frames.TWO_SENSORS,
    worlds.TUNNEL,
    worlds.OBJECTS,
    worlds.EMPTY,
    worlds.CROWD,
    worlds.FIELDS,
    motion.MOVER,
    motion.CROSSING,
    motion.DRIVING,
    motion.TURNING,
    motion.VELOCITY,
    messages.REPEATED,
    messages.IRREGULAR,
    messages.LATE,
    messages.APPEARING,
    messages.GROWING,
    messages.DAMAGED,
    strengths.BY_RANGE,
    strengths.BY_INCIDENCE,
    targets.KNOWN,
    targets.RETRO,
    strengths.IN_FOG,
    strengths.IN_RAIN,
)

__all__ = ["SCENES"]
