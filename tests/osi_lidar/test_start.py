# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What is imported before it is needed would make every start slower."""

import importlib
import json
import pkgutil
import pydoc
import re
import subprocess
import sys

import pytest

import osi_lidar
from osi_lidar.run import example_scene

MODEL = {"numba", "llvmlite", "raycore", "osi3", "google.protobuf", "pydantic"}
SELDOM = {
    *("IPython", "open3d"),
    *("OpenEXR", "PIL", "asyncio", "collada", "distributed", "dask", "fmpy", "lxml", "matplotlib"),
    *(
        "lidar_app.truth",
        "mcap",
        "osi_utilities",
        "pandas",
        "prometheus_client",
        "pyarrow",
        "pythonfmu",
    ),
    *("trimesh", "zstandard", "lz4"),
    *("scipy.optimize", "scipy.sparse", "scipy.spatial", "scipy.special"),  # numba imports scipy
}


OF_SOME_RUNS = (
    "lidar_scenery.roads.opendrive",
    "lidar_scenery.shapes.catalogue",
    "osi_lidar.scan.echoes.",
    "osi_lidar.sensors.calibration.",
)
COMPILER = {"numba.np.arraymath", "numba.np.linalg", "numba.typed.typeddict", "scipy.linalg"}


def modules_after(statements: str) -> set[str]:
    """Return the names of the modules that a fresh Python has after these statements."""
    script = f"import json, sys\n{statements}\njson.dump([*sys.modules], sys.stderr)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    return set(json.loads(run.stderr.splitlines()[-1]))


def test_importing_the_package_imports_nothing_else():
    assert not modules_after("import osi_lidar") & {*MODEL, *SELDOM, "numpy", "typer", "rich"}


@pytest.mark.long
def test_the_command_line_shows_its_help_without_the_model():
    script = "from lidar_app.cli.main import app\napp(['--help'], standalone_mode=False)"
    assert not modules_after(script) & {*MODEL, *SELDOM, "numpy"}


@pytest.mark.long
def test_the_model_can_be_imported_without_what_few_runs_need():
    names = "FrameSource, LidarModel, load_config, replay"
    found = modules_after(f"from osi_lidar import {names}")
    assert not found & SELDOM
    assert not [name for name in found if name.startswith(OF_SOME_RUNS)]


@pytest.mark.long
def test_the_configuration_can_be_imported_without_kernels_or_calibrations():
    found = modules_after("import osi_lidar.config")
    assert not found & {"numba", "matplotlib", "trimesh", "osi3"}
    assert not [name for name in found if name.startswith("osi_lidar.sensors.calibration.")]


@pytest.mark.long
def test_all_that_a_package_names_is_there():
    """The last imports the others, which do not import each other."""
    names = ("osi_bridge", "material_mapping", "osi_lidar")
    named = "for name in package.__all__: getattr(package, name)"
    script = "\n".join(f"import {each} as package\n{named}" for each in names)
    assert {*names} <= modules_after(script)


def test_a_prompt_offers_the_public_names_and_nothing_else():
    assert dir(osi_lidar) == sorted(osi_lidar.__all__)


def test_help_begins_with_what_to_type_and_names_all_of_it():
    begin, *_ = pydoc.plain(pydoc.render_doc(osi_lidar)).split("PACKAGE CONTENTS")
    assert "osi_lidar.scan_trace(" in begin
    named = set(re.findall(r"\w+", osi_lidar.__doc__))
    assert {name for name in osi_lidar.__all__ if not name.startswith("_")} <= named


@pytest.mark.parametrize("package", ["material_mapping", "osi_bridge"])
def test_no_name_of_a_package_is_that_of_a_file_in_it(package):
    """Once such a file is imported, the package's attribute of that name is the module."""
    found = importlib.import_module(package)
    assert not {module.name for module in pkgutil.iter_modules(found.__path__)} & {*found.__all__}


@pytest.mark.long
def test_a_replay_imports_only_what_it_needs(tmp_path):
    """An ideal one, and a physical one."""
    street = example_scene.street()
    command = ["replay", str(street.trace), "-c", str(street.config), "--frames", "0:1"]
    script = "from lidar_app.cli.main import app"
    for fidelity in ("ideal", "physical"):
        own = ["--fidelity", fidelity, "--overwrite", "--out", str(tmp_path / fidelity)]
        script += f"\napp({[*command, *own]!r}, standalone_mode=False)"
    found = modules_after(script)
    if found & COMPILER:  # which has compiled what no run before has
        found = modules_after(script)
    assert not found & {*SELDOM, *COMPILER}
    assert (tmp_path / "ideal" / "roof" / "000000.pcd").is_file()
    assert (tmp_path / "physical" / "roof" / "000000.pcd").is_file()
