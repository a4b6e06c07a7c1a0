# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Whatever a master puts at the inputs: no answer, one line in the log, and the next one works."""

import pytest
from osi3.osi_sensorview_pb2 import SensorView

from fmu_src.log import MOST_CHARACTERS, printf_safe
from osi_bridge import Pointer, address_of
from osi_lidar.errors import InputError
from tests.builders.messages import Thing, host, message, moving, truth_of
from tests.fmu.driving import DATA, STEP_S, TRUTH, VIEW, complaints, parsed, running, step

GOOD, BETTER = moving(2)
RANDOM = bytes(range(255, 0, -1)) * 3


def without_ground_truth():
    view = SensorView.FromString(GOOD)
    view.ClearField("global_ground_truth")
    return view.SerializeToString()


def without_time():
    view = SensorView.FromString(GOOD)
    view.ClearField("timestamp")
    view.global_ground_truth.ClearField("timestamp")
    return view.SerializeToString()


BYTES = {
    "random bytes": (RANDOM, "not a SensorView"),
    "cut message": (GOOD[:-3], "not a SensorView"),
    "another type": (truth_of(GOOD), "GroundTruth"),
    "no ground truth": (without_ground_truth(), "global_ground_truth"),
    "no time": (without_time(), "timestamp"),
}


def assert_no_answer(fmu):
    assert fmu.message(DATA) == b""
    if fmu.fmi == 2:
        assert tuple(fmu.pointer(DATA)) == (0, 0, 0)
    assert (fmu.get("valid"), fmu.get("count")) == (0, 0)


@pytest.mark.parametrize("kind", BYTES)
@pytest.mark.parametrize("at_start", [True, False])
def test_message_that_cannot_be_used_is_one_line_and_the_next_one_works(small_fmu, kind, at_start):
    data, word = BYTES[kind]
    log = []
    with running(small_fmu, log) as fmu:
        if not at_start:
            assert step(fmu, GOOD)
        log.clear()
        for index in range(3):
            step(fmu, data, index)
            assert_no_answer(fmu)
        (line,) = complaints(log)
        assert line.startswith(f"{VIEW}: ")
        assert word in line
        assert parsed(step(fmu, BETTER, 4)).feature_data.lidar_sensor[0].detection
        assert fmu.get("valid") == 1


@pytest.mark.fmi2
@pytest.mark.parametrize(
    "pointer",
    [
        Pointer(),
        Pointer(0, 0, 1000),
        Pointer(*Pointer.to(address_of(GOOD), len(GOOD))[:2], 0),
        Pointer(*Pointer.to(address_of(GOOD), len(GOOD))[:2], -5),
        Pointer(0, 0, -(2**31)),
    ],
)
def test_pointer_without_a_message_is_never_followed(small_fmu, pointer):
    log = []
    with running(small_fmu, log) as fmu:
        step(fmu, GOOD)
        log.clear()
        fmu.put_pointer(VIEW, pointer)
        fmu.step(STEP_S, STEP_S)
        assert_no_answer(fmu)
        assert len(complaints(log)) == 1
        assert step(fmu, BETTER, 2)


def test_step_before_any_message_is_no_failure(small_fmu):
    log = []
    with running(small_fmu, log) as fmu:
        for index in range(3):
            fmu.step(index * STEP_S, STEP_S)
            assert_no_answer(fmu)
    assert complaints(log) == [f"no message at {VIEW} or {TRUTH}"]


@pytest.mark.parametrize("things", [[], [Thing(3, (float("nan"), 0.0, 0.0))], [host(x_m=1e300)]])
def test_worlds_without_a_usable_host_are_answered(small_fmu, things):
    with running(small_fmu) as fmu:
        data = parsed(step(fmu, message(things, host_id=None)))
        assert data.feature_data.lidar_sensor[0].header.number_of_valid_detections >= 0
        assert step(fmu, GOOD, 1)


@pytest.mark.parametrize(("time_s", "step_s"), [(float("nan"), 0.1), (1e300, 1.0)])
def test_impossible_times_are_refused(small_fmu, time_s, step_s):
    with running(small_fmu) as fmu:
        fmu.put(VIEW, GOOD)
        fmu.step(time_s, step_s)
        assert_no_answer(fmu)
        assert step(fmu, GOOD)


@pytest.mark.parametrize("times", [(0.0, 0.0), (5.0, 1.0), (-1.0, 0.5), (0.0, 1e-9)])
def test_steps_of_any_size_and_repeated_times_work(small_fmu, times):
    with running(small_fmu) as fmu:
        for _ in range(2):
            fmu.put(VIEW, GOOD)
            fmu.step(*times)
            assert fmu.get("valid") == 1


def test_percent_signs_and_line_breaks_reach_the_log_as_text():
    assert printf_safe("100% of\n%s") == "100%% of %%s"
    assert printf_safe("\udc80 \0x") == "\\udc80 x"
    assert len(printf_safe("a" * 10_000)) == MOST_CHARACTERS


@pytest.mark.native
def test_wrong_references_are_errors_that_say_what_was_expected(small_fmu):
    log = []
    with running(small_fmu, log) as fmu:
        integer = "Integer" if fmu.fmi == 2 else "Int32"
        real = "Real" if fmu.fmi == 2 else "Float64"
        seed = fmu.variables.reference("seed")
        for function, arguments, words in (
            (f"get{integer}", ([9999],), "got value reference 9999"),
            (f"set{integer}", ([9999], [1]), "got value reference 9999"),
            (f"set{real}", ([seed], [1.0]), f"seed: got {real}, expected {integer}"),
            (
                "setBoolean",
                ([fmu.variables.reference("valid")], [True]),
                "valid: is of causality output",
            ),
        ):
            log.clear()
            with pytest.raises(InputError, match=words):
                fmu._call(function, *arguments)
            assert len(log) == 1
        log.clear()
        fmu.set("seed", 5)  # after initialization: a warning
        assert fmu.get("seed") == 0
        assert len(log) == 1
        assert step(fmu, GOOD)


@pytest.mark.pythonfmu
def test_wrong_references_are_lines_in_the_log_of_pythonfmu(small_fmu):
    log = []
    with running(small_fmu, log) as fmu:
        slave = fmu._slave
        assert slave.getInteger([9999]) == [0]
        slave.setInteger([9999], [1])
        slave.setReal([0], [1.0])  # an integer
        fmu.set("valid", True)  # an output
        fmu.set("seed", 5)  # after initialization
        assert fmu.get("seed") == 0
        assert len(complaints(log)) == 5
        assert step(fmu, GOOD)


@pytest.mark.parametrize("n_steps", [1, 2])  # after the last step the error comes at the end
def test_full_disk_costs_the_files_and_not_the_answers(small_fmu, tmp_path, n_steps):
    log = []
    folders = {"pcd_folder": str(tmp_path), "trace_folder": str(tmp_path / "traces")}
    with running(small_fmu, log, **folders) as fmu:
        (tmp_path / "lidar" / "s").rmdir()  # as good as a full one
        (tmp_path / "lidar" / "s").write_bytes(b"")
        answers = [step(fmu, data, index) for index, data in enumerate((GOOD, BETTER)[:n_steps])]
        assert all(answers)
        fmu.terminate()  # files may lag behind the steps, but not behind this
        assert sum("s/000000.pcd: cannot be written" in line for line in log) == 1
        assert not any("internal error" in line for line in log)
        assert not list(tmp_path.rglob("*.part"))
