# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Every two conditions meet once: small scenes in which all pairs of switches occur.

Faults that need one condition are found by the tests of that condition; these look for faults that
need two. A new switch is one row of ``SWITCHES``, a new way in is one function of ``WAYS``.
"""

import math
from functools import cache, partial
from itertools import combinations, product

import numpy as np
import pytest

from fmu_src.exporter import build_fmu
from osi_bridge import FrameDecoder, open_trace, write_trace
from osi_lidar import LidarModel, load_config
from osi_lidar.live.counters import Counters
from osi_lidar.live.stream_model import StreamModel
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.parallel import replay_on
from osi_lidar.run.replay import replay
from tests.builders.pairs import pairwise
from tests.builders.switches import SWITCHES, scene
from tests.builders.threads import kernel_threads
from tests.fmu.driving import direct, running, step, without_times
from tests.osi_lidar.live.helpers import arrival

FIELDS_OF = {"speed": ("radial_velocity",), "light": ("near_ir",), "drops": ("n_echoes", "echo")}


def through_replay(of, folder, go_on=None, run=replay):
    trace, config, out = folder / "trace.osi", load_config(of.config), folder / "out"
    write_trace(trace, of.messages, message_type="SensorView")
    if go_on is not None:
        replay(FrameSource(trace), config, out, on_step=lambda done: done.frames_read < go_on)
    run(FrameSource(trace), config, out, go_on=go_on is not None)
    (answers,) = out.glob("*_sd_*.osi")
    return [each.data for each in open_trace(answers)]


def through_resumed(of, folder):
    return through_replay(of, folder, go_on=2)


def through_workers(of, folder, client):
    return through_replay(of, folder, run=partial(replay_on, client, n_intervals=2))


def through_stream(of, folder):
    model = StreamModel(
        load_config(of.config), message_type=None, host_id=None, folder=folder, counters=Counters()
    )
    return [model.answer(arrival(data)).sensor_data for data in of.messages]


def through_restarted(of, _):
    model = LidarModel(load_config(of.config))
    for _ in range(2):
        decoder = FrameDecoder("SensorView")
        model.restart()
        answers = [
            model.step(decoder.decode(data, k)).sensor_data for k, data in enumerate(of.messages)
        ]
    return answers


def through_fmu(version):
    def answers(of, folder):
        (built,) = build_fmu(config=of.config, out=folder / "fmu", fmi=version)
        with running(built.path) as fmu:
            return [step(fmu, data, k) for k, data in enumerate(of.messages)]

    return answers


WAYS = {
    "replay": through_replay,
    "resume": through_resumed,
    "workers": through_workers,
    "stream": through_stream,
    "restart": through_restarted,
    "fmu2": through_fmu("2"),
    "fmu3": through_fmu("3"),
}
LEVELS = {name: list(levels) for name, levels in SWITCHES.items()}
WITH_WAYS = LEVELS | {"way": list(WAYS)}
MORE_ROWS = 8
ROWS, ROWS_WITH_WAYS = pairwise(LEVELS), pairwise(WITH_WAYS)


def for_each(rows):
    """Return the decorator of a test that takes each row; workers take long to start."""
    marked = [[pytest.mark.long] * (row.get("way") == "workers") for row in rows]
    return pytest.mark.parametrize(
        "row",
        [
            pytest.param(row, id=" ".join(row.values()), marks=marks)
            for row, marks in zip(rows, marked, strict=True)
        ],
    )


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    """These scenes have a block or a few, for which more threads would only wait."""
    with kernel_threads(1):
        yield


def steps_of(of):
    """Return what the model answers to each message."""
    model, decoder = LidarModel(load_config(of.config)), FrameDecoder("SensorView")
    return [model.step(decoder.decode(data, k)) for k, data in enumerate(of.messages)]


def clouds(steps):
    """Return the clouds of the first sensor."""
    return [step.scans[0].cloud for step in steps]


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """Give a function that returns the steps of the scene of a row, made once."""

    @cache
    def steps(*levels):
        row = dict(zip(SWITCHES, levels, strict=True))
        return steps_of(scene(tmp_path_factory.mktemp("seen") / "scene", row))

    return lambda row: steps(*(row[name] for name in SWITCHES))


def points_of(steps, *without):
    """Return the points of each scan of the first sensor as tuples, some fields left out."""
    found = []
    for cloud in clouds(steps):
        names = [name for name in cloud.points.dtype.names if name not in without]
        columns = [cloud.beam, *(cloud.points[name] for name in names)]
        found.append(list(zip(*(each.tolist() for each in columns), strict=True)))
    return found


@pytest.mark.parametrize(
    ("levels", "rows"), [(LEVELS, ROWS), (WITH_WAYS, ROWS_WITH_WAYS)], ids=["scenes", "ways"]
)
def test_every_two_levels_meet(levels, rows):
    """The two switches with most levels need a row for each pair; the others add a few rows."""
    met = {frozenset(pair) for row in rows for pair in combinations(row.items(), 2)}
    for one, other in combinations(levels, 2):
        for pair in product(levels[one], levels[other]):
            assert frozenset(zip((one, other), pair, strict=True)) in met
    assert len(rows) <= math.prod(sorted(map(len, levels.values()))[-2:]) + MORE_ROWS


@pytest.fixture(scope="module")
def two_workers():
    """Give a client of two processes, which start once."""
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    from osi_lidar.run.cluster import cluster

    with cluster(workers=2) as client:
        yield client


@for_each(ROWS_WITH_WAYS)
def test_every_way_in_gives_the_messages_of_the_model(row, tmp_path, request):
    of = scene(tmp_path / "scene", row)
    expected = direct(load_config(of.config), of.messages)
    also = [request.getfixturevalue("two_workers")] if row["way"] == "workers" else []
    answers = WAYS[row["way"]](of, tmp_path, *also)
    assert list(map(without_times, answers)) == list(map(without_times, expected))


@for_each(ROWS)
@pytest.mark.parametrize("switch", ["sensors", "speed", "light", "drops"])
def test_a_switch_leaves_to_others_what_is_theirs(row, switch, seen):
    """Another sensor changes no byte, velocity and light add a field, and dropouts only remove."""
    off, on = (
        points_of(seen({**row, switch: level}), *FIELDS_OF.get(switch, ()))
        for level in SWITCHES[switch]
    )
    if switch != "drops":
        assert on == off
        return
    assert sum(map(len, on)) < sum(map(len, off)) or row["beams"] != "many"
    for some, whole in zip(on, off, strict=True):
        assert set(some) <= set(whole)


def assert_nearly_alike(one, other, within_m=0.01):
    """Assert that 24 of 25 beams have the same ranges, others are on edges; all of few beams."""
    for some, others in zip(clouds(one), clouds(other), strict=True):
        both, mine, theirs = np.intersect1d(some.beam, others.beam, return_indices=True)
        apart_m = np.abs(some.points["range"][mine] - others.points["range"][theirs])
        n_most = max(len(np.unique(some.beam)), len(np.unique(others.beam))) // 25
        assert len(np.setxor1d(some.beam, others.beam)) + (apart_m > within_m).sum() <= n_most, both


@for_each(ROWS)
def test_a_world_that_is_turned_looks_the_same(row, seen, tmp_path):
    """By 2.9 rad: headings pass pi, where a quaternion changes its sign."""
    turned = scene(tmp_path / "turned", row, turned_rad=2.9)
    assert_nearly_alike(seen(row), steps_of(turned))


@for_each(ROWS)
def test_narrow_cones_see_what_lines_see(row, seen, tmp_path):
    row = {**row, "errors": "exact", "drops": "none", "paint": "matt"}
    cones = scene(tmp_path / "cones", {**row, "rays": "cones"}, narrow=True)
    assert_nearly_alike(seen({**row, "rays": "lines"}), steps_of(cones))


@for_each(ROWS)
def test_a_second_look_loses_the_points_that_the_first_loses(row, seen):
    lost = []
    for look in SWITCHES["look"]:
        beams = []
        for drops in SWITCHES["drops"]:
            chosen = {**row, "look": look, "drops": drops, "returns": "strongest", "beams": "many"}
            beams.append([set(each.beam) for each in clouds(seen(chosen))])
        lost.append([before - after for before, after in zip(*beams, strict=True)])
    for once, again in zip(*lost, strict=True):
        assert once
        assert len(once ^ again) <= 2 + len(once) // 20


@pytest.mark.parametrize(
    "switch",
    [pytest.param(each, marks=pytest.mark.long) if each == "air" else each for each in SWITCHES],
)
def test_every_switch_acts_somewhere(switch, seen):
    def differs(row):
        """Return whether every level gives other messages or points than the first."""
        levels = [seen({**row, switch: level}) for level in SWITCHES[switch]]
        off, *others = (
            ([step.sensor_data for step in steps], points_of(steps)) for steps in levels
        )
        return off not in others

    assert any(map(differs, ROWS))
