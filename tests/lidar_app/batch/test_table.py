# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The jobs of a batch: tables, folders, globs, and the shards that share them."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from lidar_app.batch.shards import Shard, find_shard, shard_of
from lidar_app.batch.table import Job, read_jobs
from osi_lidar.errors import InputError


def table(folder, text, name="jobs.csv"):
    path = folder / name
    path.write_text(text)
    return str(path)


def test_a_row_is_a_job_with_typed_changes(tmp_path):
    address = table(
        tmp_path,
        "trace,sensor,config,seed,out,weather.rain_mm_h,scene.ground\n"
        "a.osi,VLP-16,lidar.yaml,7,wet,4.5,none\n"
        "\n"
        "sub/b.mcap,,,,,,\n",
    )
    first, second = read_jobs(address, str(tmp_path / "out"))
    assert first == Job(
        number=0,
        trace=str(tmp_path / "a.osi"),
        sensor="VLP-16",
        config=str(tmp_path / "lidar.yaml"),
        out="wet",
        changes=(("seed", 7), ("weather.rain_mm_h", 4.5), ("scene.ground", "none")),
    )
    assert second == Job(number=1, trace=str(tmp_path / "sub" / "b.mcap"))


def test_parquet_and_csv_give_the_same_jobs(tmp_path):
    address = table(tmp_path, "trace,seed,weather.rain_mm_h\na.osi,1,2.5\nb.osi,2,\n")
    columns = {"trace": ["a.osi", "b.osi"], "seed": [1, 2], "weather.rain_mm_h": [2.5, None]}
    parquet.write_table(pa.table(columns), tmp_path / "jobs.parquet")
    jobs = read_jobs(address, "/out")
    assert read_jobs(str(tmp_path / "jobs.parquet"), "/out") == jobs
    assert [job.key for job in jobs] != [job.key for job in reversed(jobs)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "has no column 'trace'"),
        ("sensor\nVLP-16\n", "has no column 'trace'"),
        ("trace,sensr\na.osi,VLP-16\n", "unknown column 'sensr', did you mean 'sensor'"),
        ("trace,trace\na.osi,b.osi\n", "has the column 'trace' twice"),
        ("trace,seed\n,3\n", "jobs.csv:2: has no trace"),
        ("trace\na.osi,3\n", "jobs.csv:2: got 2 values, expected 1"),
        ("trace\n", "contains no jobs"),
        ("trace,out\na.osi,../x\n", "out: got '../x'"),
        ("trace,out\na.osi,rows\n", "out: got 'rows'"),
        ("trace,out\na.osi,x\nb.osi,x\n", "two different jobs have the output folder 'x'"),
    ],
)
def test_a_table_that_makes_no_sense_is_one_line(tmp_path, text, words):
    with pytest.raises(InputError) as caught:
        read_jobs(table(tmp_path, text), "/out")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["none.csv", "none", "s3.txt", "*.osi"])
def test_nothing_at_the_address_is_one_line(tmp_path, name):
    with pytest.raises(InputError, match="expected a table"):
        read_jobs(str(tmp_path / name), "/out")


def test_a_file_that_is_no_table_is_one_line(tmp_path):
    (tmp_path / "x.parquet").write_bytes(b"no table")
    (tmp_path / "x.csv").write_bytes(b"trace\n\xff\xfe\n")
    for name in ("x.parquet", "x.csv"):
        with pytest.raises(InputError, match=r"is not a .* table"):
            read_jobs(str(tmp_path / name), "/out")


def test_a_folder_and_a_glob_give_traces_but_no_answers(tmp_path):
    names = ("b.osi", "a.mcap", "deep/c.osi.xz", ".hidden/d.osi", "run/e.osi", "out/x/f.osi")
    for name in (*names, "run/run.json", "notes.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    jobs = read_jobs(str(tmp_path), str(tmp_path / "out"))
    found = [Path(job.trace).relative_to(tmp_path).as_posix() for job in jobs]
    assert found == ["a.mcap", "b.osi", "deep/c.osi.xz"]
    (one,) = read_jobs(str(tmp_path / "*.osi"), "/out")
    assert one.trace == str(tmp_path / "b.osi")
    assert read_jobs(str(tmp_path / "b.osi"), "/out") == [one]


def test_traces_of_a_folder_and_of_a_glob_are_in_the_order_of_their_numbers(tmp_path):
    for number in range(12):
        (tmp_path / f"drive_{number}.osi").touch()
    expected = [f"drive_{number}.osi" for number in range(12)]
    for address in (tmp_path, tmp_path / "*.osi", f"file://{tmp_path}/*.osi"):
        jobs = read_jobs(str(address), "/out")
        assert [Path(job.trace).name for job in jobs] == expected


def test_eight_shards_have_each_job_once():
    jobs = [Job(number, f"/{number}.osi") for number in range(100)]
    jobs.append(jobs[3]._replace(number=100))  # says the same as another row
    parts = [shard_of(jobs, Shard(index, 8)) for index in range(8)]
    assert sorted(job.number for part in parts for job in part) == list(range(100))
    assert {len(part) for part in parts} == {12, 13}


@pytest.mark.parametrize(
    ("text", "environment", "shard"),
    [
        (None, {}, Shard(0, 1)),
        ("3/8", {"SLURM_ARRAY_TASK_ID": "5"}, Shard(3, 8)),
        (None, {"SLURM_ARRAY_TASK_ID": "5", "SLURM_ARRAY_TASK_COUNT": "8"}, Shard(5, 8)),
        (
            None,
            {
                "SLURM_ARRAY_TASK_ID": "8",
                "SLURM_ARRAY_TASK_MIN": "1",
                "SLURM_ARRAY_TASK_COUNT": "8",
            },
            Shard(7, 8),
        ),
        ("/4", {"JOB_COMPLETION_INDEX": "2"}, Shard(2, 4)),
        (None, {"JOB_COMPLETION_INDEX": "2", "JOB_COMPLETIONS": "3"}, Shard(2, 3)),
        ("/4", {"AWS_BATCH_JOB_ARRAY_INDEX": "0"}, Shard(0, 4)),
    ],
)
def test_a_shard_is_stated_or_comes_from_a_scheduler(text, environment, shard):
    assert find_shard(text, environment) == shard


@pytest.mark.parametrize(
    ("text", "environment", "words"),
    [
        ("8/8", {}, "expected I/N"),
        ("1", {}, "expected I/N"),
        ("-1/8", {}, "expected I/N"),
        ("0/0", {}, "expected I/N"),
        ("/8", {}, r"no scheduler sets I \(SLURM_ARRAY_TASK_ID"),
        (None, {"JOB_COMPLETION_INDEX": "2"}, "give it as --shard /N"),
        ("/2", {"JOB_COMPLETION_INDEX": "2"}, "JOB_COMPLETION_INDEX=2 of 2"),
    ],
)
def test_a_shard_that_cannot_be_told_is_one_line(text, environment, words):
    with pytest.raises(InputError, match=words):
        find_shard(text, environment)
