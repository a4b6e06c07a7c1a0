# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The register of output formats: one entry makes a format part of every kind of run."""

import json
import re

import numpy as np
import pytest

from osi_lidar import OutputError
from osi_lidar.config import Output
from osi_lidar.output import writers
from osi_lidar.output.run_folder import RunFolder
from osi_lidar.output.step_tables import StepTable
from osi_lidar.output.writer import Writer
from osi_lidar.output.writers import (
    FORMATS,
    missing_libraries,
    names_to_write,
    remove_scans,
    wanted_formats,
)
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.builders.files import written
from tests.builders.messages import Thing, host
from tests.builders.runs import write_worlds
from tests.builders.worlds import config

N_FRAMES = 4
ALL = Output(npy=True, evd=True, depth="npy", mcap="viewer", ground_truth=True, motion="text")
BY_KEY = {each.key: each for each in FORMATS}


@pytest.fixture
def trace(tmp_path):
    worlds = [[host(), Thing(2, (15.0 + i, 0.0, 0.75))] for i in range(N_FRAMES)]
    return write_worlds(tmp_path / "20260102T030405Z_sv_380_7362_4_moving.osi", worlds)


class Counts(Writer):
    """A format of one line for each call, in counts.log, and a file for each scan."""

    key = "pcd"  # wanted whenever point clouds are
    in_report = True
    names = ("counts.log",)
    sensor_names = ("about.txt",)
    scan_suffixes = (".n",)

    def __init__(self, destination, config):
        super().__init__(destination, config)
        self.calls = ["made"]
        assert not self.folder.exists()

    def open(self):
        self.calls.append("open")
        for sensor in self.config.sensors:
            (self.folder / sensor.name / "about.txt").write_text("counts")

    def write_scans(self, step):
        self.calls.append(f"scans {step.index}")
        for scan in step.scans:
            path = self.folder / scan.sensor / f"{scan.number:06d}.n"
            path.write_text(f"{len(scan.cloud.points)}")

    def add(self, sensor_data, time_ns):
        assert sensor_data
        self.calls.append(f"add {time_ns}")

    def take(self, step):
        return [StepTable(self.key, "", {"number": np.array([step.index])})]

    def write(self, table):
        self.calls.append(f"write {table.columns['number'][0]}")

    def close(self):
        return written(self.folder / "counts.log", "\n".join([*self.calls, "close"]))


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setattr(writers, "FORMATS", (*FORMATS, Counts))


@pytest.mark.usefixtures("registered")
def test_a_format_in_the_register_takes_part_in_each_stage_of_a_run(trace, tmp_path):
    out = tmp_path / "out"
    replay(FrameSource(trace), config(), out)
    calls = (out / "counts.log").read_text().splitlines()
    steps = [(f"scans {n}", f"add {100_000_000 * n}", f"write {n}") for n in range(N_FRAMES)]
    assert calls == ["made", "open", *(call for step in steps for call in step), "close"]
    assert [path.name for path in sorted((out / "front").glob("*.n"))] == [
        f"{n:06d}.n" for n in range(N_FRAMES)
    ]
    content = json.loads((out / "run.json").read_text())
    assert content["pcd"] == "counts.log"
    assert list(content)[-1] == "pcd"


def test_its_files_are_removed_by_overwriting_and_others_stay(trace, tmp_path, monkeypatch):
    out = tmp_path / "out"
    with monkeypatch.context() as patched:
        patched.setattr(writers, "FORMATS", (*FORMATS, Counts))
        replay(FrameSource(trace), config(), out)
        (out / "front" / "mine.n").write_text("no number")
        plain = config(output={"pcd": "none"})
        replay(FrameSource(trace), plain, out, overwrite=True)
    assert not (out / "counts.log").exists()
    assert [path.name for path in (out / "front").iterdir()] == ["mine.n"]


