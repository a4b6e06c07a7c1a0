# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Built-in shapes are as they were: a shape that changes, changes the clouds of all who use it.

`tests/golden/shapes.json` has the sums. After a change that is meant, write it anew:
``python -m tests.lidar_scenery.shapes.test_catalogue``.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from lidar_scenery.shapes.catalogue import SHAPES, WALKING_M_S, Wanted, make_shape
from osi_bridge.description.details import ObjectDetails

GOLDEN = Path(__file__).parents[2] / "golden" / "shapes.json"
SCALES = ((1.0, 1.0, 1.0), (0.7, 0.9, 1.1))  # short: a person takes small steps
DETAILS = (ObjectDetails(), ObjectDetails(speed_m_s=WALKING_M_S))


def sums(name):
    """Return, per size and speed, areas by material [m^2], and moments of the surface [m^3, m^4].

    Moments are integrals of x, y, z, |y|, x^2, y^2 and z^2 over its triangles, by their centres.
    """
    found = []
    usual = SHAPES[name].usual_m
    for scale, details in ((scale, details) for scale in SCALES for details in DETAILS):
        size = tuple(side * factor for side, factor in zip(usual, scale, strict=True))
        mesh = make_shape(Wanted(name=name, dimension_m=size, details=details))
        a, b, c = np.moveaxis(mesh.vertices_m[mesh.faces].astype(np.float64), 1, 0)
        area = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
        x, y, z = ((a + b + c) / 3).T
        moments = [area @ each for each in (x, y, z, np.abs(y), x * x, y * y, z * z)]
        by_slot = np.bincount(mesh.slot, area, len(mesh.materials)).tolist()
        areas = {m.name: at for m, at in zip(mesh.materials, by_slot, strict=True)}
        found.append({"areas": areas, "moments": moments})
    return found


def rounded(found):
    return [
        {
            "areas": {name: round(area, 5) for name, area in each["areas"].items()},
            "moments": [round(moment, 5) for moment in each["moments"]],
        }
        for each in found
    ]


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_has_the_surfaces_that_it_had(name):
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))[name]
    for now, before in zip(sums(name), golden, strict=True):
        assert now["areas"] == pytest.approx(before["areas"], rel=1e-4, abs=2e-5)
        assert now["moments"] == pytest.approx(before["moments"], rel=1e-4, abs=2e-5)


def test_every_shape_is_known():
    assert set(json.loads(GOLDEN.read_text(encoding="utf-8"))) == set(SHAPES)


if __name__ == "__main__":
    lines = (f"{json.dumps(name)}: {json.dumps(rounded(sums(name)))}" for name in SHAPES)
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
