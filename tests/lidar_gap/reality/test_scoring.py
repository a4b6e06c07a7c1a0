# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts of rows with known differences."""

import math

import numpy as np
import pytest

from lidar_gap.calibrate.findings import Absent, Findings, Series, figure
from lidar_gap.reality.recordings import PublicRecording
from lidar_gap.reality.report import Scored, counted, score_dict, score_table, sum_table
from lidar_gap.reality.scoring import WIDTH, RealSpread, score, spreads

NOISE = "temporal_sigma_by_reflectivity_m"


def recording(name="mine", *, scene="office", tuned=(), sensor="OS2-128", unit="u"):
    return PublicRecording(
        name=name, title=name, sensor=sensor, unit=unit, place="p", licence="MIT", scene=scene,
        tuned=tuned, repository="a/b", commit="0" * 40, files={"a": "0" * 64}, clouds=("a",),
    )  # fmt: skip


def noise(*values, half=0.0, labels=("0-2", "2-5", "5-10")):
    values = np.array(values)
    return Series(
        name=NOISE, labels=labels[: len(values)], values=values, low=values * (1 - half),
        high=values * (1 + half), n=np.full(len(values), 100), fitted_on="a test",
    )  # fmt: skip


def iou(value):
    return figure("repeat_iou", (value, value, value), 100, "a test")


def found(*findings):
    return Findings.of(list(findings))


def row(real, sim, between, **keys):
    between = {name: RealSpread(rms, (("a", "b"),)) for name, rms in between.items()}
    (only,) = score(recording(**keys), found(real), found(sim), between)
    return only


@pytest.mark.parametrize(
    ("factor", "verdict"), [(1.0, "within"), (1.29, "within"), (1.6, "twice"), (0.5, "beyond")]
)
def test_a_ratio_is_judged_by_its_logarithm_against_what_units_differ_by(factor, verdict):
    real = noise(0.010, 0.008, 0.006)
    one = row(real, noise(*(factor * real.values)), {NOISE: 0.26})
    assert one.difference == pytest.approx(abs(math.log(factor)), abs=1e-12)
    assert (one.verdict, one.yardstick) == (verdict, pytest.approx(0.26))


@pytest.mark.parametrize(("value", "verdict"), [(0.95, "within"), (0.88, "twice"), (0.7, "beyond")])
def test_a_share_is_judged_by_its_difference(value, verdict):
    one = row(iou(0.92), iou(value), {"repeat_iou": 0.03})
    assert one.difference == pytest.approx(abs(0.92 - value))
    assert one.verdict == verdict


def test_intervals_of_both_sides_widen_the_yardstick():
    one = row(noise(0.01, half=0.3), noise(0.0125, half=0.4), {})
    assert one.yardstick == pytest.approx(math.hypot(0.3, 0.4) / WIDTH)
    assert one.verdict == "within"


def test_classes_that_one_side_lacks_are_left_out():
    real, sim = noise(0.01, np.nan, 0.006), noise(0.01, 0.5, 0.012)
    one = row(real, sim, {NOISE: 0.1})
    assert one.difference == pytest.approx(math.log(2.0) / math.sqrt(2.0))
    other = row(noise(0.01, labels=("80-256",)), noise(0.01), {NOISE: 0.1})
    assert (other.verdict, other.reason) == ("not told", "the clouds tell 0 of 1 classes")


def test_most_classes_of_a_recording_have_to_be_told():
    real = noise(0.01, 0.008, 0.006)
    assert row(real, noise(np.nan, np.nan, 0.006), {NOISE: 0.1}).verdict == "not told"
    assert row(real, noise(np.nan, 0.008, 0.006), {NOISE: 0.1}).verdict == "within"


def test_a_simulation_without_noise_is_beyond():
    one = row(noise(0.01, 0.008), noise(0.0, 0.0), {NOISE: 0.5})
    assert (one.verdict, one.difference) == ("beyond", math.inf)
    told = score_dict([Scored(recording(), 3, [one])], {}, "a")["recordings"]["mine"]["rows"]
    assert told[NOISE]["difference"] is None


def angles(*values):
    values = np.array(values)
    labels = tuple(map(str, range(len(values))))
    return Series(
        name="elevation_deg", labels=labels, values=values, low=values, high=values,
        n=np.full(len(values), 9), fitted_on="a test",
    )  # fmt: skip


def test_angles_of_one_table_are_not_asked():
    same = row(angles(1.0, -1.0), angles(1.0, -1.0), {})
    assert (same.verdict, same.reason) == (
        "not asked",
        "both sides have the angles of the same table",
    )
    assert row(angles(1.0, -1.0), angles(1.04, -1.0), {}).verdict == "within"
    assert row(angles(1.0, -1.0), angles(1.3, -1.0), {}).verdict == "beyond"


def test_rows_of_places_are_not_asked_of_walls_and_silence_is_told():
    assert row(iou(0.9), iou(0.5), {}, scene="walls").verdict == "not asked"
    assert row(iou(0.9), iou(0.9), {}, tuned=("repeats",)).tuned
    silent = row(noise(0.01), Absent(name=NOISE, reason="no intensity"), {})
    assert (silent.verdict, silent.reason) == ("not told", "no intensity")
    unknown = row(Absent(name=NOISE, reason="one scan"), noise(0.01), {})
    assert unknown.verdict == "not asked"


def test_what_units_differ_by_comes_from_all_pairs_of_one_sensor():
    measured = [
        (recording("a", unit="1"), found(noise(0.010, 0.008), iou(0.9))),
        (recording("b", unit="2"), found(noise(0.020, 0.008))),
        (recording("c", sensor="VLP-16"), found(noise(0.5, 0.5))),
        (recording("d", sensor="VLP-16"), found(noise(0.5, 0.5))),
    ]
    squares = [math.log(2.0) ** 2 / 2.0, 0.0]  # a pair counts once, whatever its classes
    assert spreads(measured) == {
        NOISE: (pytest.approx(math.sqrt(np.mean(squares))), (("a", "b"), ("c", "d")))
    }


def test_a_sensor_without_a_second_unit_states_by_what_they_differ():
    own = row(noise(0.01), noise(0.012), {}, sensor="VLP-16")
    assert own.yardstick == pytest.approx(0.09 * math.sqrt(2.0))


def test_reports_hold_every_row_once_and_no_nan():
    rows = score(recording(), found(noise(0.01, np.nan), iou(0.9)), found(iou(0.5)), {})
    scored = [Scored(recording(), 3, rows)]
    told = score_dict(scored, {}, "a subject")
    assert told["sum"] == counted(rows) == {
        "within": 0, "twice": 0, "beyond": 1, "not told": 1, "not asked": 0
    }  # fmt: skip
    assert told["recordings"]["mine"]["rows"][NOISE]["real"]["values"] == [0.01, None]
    assert len(sum_table(scored).rows) == 1
    verdicts = [each[-1] for each in score_table(scored[0], asked_only=False).rows]
    assert verdicts == ["not told: the clouds do not tell it", "beyond, predicted"]
