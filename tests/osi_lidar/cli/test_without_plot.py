# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Without matplotlib, of the extra plot, nothing fails but pictures, which say it in one line."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import osi_lidar
from osi_lidar.show import NO_PLOT
from tests.builders.scans import room_scan
from tests.commands import assert_one_line, run
from tests.osi_lidar.cli.test_compare import write_cloud

DRAWING = (
    *("gap.compare.frame_picture", "gap.compare.pictures", "show.accumulated_image"),
    *("show.cloud_image", "show.figures", "show.meshes.pictures", "show.plots.materials"),
    *("show.plots.ranges", "show.plots.sweeps", "show.plots.waveforms", "show.preview"),
)
"""Modules of osi_lidar that draw."""
IMPORTS_ALL = """
import importlib, pkgutil, sys
sys.modules["matplotlib"] = None  # an import of it fails as if it were not installed
import osi_lidar
from osi_lidar.errors import InputError
for module in pkgutil.walk_packages(osi_lidar.__path__, "osi_lidar."):
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
        package, _, last = f"osi_lidar.{name}".rpartition(".")
        monkeypatch.delitem(sys.modules, f"osi_lidar.{name}", raising=False)
        monkeypatch.delattr(sys.modules.get(package, osi_lidar), last, raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)


def test_only_modules_that_draw_need_matplotlib():
    told = subprocess.run(
        [sys.executable, "-c", IMPORTS_ALL], capture_output=True, text=True, check=True
    ).stdout
    assert told.splitlines() == [f"osi_lidar.{name} {NO_PLOT}" for name in DRAWING]


@pytest.mark.usefixtures("without_plot")
@pytest.mark.parametrize(
    "command",
    [
        ("preview", "cloud.pcd"),
        ("preview", "--accumulate", "run"),
        ("range", "--sensor", "VLP-16", "--plot", "range.png"),
        ("materials", "show", "concrete", "--plot", "material.png"),
        ("waveform", "config.yaml", "--beam", "0:0"),
        ("shapes", "car", "--out", "car.png"),
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
    result = run("compare", tmp_path / "real", tmp_path / "sim", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert result.stderr == f"osi-lidar: {NO_PLOT}\n"
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"report.json", "report.md"}


@pytest.mark.usefixtures("without_plot")
def test_a_mask_from_a_picture_needs_it_but_none_from_numpy(tmp_path):
    clouds = tmp_path / "clouds"
    write_cloud(clouds / "0.pcd", room_scan())
    (tmp_path / "mask.png").write_bytes(b"")
    np.save(tmp_path / "mask.npy", np.zeros((1, 1), bool))
    given = ("compare", clouds, clouds, "--fast", "--out", tmp_path / "out", "--mask")
    assert_one_line(run(*given, tmp_path / "mask.png"), 2, NO_PLOT)
    assert_one_line(run(*given, tmp_path / "mask.npy"), 2, "expected", "rings, columns")
