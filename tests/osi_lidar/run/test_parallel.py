# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A replay in several processes gives the same bytes as one in this process."""

import csv
import json
import logging
from itertools import count

import pytest

from osi_bridge import open_trace, write_trace
from osi_lidar import InputError, OutputError
from osi_lidar.errors import ClusterError
from osi_lidar.output.run_folder import RunFolder
from osi_lidar.run import parallel
from osi_lidar.run.cluster import cluster
from osi_lidar.run.frame_source import FrameSource, Role, TraceMoment
from osi_lidar.run.intervals import intervals
from osi_lidar.run.parallel import replay_on
from osi_lidar.run.replay import replay
from tests.builders.extras import needs
from tests.builders.files import written
from tests.builders.messages import Thing, message
from tests.builders.refusals import one_line
from tests.builders.runs import SENSORS as TWO
from tests.builders.runs import drive
from tests.builders.worlds import config
from tests.commands import assert_one_line, run
from tests.osi_lidar.run.cluster_helpers import (
    SENSORS,
    assert_alike,
    everything,
    few_config,
    messages_of,
    run_config,
    write_run,
)

pytestmark = needs("distributed")


@pytest.fixture(scope="module")
def client():
    with cluster(workers=2) as two:
        yield two


@pytest.fixture
def standing_wall(tmp_path):
    """Return the trace of four messages without anything that moves."""
    wall = Thing(9, (5.0, 0.0, 0.0), kind="stationary_object")
    messages = [message([wall], time_s=0.1 * i, host_id=None) for i in range(4)]
    trace = tmp_path / "20260102T030405Z_sv_380_7362_4_empty.osi"
    write_trace(trace, messages, message_type="SensorView")
    return trace


@pytest.mark.parametrize(
    "n", [3, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2, 7, 30, 99))]
)
def test_any_number_of_intervals_gives_the_same_bytes(client, whole, tmp_path, n):
    trace, expected = whole
    report = replay_on(client, FrameSource(trace), run_config(), tmp_path / "out", n_intervals=n)
    assert report.status == "complete"
    assert_alike(tmp_path / "out", expected)


def test_the_file_for_viewers_is_that_of_one_process(client, tmp_path):
    pytest.importorskip("foxglove_schemas_protobuf")
    write_trace(tmp_path / "drive.osi", drive(), message_type="SensorView")
    source = FrameSource(tmp_path / "drive.osi")
    chosen = config(sensors=list(TWO), output={"mcap": "viewer"})
    replay_on(client, source, chosen, tmp_path / "split", n_intervals=2)
    replay(source, chosen, tmp_path / "whole")
    found, expected = (messages_of(tmp_path / name / "viewer.mcap") for name in ("split", "whole"))
    assert found == expected
    # message, transforms, answer, boxes and their edges; cloud and image of each
    assert len(found) == 3 * (5 + 2 * 2)


@pytest.mark.slow  # the cluster of the other tests is one of two workers
@pytest.mark.parametrize("workers", [1, 3])
def test_workers_of_their_own_give_the_same_bytes(whole, tmp_path, workers):
    trace, expected = whole
    with cluster(workers=workers) as client:
        replay_on(client, FrameSource(trace), run_config(), tmp_path / "out")
    assert_alike(tmp_path / "out", expected)


def test_a_slice_of_the_frames_is_split_alike(client, few, tmp_path):
    trace, _ = few
    frames = slice(3, 27, 2)
    replay(FrameSource(trace, frames=frames), few_config(), tmp_path / "one")
    source = FrameSource(trace, frames=frames)
    replay_on(client, source, few_config(), tmp_path / "four", n_intervals=4)
    assert_alike(tmp_path / "four", tmp_path / "one")


def test_mcap_in_and_out_is_split_alike(client, tmp_path):
    trace = write_run(tmp_path, ".mcap")
    chosen = few_config(output={"sensor_data": "mcap"})
    replay(FrameSource(trace), chosen, tmp_path / "one")
    replay_on(client, FrameSource(trace), chosen, tmp_path / "three")
    one, three = everything(tmp_path / "one"), everything(tmp_path / "three")
    (name,) = (key for key in one if key.endswith(".mcap"))
    messages = [
        [raw.data for raw in open_trace(tmp_path / which / name, message_type="SensorData")]
        for which in ("one", "three")
    ]
    assert messages[0] == messages[1]
    del one[name], three[name]  # an MCAP file says when it was made
    assert one == three


def test_a_damaged_trace_ends_at_the_same_frame(client, few, tmp_path):
    trace, _ = few
    short = written(tmp_path / trace.name, trace.read_bytes()[:-1500])
    chosen = few_config()
    one = replay(FrameSource(short), chosen, tmp_path / "one")
    five = replay_on(client, FrameSource(short), chosen, tmp_path / "five", n_intervals=5)
    assert one.status == five.status == "damaged"
    assert str(one.damage) == str(five.damage)
    assert_alike(tmp_path / "five", tmp_path / "one")


