# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Small scenarios whose files lie in many places, and the clouds of their runs."""

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

from lidar_app.bundle.opening import open_bundle
from lidar_app.bundle.packing import write_bundle
from lidar_app.bundle.scenario import TraceReading, scenario_of
from osi_lidar.config import load_config
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.builders.materials import write_asset
from tests.builders.meshes import write_cube
from tests.builders.messages import ahead, host
from tests.builders.runs import write_worlds
from tests.builders.worlds import write_config
from tests.material_mapping.databases.database_files import write_spectrum


@dataclass
class Place:
    """A configuration and a trace."""

    config: Path
    trace: Path


def scattered(home):
    """Return a scenario whose files lie beside, above and far from its configuration.

    The trace names a mesh beside it, an asset of a search folder by an absolute path, and a mesh by
    its bare name; the configuration names a mesh by an absolute path, a mapping, and a database.
    """
    (home / "project").mkdir(parents=True)
    write_cube(home / "drives" / "meshes" / "near.obj")
    write_asset(home / "library" / "cars" / "asset", 0.37, name="asset")
    write_cube(home / "library" / "deep" / "er" / "bare.obj", "Board")
    write_cube(home / "library" / "unused.obj")
    wall = write_cube(home / "far" / "wall.obj", "Board")
    (home / "far" / "wall.mtl").write_text("newmtl Board\n")
    wall.write_text(f"mtllib wall.mtl\n{wall.read_text()}")
    write_spectrum(home / "db" / "board.spectrum.txt", {0.8: 37.0, 1.0: 37.0})
    write_spectrum(home / "db" / "other.spectrum.txt", {0.8: 90.0, 1.0: 90.0})
    (home / "project" / "map.yaml").write_text("materials: {Board: board}")
    config = write_config(
        home / "project",
        materials={"mapping": "map.yaml", "databases": ["../db"]},
        scene={
            "search": ["../library"],
            "objects": [{"match": {"id": 5}, "mesh": str(wall), "fit": True}],
        },
    )
    things = [
        ahead(2, "meshes/near.obj"),
        ahead(3, str(home / "library" / "cars" / "asset" / "asset.xoma"), y_m=10.0),
        ahead(4, "C:\\somewhere\\bare.obj", y_m=-10.0),
        ahead(5, x_m=6.0, y_m=6.0),
    ]
    worlds = [[host(x_m=0.1 * n), *things] for n in range(3)]
    return Place(config, write_worlds(home / "drives" / "drive.osi", worlds))


def plain(home):
    """Return a scenario of one mesh, all in one folder."""
    home.mkdir(parents=True, exist_ok=True)
    write_cube(home / "car.obj")
    worlds = [[host(x_m=0.1 * n), ahead(2, "car.obj")] for n in range(3)]
    return Place(write_config(home), write_worlds(home / "drive.osi", worlds))


def with_code(home, name):
    """Return a plain scenario whose sensor has a pattern of a Python file of this name."""
    place = plain(home)
    (home / name).write_text(
        "import numpy as np\n\n\ndef curve(start_s, period_s):\n"
        "    return np.array([0.0, 0.01]), np.zeros(2), np.array([0.0, -0.1])\n"
    )
    content = json.loads(place.config.read_text())
    content["sensors"][0]["pattern"] = {"kind": "python", "file": name, "function": "curve"}
    place.config.write_text(json.dumps(content))
    return place


def bundled(place, target, run=None):
    """Write the bundle of a scenario; return it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    write_bundle(scenario_of(place.config, place.trace, TraceReading(), run=run), target)
    return target


def clouds(config, trace, out):
    """Replay, and return the clouds by their names."""
    replay(FrameSource(trace), load_config(config), out)
    return {each.relative_to(out).as_posix(): each.read_bytes() for each in out.rglob("*.pcd")}


def clouds_of_bundle(file, out):
    """Replay what a bundle holds, and return the clouds by their names."""
    with open_bundle(file) as bundle:
        return clouds(bundle.config, bundle.trace, out)


def write_made(folder):
    """Write a scenario into "home", its run, and two bundles, one without its clouds."""
    place = plain(folder / "home")
    clouds(place.config, place.trace, folder / "run")
    bundled(place, folder / "plain.osib")
    bundled(place, folder / "scene.osib", run=folder / "run")
    return folder


def empty_place(tmp_path, monkeypatch):
    """Work in an empty folder, with a folder for bundles in which nothing may stay."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert not [*folder.glob(".osi-lidar-bundle-*")]
