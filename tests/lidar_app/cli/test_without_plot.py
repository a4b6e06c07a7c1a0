# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Without matplotlib, of the extra plot, nothing fails but pictures, which say it in one line."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import osi_lidar
from lidar_gap.pictures import NO_PLOT
from tests.builders.scans import room_scan
from tests.commands import assert_one_line, run
from tests.lidar_app.cli.test_compare import write_cloud

DRAWING = (
    *("lidar_app.show.accumulated_image", "lidar_app.show.meshes.pictures"),
    *("lidar_app.show.plots.coverage", "lidar_app.show.plots.materials"),
    "lidar_app.show.plots.ranges",
    *("lidar_app.show.plots.sweeps", "lidar_app.show.plots.waveforms"),
    *("lidar_app.show.plots.weather", "lidar_app.show.preview"),
    *("lidar_gap.compare.frame_picture", "lidar_gap.compare.pictures"),
    *("lidar_gap.pictures.cloud_image", "lidar_gap.pictures.figures"),
    "lidar_gap.reality.pictures",
)
"""Modules that draw."""
IMPORTS_ALL = """
import importlib, pkgutil, sys
sys.modules["matplotlib"] = None  # an import of it fails as if it were not installed
from osi_lidar.errors import InputError
def modules(package):
    return pkgutil.walk_packages(importlib.import_module(package).__path__, package + ".")
for module in (*modules("lidar_app"), *modules("lidar_gap"), *modules("osi_lidar")):
    try:
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    except InputError as error:
        print(module.name, error)
"""


@pytest.fixture
def without_plot(monkeypatch):
    """Let imports of matplotlib fail, as if it were not installed."""
    for name in DRAWING:
        package, _, last = name.rpartition(".")
        monkeypatch.delitem(sys.modules, name, raising=False)
        monkeypatch.delattr(sys.modules.get(package, osi_lidar), last, raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)


def test_only_modules_that_draw_need_matplotlib():
    told = subprocess.run(
        [sys.executable, "-c", IMPORTS_ALL], capture_output=True, text=True, check=True
    ).stdout
    assert told.splitlines() == [f"{name} {NO_PLOT}" for name in DRAWING]


@pytest.mark.usefixtures("without_plot")
@pytest.mark.parametrize(
    "command",
    [
        ("preview", "cloud.pcd"),
        ("preview", "--accumulate", "run"),
        ("show", "range", "--sensor", "VLP-16", "--plot", "range.png"),
        ("materials", "show", "concrete", "--plot", "material.png"),
        ("show", "waveform", "-c", "config.yaml", "--beam", "0:0"),
        ("show", "shapes", "car", "--out", "car.png"),
        ("coverage", "config.yaml", "--zones", "--plot", "coverage.png"),
    ],
)
def test_a_command_whose_answer_is_a_picture_ends_in_one_line(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert_one_line(run(*command), 2, "needs the extra plot: pip install 'osi-lidar[plot]'")
    assert not [*Path().iterdir()]


@pytest.mark.usefixtures("without_plot")
def test_compare_writes_its_tables_and_says_what_its_pictures_need(tmp_path):
    for side in ("real", "sim"):
        write_cloud(tmp_path / side / "0.pcd", room_scan(sigma_m=0.01))
    result = run("gap", "compare", tmp_path / "real", tmp_path / "sim", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert result.stderr == f"osi-lidar: {NO_PLOT}\n"
    assert {path.name for path in (tmp_path / "out").glob("[!.]*")} == {"report.json", "report.md"}


@pytest.mark.usefixtures("without_plot")
def test_a_mask_from_a_picture_needs_it_but_none_from_numpy(tmp_path):
    clouds = tmp_path / "clouds"
    write_cloud(clouds / "0.pcd", room_scan())
    (tmp_path / "mask.png").write_bytes(b"")
    np.save(tmp_path / "mask.npy", np.zeros((1, 1), bool))
    given = ("gap", "compare", clouds, clouds, "--fast", "--out", tmp_path / "out", "--mask")
    assert_one_line(run(*given, tmp_path / "mask.png"), 2, NO_PLOT)
    assert_one_line(run(*given, tmp_path / "mask.npy"), 2, "expected", "rings, columns")
