# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Point clouds of small worlds, and what their points say."""

import numpy as np

from tests.builders.messages import frames
from tests.builders.worlds import model_before, steps_at_rest, wall_config


def wall_clouds(folder, n=1, **options):
    """Return the clouds of so many scans of a wall, see `wall_config`; ten messages a second."""
    _, done = steps_at_rest(wall_config(folder, **options), n)
    return [step.scans[0].cloud for step in done]


def points_seen(model, things=()):
    """Return the points of each sensor of a model, among further things."""
    (step,) = [model.step(frame) for frame in frames([list(things)], host_id=None)]
    return [scan.cloud.points for scan in step.scans]


def points_before(folder, surfaces, **options):
    """Return the points of one sensor that looks at surfaces, see `model_before`."""
    (points,) = points_seen(model_before(folder, surfaces, **options))
    return points


def points_of(step, object_id=None, sensor=0):
    """Return the points of a step, of one object if asked."""
    cloud = step.scans[sensor].cloud
    chosen = slice(None) if object_id is None else cloud.object_id == np.uint64(object_id)
    return cloud.points[chosen]


def xyz(points):
    """Return coordinates as float64 (n, 3)."""
    return np.stack([points[axis].astype(float) for axis in "xyz"], axis=1)


def reflectance(points):
    """Return the reflectance at the normal of Lambertian points, one value."""
    beam = np.stack([points[axis] for axis in "xyz"], axis=1) / points["range"][:, None]
    normal = np.stack([points[f"normal_{axis}"] for axis in "xyz"], axis=1)
    values = points["reflectivity"] / -(beam * normal).sum(axis=1)
    assert len(values)
    np.testing.assert_allclose(values, values[0], rtol=1e-5)
    return float(values[0])