@pytest.mark.usefixtures("registered")
def test_its_files_are_removed_with_a_step_that_cannot_be_written(trace, tmp_path, monkeypatch):
    add, out = RunFolder.add, tmp_path / "out"

    def until_the_disk_is_full(folder, rows, *arguments):
        if rows[0][0] == 2:
            raise OutputError("no room")
        add(folder, rows, *arguments)

    monkeypatch.setattr(RunFolder, "add", until_the_disk_is_full)
    with pytest.raises(OutputError, match="no room"):
        replay(FrameSource(trace), config(), out)
    names = sorted(path.name for path in (out / "front").iterdir())
    assert names == ["000000.n", "000000.pcd", "000001.n", "000001.pcd", "about.txt"]


def test_each_format_has_a_key_of_the_configuration_of_its_own():
    assert len(BY_KEY) == len(FORMATS)
    assert set(BY_KEY) <= set(Output.model_fields)


def test_formats_are_wanted_by_their_keys():
    assert [each.key for each in wanted_formats(Output())] == ["pcd", "sensor_data"]
    assert wanted_formats(ALL) == list(FORMATS)
    assert wanted_formats(Output(pcd="none", sensor_data="none")) == []


def test_libraries_of_formats_that_are_not_wanted_may_be_missing(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    assert missing_libraries(Output(motion="text", depth="pfm")) == []
    output = Output(motion="both", depth="exr", ground_truth=True, mcap="viewer")
    assert [line.split(":")[0] for line in missing_libraries(output)] == [
        "output.depth", "output.mcap", "output.ground_truth", "output.motion"
    ]  # fmt: skip


def names_of(output):
    return names_to_write(output, config().sensors)


@pytest.mark.parametrize(
    ("name", "is_own"),
    [
        ("motion.txt", True),
        ("motion.parquet", True),
        ("20260102T030405Z_sd_380_7362_4_moving.osi", True),
        ("20260102T030405Z_sd_380_7362_4_moving.mcap", True),
        ("20260102T030405Z_sv_380_7362_4_moving.osi", False),
        ("viewer.mcap", True),
        ("viewer.layout.json", True),
        ("viewer.json", False),
        ("motion.csv", False),
        ("000000.pcd", False),
    ],
)
def test_names_in_the_folder_of_a_run(name, is_own):
    assert (re.fullmatch(names_of(ALL), name) is not None) == is_own


@pytest.mark.parametrize(
    ("name", "is_own"),
    [
        *((f"000012.{suffix}", True) for suffix in ("pcd", "pfm", "exr", "npy", "pgm", "evd")),
        ("000012.points.npy", True),
        ("000012.pointsxnpy", False),
        ("1234567.pcd", True),
        ("ground_truth.parquet", True),
        ("12.pcd", False),
        ("000012.xyz", False),
        ("000012xpcd", False),
        ("ground_truth_parquet", False),
    ],
)
def test_names_in_the_folder_of_a_sensor(name, is_own):
    assert (re.fullmatch(names_of(ALL), f"front/{name}") is not None) == is_own
    assert (re.fullmatch(names_of(ALL), f"front/clean/{name}") is not None) == (
        is_own and not name.startswith("ground")
    )
    assert not re.fullmatch(names_of(Output(pcd="none", sensor_data="none")), f"front/{name}")


def test_scans_are_removed_in_all_formats_and_others_stay(tmp_path):
    folder = tmp_path / "front"
    suffixes = ("evd", "exr", "npy", "pcd", "pfm", "pgm", "points.npy")
    for within in ("deskewed", "clean"):
        (folder / within).mkdir(parents=True)
    for number in (1, 2):
        for suffix in (*suffixes, "txt"):
            (folder / f"{number:06d}.{suffix}").write_text("x")
        for within in ("deskewed", "clean"):
            (folder / within / f"{number:06d}.pcd").write_text("x")
    remove_scans(tmp_path, [("front", 1), ("absent", 1)])
    left = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))
    second = [f"000002.{suffix}" for suffix in (*suffixes, "txt")]
    assert left == ["000001.txt", *second, "clean/000002.pcd", "deskewed/000002.pcd"]
