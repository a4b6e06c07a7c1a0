# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ratios of motion.py, materials.py and stream.py, for the table of all benchmarks.

python benchmarks/also.py [--runs N]
"""

import materials
import motion
import stream
from measure import main, ratio_row

TITLE = "Motion, materials, stream"
ABOUT = """\
Motion: an OS1-128 among 20 boxes that drive and turn, within a scan over at an instant. Materials:
a step with a mesh of 1000 infrared materials, each with a table over the angle, compared with one
material. Stream: the time over TCP from the last byte of a message to the first byte of SensorData,
compared with decoding and LidarModel.step."""
A_RUN = 4
"""Pairs of steps for each run requested."""


def in_time(runs):
    """Return the rows of the table about motion within a scan, see motion.py."""
    times = motion.times_of(A_RUN * runs, 20, 1024)
    rows = []
    for stage in ("trace", "update"):
        of_stage = {name: [each[stage] for each in rows] for name, rows in times.items()}
        name = f"motion: {stage} within a scan / at an instant"
        rows.append(ratio_row(name, of_stage, "in time", "instant"))
    return rows


def many_materials(runs):
    """Return the row of the table about many materials, see materials.py."""
    pairs, _ = materials.run(A_RUN * runs, 1000)
    one, many = (list(column) for column in zip(*pairs, strict=True))
    times = {"1000 materials": many, "one": one}
    return [ratio_row("materials: step with 1000 / one", times, *times)]


def over_tcp():
    """Return the row of the table about a TCP stream, for one pass over the demo; see stream.py."""
    rows = stream.run(1, None)
    times = {name: [row[name] for row in rows] for name in ("first byte", "decode and step")}
    return [ratio_row("stream: first byte of the answer / decode and step", times, *times)]


def measure(runs):
    """Return the rows of this topic's table."""
    return [*in_time(runs), *many_materials(runs), *over_tcp()]


if __name__ == "__main__":
    main(TITLE, ABOUT, measure)
