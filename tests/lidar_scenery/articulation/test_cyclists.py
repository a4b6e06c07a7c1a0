# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Riders of bicycles, whose legs follow the pedals."""

from types import SimpleNamespace

import numpy as np
import pytest

from lidar_scenery.articulation.cyclists import WAY_PER_TURN_M, cyclist, riding_model
from lidar_scenery.articulation.records import Heard, Travel
from lidar_scenery.shapes.meshes import mesh_of
from osi_bridge import ObjectDetails

DETAILS = ObjectDetails()
SIZES = [(1.8, 0.6, 1.75), (1.7, 0.5, 1.8), (2.0, 0.7, 1.6)]
CRANKS, THIGHS, SHINS, FEET = 1, slice(2, 4), slice(4, 6), slice(6, 8)  # after one of the bicycle
FRAME = SimpleNamespace(objects=SimpleNamespace(object_id=np.array([7], np.uint64)))


def frame_of(size):
    """Return a bicycle whose wheels do not turn."""
    return SimpleNamespace(
        parts=(mesh_of(riding_model(size, DETAILS), "bicycle"),),
        advance=lambda *_: np.zeros(1),
        poses=lambda travel: np.tile(np.eye(4), (len(travel.state), 1, 1, 1)),
    )


def turning(size, n=48):
    """Return a cyclist and the poses of the parts in one turn of the cranks."""
    rider = cyclist(size, DETAILS, frame_of(size))
    angle = np.linspace(0.0, 2 * np.pi, n)
    still = 0 * angle
    return rider, rider.poses(Travel(7, still, still, still, np.stack([still, angle], axis=1)))


@pytest.mark.parametrize("size", SIZES)
def test_feet_stay_on_the_pedals(size):
    rider, poses = turning(size)
    place = rider.ankles_m[0]
    pedals = poses[:, FEET, :3, 3] - place
    at_rest = poses[:, CRANKS, None, :3, :3] @ rider.pedals_m[..., None]
    expected = poses[:, CRANKS, None, :3, 3] + at_rest[..., 0]
    np.testing.assert_allclose(pedals, expected, atol=1e-9)


@pytest.mark.parametrize("size", SIZES)
def test_legs_reach_the_pedals_and_keep_their_lengths(size):
    rider, poses = turning(size)
    thigh, shin = rider.bones_m
    hips, knees, ankles = (poses[:, part, :3, 3] for part in (THIGHS, SHINS, FEET))
    np.testing.assert_allclose(np.linalg.norm(knees - hips, axis=-1), thigh, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(ankles - knees, axis=-1), shin, atol=1e-9)
    to_ankle, to_hip = ankles - knees, hips - knees
    bent = (to_ankle * to_hip).sum(axis=-1) / (thigh * shin)
    flexion = 180.0 - np.degrees(np.arccos(bent))
    assert flexion.min() > 5.0
    assert flexion.max() < 135.0


@pytest.mark.parametrize("size", SIZES)
def test_a_cyclist_stays_in_the_box(size):
    rider, poses = turning(size)
    half = np.array(size) / 2 + 0.02
    for n, part in enumerate(rider.parts):
        corners = part.vertices_m @ poses[:, n, :3, :3].swapaxes(1, 2) + poses[:, n, None, :3, 3]
        assert (np.abs(corners) < half).all()


def heard(way_m, duration_s=0.1):
    return Heard(FRAME, 0, way_m, 0.0, duration_s, way_m / 0.1, 0.0)


def test_cranks_turn_by_the_way_and_not_backwards():
    rider = cyclist(SIZES[0], DETAILS, frame_of(SIZES[0]))
    first = rider.advance(None, heard(0.0))
    after = rider.advance(first, heard(0.47))
    assert after[-1] - first[-1] == pytest.approx(2 * np.pi * 0.47 / WAY_PER_TURN_M)
    assert rider.advance(after, heard(-0.4))[-1] == after[-1]
    assert rider.advance(after, heard(3.0))[-1] - after[-1] == pytest.approx(2 * np.pi * 0.175)


def test_cranks_turn_from_the_first_way_on():
    rider = cyclist(SIZES[0], DETAILS, frame_of(SIZES[0]))
    turned = rider.advance(None, heard(0.47))[-1] - rider.advance(None, heard(0.0))[-1]
    assert turned == pytest.approx(2 * np.pi * 0.47 / WAY_PER_TURN_M)


def test_a_bicycle_without_a_rider_has_no_legs():
    assert riding_model((1.8, 0.6, 1.06), DETAILS) is None
    assert cyclist((1.8, 0.6, 1.06), DETAILS, frame_of(SIZES[0])) is None
