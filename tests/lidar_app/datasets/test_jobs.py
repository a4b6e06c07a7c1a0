# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command `dataset` with jobs: a table, a folder, a glob or a bucket of traces."""

import re

import pyarrow.csv
import pyarrow.parquet
import pytest

from lidar_app.batch.inputs import Inputs
from lidar_app.batch.table import Job
from osi_lidar.config import default_config
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.builders.batches import plan_in
from tests.builders.data_sets import write_drives
from tests.builders.files import written
from tests.commands import assert_one_line, run
from tests.lidar_app.datasets.test_data_set import contents

SENSOR = "sensors: [{name: roof, preset: VLP-16, columns: 300}]"
COMMAND = ("--format", "openpcdet", "--split", "1/0/1", "--workers", 1)


@pytest.fixture
def folder(tmp_path):
    """Return a folder with two traces, and a configuration in another one."""
    write_drives(tmp_path / "traces")
    written(tmp_path / "setup" / "lidar.yaml", SENSOR)
    return tmp_path


def made(folder, name, *inputs):
    """Make a data set, and return its files, without the card, and the card."""
    options = ("-c", folder / "setup" / "lidar.yaml", *COMMAND, "--out", folder / name)
    result = run("dataset", *inputs, *options)
    assert result.exit_code == 0, result.output
    files = contents(folder / name)
    return files, files.pop("README.md").decode()


def rows_of(card):
    """Return name, split and trace of each run that a card lists."""
    return re.findall(r"\| (\S+) \| (train|val|test) \| (\S+\.osi) \|", card)


def test_traces_in_a_folder_or_a_glob_are_those_that_are_named(folder):
    named, _ = made(folder, "named", *(folder / "traces").iterdir())
    below, card = made(folder, "below", folder / "traces")
    glob, told = made(folder, "glob", folder / "traces" / "*.osi")
    assert named == below == glob
    assert "osi-lidar dataset traces --config lidar.yaml --format openpcdet" in card
    assert "traces/*.osi" in told


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_each_row_of_a_table_is_a_run_with_what_it_states(suffix, folder):
    table = written(
        folder / "jobs.csv",
        "trace,sensor,out,seed,weather.rain_mm_h,sensors.0.columns\n"
        "traces/0.osi,,,,,\n"
        "traces/0.osi,,wet,3,20.0,\n"
        "traces/0.osi,,,,,60\n"
        "traces/1.osi,VLP-16,,,,90\n"
        "traces/0.osi,,,,,\n",  # as the first one
    )
    if suffix == "parquet":
        read = pyarrow.csv.read_csv(table)
        table = folder / "jobs.parquet"
        pyarrow.parquet.write_table(read, table)
    _, card = made(folder, "set", table)
    rows = rows_of(card)
    assert [(name, trace) for name, _, trace in rows] == [
        *(("00000_0", "0.osi"), ("00002_0", "0.osi"), ("1", "1.osi"), ("wet", "0.osi"))
    ]
    assert len({(trace, split) for _, split, trace in rows}) == 2  # a trace is in one split
    assert len(set(re.findall(r"`(\w{16})` \| [\w-]+ \| \d", card))) == 4  # configurations
    assert f"osi-lidar dataset jobs.{suffix} --config lidar.yaml" in card
    assert not list(folder.glob(".*"))


def test_a_bucket_gives_the_set_of_a_folder(folder, memory):
    for path in (folder / "traces").iterdir():
        memory.pipe_file(f"memory://in/2026/{path.name}", path.read_bytes())
    memory.pipe_file("memory://in/jobs.csv", b"trace\n2026/0.osi\n2026/1.osi\n")
    memory.pipe_file("memory://in/setup/lidar.yaml", SENSOR.encode())
    expected, _ = made(folder, "here", folder / "traces")
    for name, address in (("prefix", "memory://in/2026"), ("table", "memory://in/jobs.csv")):
        options = ("-c", "memory://in/setup/lidar.yaml", *COMMAND, "--out", folder / name)
        result = run("dataset", address, *options)
        assert result.exit_code == 0, result.output
        found = contents(folder / name)
        card = found.pop("README.md").decode()
        assert found == expected
        assert f"osi-lidar dataset {address} --config lidar.yaml" in card
    result = run("dataset", "memory://nowhere", *COMMAND, "--out", folder / "none")
    assert_one_line(result, 2, "memory://nowhere: no such bucket or prefix")
    assert not list(folder.glob(".*"))


def test_a_folder_with_runs_is_one_of_runs(folder):
    trace = folder / "traces" / "0.osi"
    replay(FrameSource(trace), default_config("VLP-16"), folder / "run")
    _, card = made(folder, "set", folder)
    assert [name for name, *_ in rows_of(card)] == ["run"]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("trace\ntraces/0.osi\ntraces/gone.osi\n", ["gone.osi: no such file"]),
        ("trace,sede\ntraces/0.osi,1\n", ["jobs.csv: unknown column 'sede'", "seed"]),
        (
            "trace,out\ntraces/0.osi,a\ntraces/1.osi,a\n",
            ["out: two different jobs have the output folder 'a'"],
        ),
        ("trace,sensors.0.presett\ntraces/0.osi,VLP-16\n", ["0.osi: sensors", "presett", "preset"]),
        ("trace,config\ntraces/0.osi,gone.yaml\n", ["gone.yaml"]),
        ("trace,seed\ntraces/1.osi,abc\n", ["1.osi: seed: expected a whole number, got 'abc'"]),
        ("trace\n", ["jobs.csv: contains no jobs"]),
    ],
)
def test_a_table_that_makes_no_sense_is_one_line_and_leaves_nothing(table, words, folder):
    file = written(folder / "jobs.csv", table)
    before = sorted(folder.rglob("*"))
    result = run("dataset", file, *COMMAND, "--out", folder / "set")
    assert_one_line(result, 2, *words)
    assert sorted(folder.rglob("*")) == before


def test_a_damaged_trace_is_one_line_with_its_name_once(folder):
    trace = folder / "traces" / "0.osi"
    trace.write_bytes(trace.read_bytes()[:-9])
    result = run("dataset", folder / "traces", *COMMAND, "--out", folder / "set")
    assert_one_line(result, 2, "0.osi: damaged at frame")
    assert result.stderr.count("0.osi") == 1
    assert not (folder / "set").exists()
    assert not list(folder.glob(".*"))


def test_what_is_no_input_is_one_line(folder):
    other = written(folder / "notes.txt", "nothing")
    result = run("dataset", other, *COMMAND, "--out", folder / "set")
    assert_one_line(result, 2, "notes.txt: expected a table (.csv, .parquet), a trace")
    result = run("dataset", folder / "traces/x*.osi", *COMMAND, "--out", folder / "set")
    assert_one_line(result, 2, "contains no jobs")
    result = run("dataset", folder / "traces", "-c", "gone.yaml", *COMMAND, "--out", folder / "set")
    assert_one_line(result, 2, "gone.yaml")


def test_jobs_without_a_configuration_have_that_of_a_replay(tmp_path):
    plan = plan_in(tmp_path, tmp_path / "out", config="")
    inputs = Inputs(plan.scratch, plan.out, plan.keep_bytes)
    assert plan.configuration(Job(0, ""), inputs).resolved() == default_config().resolved()
