# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A sensor at rest while one object moves, compared with a sensor that moves too.

python benchmarks/standing.py [--runs N]
"""

from measure import alternate, main, ratio_row
from scenes import AT_AN_INSTANT, crowd_frames, crowd_model

TITLE = "A standing sensor, one of 20 objects moves"
ABOUT = """\
An OS1-128 at 1024 columns in a crowd of 20 cars; one car drives. LidarModel.step goes from decoded
message to SensorData bytes. In the full step the host moves by 1 mm, so that every ray has to be
traced. The points are checked against a full trace by a second model without the previous steps."""
N_OBJECT = 20


def models_and_frames(n, sensor):
    """Return two equal models, and two lists of frames: with a host at rest, and a moving one."""
    models = [crowd_model(sensor) for _ in range(2)]
    standing = crowd_frames(range(n), N_OBJECT, moving=1)
    moved = [
        frame
        for number in range(n)
        for frame in crowd_frames([number], N_OBJECT, moving=1, host_shift_m=1e-3 * number)
    ]
    return models, (standing, moved)


def check_same(model, frames, sensor):
    """Raise RuntimeError if the model's last points differ from those of a full trace."""
    full = crowd_model(sensor)
    for frame in frames[-2:]:  # the one before is needed for motion
        full.restart()
        full.step(frame)
    name = model.lidars[0].name
    ours, theirs = model.last_scans[name].cloud, full.last_scans[name].cloud
    if ours.points.tobytes() != theirs.points.tobytes():
        raise RuntimeError("the points differ from the points of a full trace")


def measure(runs):
    """Return the rows of this topic's table."""
    (still, driven), (standing, moved) = models_and_frames(3 * runs + 2, AT_AN_INSTANT)
    times = alternate(
        {
            "one object moved": lambda number: _step(still, standing[number]),
            "full step": lambda number: _step(driven, moved[number]),
        },
        runs=3 * runs,
    )
    check_same(still, standing, AT_AN_INSTANT)
    share = 1.0 - still.n_rays_kept / still.n_rays_traced
    name = "one object moved / full step"
    detail = f"{100.0 * share:.1f} % of the rays traced"
    return [
        ratio_row(name, times, "one object moved", "full step", goal=0.35, detail=detail),
    ]


def _step(model, frame):
    """Run a step; raise RuntimeError unless it gives a new point cloud."""
    if not model.step(frame).traced:
        raise RuntimeError("a step reused an old cloud, expected each step to be traced")


if __name__ == "__main__":
    main(TITLE, ABOUT, measure)
