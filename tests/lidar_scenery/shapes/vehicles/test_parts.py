# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Parts that vehicles share have the sizes of real ones, and face where they should."""

import numpy as np
import pytest

from lidar_scenery.shapes.builder import PAINT
from lidar_scenery.shapes.solids import SolidModel
from lidar_scenery.shapes.vehicles.parts import add_driver, add_mirror, add_plate


def box_of(model, *materials):
    """Return the least and the greatest x, y and z of some materials, (2, 3)."""
    corners = np.concatenate([p for name in materials for p in model.groups["body", name]])
    return np.array([corners.min(axis=0), corners.max(axis=0)])


def way_of(polygon):
    """Return the direction that a polygon faces, a unit vector."""
    normal = np.cross(polygon[1] - polygon[0], polygon[2] - polygon[0])
    return (normal / np.linalg.norm(normal)).tolist()


def test_a_driver_sits_upright_on_a_seat():
    model = SolidModel()
    add_driver(model, 1.0, 0.4, 0.8)
    head = box_of(model, "Skin")
    np.testing.assert_allclose(np.ptp(head, axis=0), (0.19, 0.16, 0.24), atol=0.015)
    np.testing.assert_allclose(head.mean(axis=0), (0.98, 0.4, 1.53), atol=0.01)
    body = box_of(model, "Cloth_Blue", "Cloth_Black")
    np.testing.assert_allclose(body.mean(axis=0)[1], 0.4, atol=1e-9)
    assert 0.5 <= np.ptp(body, axis=0)[1] < 0.6
    assert body[0, 2] == pytest.approx(0.4)  # of the seat, 40 cm below the hips
    assert body[1, 2] < head[0, 2] + 0.05


@pytest.mark.parametrize(("outer", "inner"), [(0.9, 0.77), (-0.9, -0.77)])
def test_a_mirror_is_13_cm_wide_and_its_glass_faces_backwards(outer, inner):
    model = SolidModel()
    add_mirror(model, 0.5, outer, 1.0)
    sides = min(outer, inner), max(outer, inner)
    low, high = box_of(model, PAINT)
    np.testing.assert_allclose([low, high], np.transpose([(0.5, 0.6), sides, (1.0, 1.15)]))
    (glass,) = model.groups["body", "Mirror_Glass"]
    assert way_of(glass) == [-1.0, 0.0, 0.0]
    np.testing.assert_allclose(np.ptp(glass, axis=0), (0.0, 0.13, 0.15))


@pytest.mark.parametrize(("x", "ahead"), [(2.2, 1.0), (-2.2, -1.0)])
def test_a_plate_is_52_by_11_cm_and_faces_away_from_the_vehicle(x, ahead):
    model = SolidModel()
    add_plate(model, x)
    (plate,) = model.groups["body", "License_Plate_Retro"]
    np.testing.assert_allclose(plate.min(axis=0), (x, -0.26, 0.42))
    np.testing.assert_allclose(plate.max(axis=0), (x, 0.26, 0.53))
    assert way_of(plate) == [ahead, 0.0, 0.0]