def test_a_disk_that_is_full_while_parts_are_joined_leaves_what_is_before_whole(
    client, few, tmp_path, monkeypatch
):
    trace, _ = few
    out, add, number = tmp_path / "out", RunFolder.add, count()

    def until_it_is_full(*arguments):
        if next(number) == 12:
            raise OutputError("no room")
        add(*arguments)

    monkeypatch.setattr(RunFolder, "add", until_it_is_full)
    with pytest.raises(OutputError, match="no room"):
        replay_on(client, FrameSource(trace), few_config(), out, n_intervals=3)
    content = json.loads((out / "run.json").read_text())
    with (out / "frames.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    traced = [row for row in rows if row["traced"] == "1"]
    assert content["status"] == "failed"
    assert content["frames_read"] == len({row["frame"] for row in rows}) == 12
    assert content["frames_traced"] == len({row["frame"] for row in traced})
    assert content["points"] == sum(int(row["points"]) for row in traced)
    assert sum(1 for _ in open_trace(out / content["sensor_data"])) == 12
    clouds = {path.relative_to(out).as_posix() for path in out.rglob("*.pcd")}
    assert {name for name in clouds if name.count("/") == 1} == {row["file"] for row in traced}
    assert not list(out.rglob("*.part"))


def test_a_configuration_that_cannot_be_used_leaves_nothing(client, few, tmp_path):
    trace, _ = few
    (tmp_path / "broken.obj").write_text("v 1 2 3\nf 1 2 9\n")
    path = tmp_path / "config.yaml"
    path.write_text("sensors: [{preset: VLP-16}]\nscene: {environment: [{mesh: broken.obj}]}\n")
    out, address = tmp_path / "out", client.scheduler.address
    result = run("replay", trace, "-c", path, "-o", out, "--scheduler", address)
    assert_one_line(result, 2, "broken.obj")
    assert not out.exists()


def test_an_error_leaves_the_frames_before_it(client, standing_wall, tmp_path):
    source = FrameSource(standing_wall, host_id=5)
    problem = "no message contains the host vehicle 5"
    with pytest.raises(InputError, match=problem):
        replay(source, config(), tmp_path / "one")
    with pytest.raises(InputError, match=problem):
        replay_on(client, source, config(), tmp_path / "three")
    assert_alike(tmp_path / "three", tmp_path / "one")
    assert json.loads((tmp_path / "three" / "run.json").read_text())["status"] == "failed"


def test_a_folder_that_holds_something_is_refused(client, few, tmp_path):
    (tmp_path / "theirs.txt").write_text("x")
    with pytest.raises(OutputError, match="not empty"):
        replay_on(client, FrameSource(few[0]), few_config(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["theirs.txt"]


def test_no_frame_in_the_range_is_one_line(client, few, tmp_path):
    source = FrameSource(few[0], frames=slice(90, 95))
    with pytest.raises(InputError, match="no frame in the range 90:95"):
        replay_on(client, source, few_config(), tmp_path / "out")


def test_an_end_that_is_asked_for_leaves_a_whole_beginning(client, few, tmp_path):
    trace, expected = few
    asked = []

    def stop_at_once(n_answered):
        asked.append(n_answered)
        return False

    out = tmp_path / "out"
    report = replay_on(
        client, FrameSource(trace), few_config(), out, n_intervals=3, on_progress=stop_at_once
    )
    got = json.loads((out / "run.json").read_text())
    assert got["status"] == report.status
    assert not list(out.rglob("*.part"))
    assert set(everything(out)) - {"run.json", got["sensor_data"], ".tables"} <= set(
        everything(expected)
    )
    if report.status == "interrupted":
        replay_on(client, FrameSource(trace), few_config(), out, n_intervals=2, go_on=True)
    assert_alike(out, expected)


def test_a_resumed_run_may_be_interrupted_before_its_first_new_frame(client, few, tmp_path):
    trace, expected = few
    out = tmp_path / "out"
    replay(FrameSource(trace), few_config(), out, on_step=lambda done: done.frames_read < 20)
    source, n_rows = FrameSource(trace), len((out / "frames.csv").read_text().splitlines())
    report = replay_on(
        client, source, few_config(), out, n_intervals=2, go_on=True, on_progress=lambda _: False
    )
    assert report.status == "interrupted"
    assert len((out / "frames.csv").read_text().splitlines()) in range(n_rows - 7, n_rows + 1)
    replay_on(client, source, few_config(), out, n_intervals=2, go_on=True)
    assert_alike(out, expected)


class OneDies:
    """A client whose workers answer in this process, but for the worker of one part."""

    cluster = None

    def __init__(self, number):
        self.number = number

    def nthreads(self):
        return [0]

    def subscribe_topic(self, *_):
        pass

    unsubscribe_topic = cancel = subscribe_topic

    def map(self, function, tasks, **_):
        return [OneDies.Answer(function, each, dies=each.number == self.number) for each in tasks]

    class Answer:
        def __init__(self, function, task, *, dies):
            self.answer = None if dies else function(task)
            self.dies = dies

        def done(self):
            return True

        def result(self):
            from distributed import KilledWorker

            if self.dies:
                raise KilledWorker("part", None, 3)
            return self.answer


@pytest.mark.parametrize("number", [1, 2])
def test_the_parts_before_a_worker_that_died_stay_for_resume(few, tmp_path, monkeypatch, number):
    trace, expected = few
    monkeypatch.setattr(parallel, "_tell", lambda *_: None)
    source, out = FrameSource(trace), tmp_path / "out"
    with one_line(ClusterError, "a worker process died", "use `--resume`"):
        replay_on(OneDies(number), source, few_config(), out, n_intervals=3)
    content = json.loads((out / "run.json").read_text())
    assert (content["status"], content["frames_read"]) == ("failed", 10 * number)
    kept = [out / f"noisy/{frame:06d}.pcd" for frame in range(10 * number - 1)]
    made_ns = [cloud.stat().st_mtime_ns for cloud in kept]
    assert not list(out.rglob("*interval*"))
    replay(source, few_config(), out, go_on=True)
    assert [cloud.stat().st_mtime_ns for cloud in kept] == made_ns  # not computed again
    assert_alike(out, expected)


def test_frames_of_which_nobody_knows_what_made_them_are_told_as_by_one_process(
    standing_wall, tmp_path, monkeypatch
):
    monkeypatch.setattr(parallel, "_tell", lambda *_: None)
    source, made = FrameSource(standing_wall), {}
    for name in ("one", "two"):
        out = tmp_path / name
        replay(source, config(), out, on_step=lambda done: done.frames_read < 3)
        report = json.loads((out / "run.json").read_text())
        report["made_with"]["frames_unknown"] = 1
        (out / "run.json").write_text(json.dumps(report))
        if name == "one":
            replay(source, config(), out, go_on=True)
        else:
            replay_on(OneDies(None), source, config(), out, n_intervals=2, go_on=True)
        made[name] = json.loads((out / "run.json").read_text())["made_with"]
    assert made["one"] == made["two"]
    assert made["one"]["frames_unknown"] == 2


def test_warnings_of_the_workers_are_told_once(client, standing_wall, tmp_path, caplog):
    with caplog.at_level(logging.WARNING, "osi_lidar"):
        replay_on(client, FrameSource(standing_wall), config(), tmp_path / "out")
    assert [each.message for each in caplog.records] == [
        f"{standing_wall}: no moving object to carry the sensors: mountings are world poses"
    ]


def test_intervals_know_the_last_scan_of_each_sensor():
    moments = [TraceMoment(number, 100_000_000 * number, Role.ANSWERED) for number in range(10)]
    parts = intervals(moments, run_config(), n=2)
    assert [(part.begin, part.end) for part in parts] == [(0, 5), (5, None)]
    assert parts[0].last_scans == {}
    scans = {"turning": 4, "slow": 1, "fast": 7, "rosette": 3}
    assert scans.items() <= parts[1].last_scans.items()
    assert len(parts[1].last_scans) == 7


def test_another_seed_gives_other_noise(client, whole, tmp_path):
    trace, expected = whole
    chosen = run_config(seed=8, sensors=SENSORS[:4])
    replay_on(client, FrameSource(trace), chosen, tmp_path / "out")
    got, before = everything(tmp_path / "out"), everything(expected)
    assert got["front/000012.pcd"] == before["front/000012.pcd"]
    assert got["noisy/000012.pcd"] != before["noisy/000012.pcd"]


def test_no_scheduler_at_the_address_is_one_line():
    chosen = cluster(scheduler="tcp://127.0.0.1:1", timeout_s=1.0)
    with pytest.raises(ClusterError, match="no dask scheduler at tcp:"), chosen:
        pass


def test_the_command_splits_over_a_cluster_that_is_there(client, few, tmp_path):
    trace, _ = few
    path = written(tmp_path / "config.yaml", "sensors: [{preset: VLP-16, columns: 360}]\n")
    assert run("replay", trace, "-c", path, "-o", tmp_path / "one").exit_code == 0
    address = client.scheduler.address
    split = ("--scheduler", address, "--intervals", 4)
    result = run("replay", trace, "-c", path, "-o", tmp_path / "four", *split)
    assert result.exit_code == 0, result.output
    assert_alike(tmp_path / "four", tmp_path / "one")
    again = run("replay", trace, "-c", path, "-o", tmp_path / "four", "--resume")
    assert_one_line(again, 2, "the run is complete")
