# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Traffic lights: lenses to the front, in the colour that is stated, on a post where it is high."""

import numpy as np
import pytest

from lidar_scenery.shapes.lights import LIGHT_SHAPE, LIGHTS
from lidar_scenery.shapes.meshes import mesh_of
from osi_bridge.description.details import ObjectDetails

SIZE = (0.3, 0.3, 0.3)


def _mesh(name, size, **stated):
    return mesh_of(LIGHTS[name].build(size, ObjectDetails(**stated)), name)


@pytest.mark.parametrize(
    ("color", "lens"),
    [(None, "Clear"), ((1.0, 0.0, 0.0), "Red"), ((1.0, 1.0, 0.0), "Yellow"), ((0, 1, 0), "Green")],
)
def test_lens_faces_x_and_covers_the_reflector(color, lens):
    mesh = _mesh(LIGHT_SHAPE, SIZE, color=color)
    faces = mesh.faces[mesh.faces_of([mesh.slot_names.index(f"Signal_Lens_{lens}")])]
    a, b, c = (mesh.vertices_m[faces[:, i]].astype(float) for i in range(3))
    front = 0.5 * np.cross(b - a, c - a)[:, 0]
    assert (front > 0).all()
    assert front.sum() == pytest.approx(np.pi * (0.4 * 0.3) ** 2, rel=0.05)
    bowl = mesh.faces[mesh.faces_of([mesh.slot_names.index("Signal_Reflector")])]
    d, e, f = (mesh.vertices_m[bowl[:, i]].astype(float) for i in range(3))
    assert (np.cross(e - d, f - d)[:, 0] >= -1e-12).all()


def test_head_has_red_above_yellow_above_green():
    mesh = _mesh("traffic_light", (0.25, 0.3, 0.9))
    heights = {}
    for at, name in enumerate(mesh.slot_names):
        z = mesh.vertices_m[mesh.faces[mesh.faces_of([at])]][..., 2]
        heights[name] = (z.min() + z.max()) / 2
    lenses = [heights[f"Signal_Lens_{color}"] for color in ("Red", "Yellow", "Green")]
    assert lenses == pytest.approx([0.3, 0.0, -0.3], abs=1e-6)
    assert "Pole_Steel" not in heights


def test_high_head_stands_on_a_post():
    mesh = _mesh("traffic_light", (0.45, 0.45, 3.22))
    housing = mesh.faces[mesh.faces_of([mesh.slot_names.index("Signal_Housing")])]
    assert np.ptp(mesh.vertices_m[housing][..., 2]) == pytest.approx(1.35, abs=1e-3)
    assert "Pole_Steel" in mesh.slot_names
