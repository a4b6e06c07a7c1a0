# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Beams and bodies for the tests of chords, and chords found one pair after the other in numpy."""

from __future__ import annotations

import math

import numpy as np

from lidar_scenery.weather.bodies import Bodies, BodyKind
from osi_bridge import rotation_from_orientation
from osi_lidar.scan.media.chords.search import BeamDirections, SensorMotion

AHEAD = np.array([[1.0], [0.0], [0.0]], np.float32)
"""One beam along x."""


def spinning(*, columns=512, rings=32, elevation_deg=(-22.5, 22.5)):
    """Return the beams of a rotating sensor, float32 (3, n), a ring after the other."""
    azimuth = np.linspace(-math.pi, math.pi, columns, endpoint=False)[None, :]
    elevation = np.radians(np.linspace(*elevation_deg, rings))[:, None]
    across = np.cos(elevation) * np.ones_like(azimuth)
    axis = np.stack(
        [across * np.cos(azimuth), across * np.sin(azimuth), np.sin(elevation) + 0 * azimuth]
    )
    return np.ascontiguousarray(axis.reshape(3, -1), np.float32)


def everywhere(n, seed=1):
    """Return beams to all sides, float32 (3, n)."""
    axis = np.random.default_rng(seed).normal(size=(3, n))
    return (axis / np.linalg.norm(axis, axis=0)).astype(np.float32)


def pose(position_m=(0.0, 0.0, 0.0), orientation_rad=(0.0, 0.0, 0.0)):
    """Return a pose, float64 (4, 4)."""
    matrix = np.eye(4)
    matrix[:3, :3] = rotation_from_orientation(orientation_rad)
    matrix[:3, 3] = position_m
    return matrix


AT_REST = SensorMotion(np.eye(4)[None], np.zeros(1, np.uint32))
NO_OFFSET = np.zeros((1, 3), np.float32)


def bodies(center_m, radius_m=0.3, *, size_m=None, yaw_rad=0.0):
    """Return spheres; boxes if they have a size."""
    center_m = np.atleast_2d(np.asarray(center_m, np.float64))
    n = len(center_m)
    half_m = 0.5 * np.broadcast_to(np.zeros(3) if size_m is None else size_m, (n, 3))
    radius_m = radius_m if size_m is None else np.linalg.norm(half_m, axis=1)
    return Bodies(
        center_m=center_m,
        radius_m=np.array(np.broadcast_to(radius_m, n), np.float64),
        half_size_m=np.array(half_m, np.float64),
        yaw_rad=np.array(np.broadcast_to(yaw_rad, n), np.float64),
        extinction_per_m=np.full(n, 0.02),
        weight=np.ones(n),
        kind=np.full(n, BodyKind.SPRAY if size_m is None else BodyKind.DUST, np.uint8),
    )


class InOrder:
    """Chords in the order of their beams."""

    def __init__(self, found):
        """Take the rows that beams have."""
        n_of_beam = found.end_of_beam - found.first_of_beam
        self.beam = np.repeat(np.arange(len(n_of_beam)), n_of_beam)
        begin = np.cumsum(n_of_beam) - n_of_beam
        row = np.arange(len(self.beam)) + (found.first_of_beam - begin)[self.beam]
        self.body, self.near_m, self.far_m = found.body[row], found.near_m[row], found.far_m[row]

    def __len__(self):
        return len(self.beam)


def chords(axis, those, motion=AT_REST, *, origin_m=NO_OFFSET, max_range_m=200.0):
    """Return the chords of beams, in the order of these."""
    found = BeamDirections(axis).chords(
        those,
        motion,
        origin_m=origin_m,
        max_range_m=max_range_m,
        backscatter=those.backscatter(905.0).astype(np.float32),
    )
    ordered = InOrder(found)
    check_sums(those, found, ordered)
    return ordered


def check_sums(those, found, ordered):
    """Hold what is summed up for each beam to its chords."""
    assert len(found) == len(ordered)
    length_m = ordered.far_m.astype(np.float64) - ordered.near_m
    for sums, each in (
        (found.depth, those.extinction_per_m),
        (found.back, those.backscatter(905.0)),
    ):
        summed = np.bincount(ordered.beam, each[ordered.body] * length_m, minlength=len(sums))
        np.testing.assert_allclose(sums, summed, rtol=1e-6, atol=1e-12)
    end_m = np.zeros(len(found.end_m), np.float32)
    np.maximum.at(end_m, ordered.beam, ordered.far_m)
    assert np.array_equal(found.end_m, end_m)


def by_pairs(axis, those, motion=AT_REST, *, origin_m=NO_OFFSET, max_range_m=200.0):
    """Return near and far of each beam and body, float64 (n_beam, n_body); far <= near: none.

    In world coordinates, and spheres by the discriminant of |start + t axis - centre|^2 = r^2.
    """
    n = axis.shape[1]
    matrix = motion.world_from_sensor[np.broadcast_to(motion.moment, n)]
    along = np.einsum("nij,jn->ni", matrix[:, :3, :3], axis.astype(np.float64))
    along /= np.linalg.norm(along, axis=1)[:, None]
    start = np.einsum("nij,nj->ni", matrix[:, :3, :3], np.broadcast_to(origin_m, (n, 3)))
    start = start + matrix[:, :3, 3]
    near, far = np.empty((2, n, len(those)))
    for k in range(len(those)):
        away = start - those.center_m[k]
        if those.half_size_m[k].any():
            back = rotation_from_orientation((0.0, 0.0, those.yaw_rad[k])).T
            with np.errstate(divide="ignore"):
                sides = [
                    (sign * those.half_size_m[k] - away @ back.T) / (along @ back.T)
                    for sign in (-1, 1)
                ]
            near[:, k] = np.minimum(*sides).max(axis=1)
            far[:, k] = np.maximum(*sides).min(axis=1)
        else:
            b = np.einsum("ni,ni->n", away, along)
            c = np.einsum("ni,ni->n", away, away) - those.radius_m[k] ** 2
            half = np.sqrt(np.maximum(b * b - c, 0.0))
            near[:, k], far[:, k] = -b - half, -b + half
    return np.maximum(near, 0.0), np.minimum(far, max_range_m)
