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
        for _ in range(3):
            step(fmu, data)
            assert_no_answer(fmu)
        (line,) = complaints(log)
        assert line.startswith(f"{VIEW}: ")
        assert word in line
        assert parsed(step(fmu, BETTER)).feature_data.lidar_sensor[0].detection
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


NAN, INF = float("nan"), float("inf")
NO_STEPS = {
    "no time": (NAN, 0.1, "got a step from nan s to nan s, expected at most 9223372036 s"),
    "no size": (0.1, NAN, "got a step of nan s, expected more than 0 s"),
    "infinite time": (INF, 0.1, "from inf s to inf s"),
    "infinite size": (0.1, INF, "got a step of inf s"),
    "size zero": (0.1, 0.0, "got a step of 0 s"),
    "negative size": (0.1, -0.1, "got a step of -0.1 s"),
    "far beyond": (1e300, 1.0, "from 1e+300 s to 1e+300 s"),
    "beyond 64 bits": (9.3e9, 0.1, "expected at most 9223372036 s"),
    "backwards": (0.0, 0.1, "begins at 0 s, expected 0.1 s, where the previous step ended"),
    "backwards, far": (-5.0, 0.1, "begins at -5 s, expected 0.1 s"),
    "a little backwards": (0.098, 0.1, "begins at 0.098 s, expected 0.1 s"),
}


@pytest.mark.parametrize("kind", NO_STEPS)
def test_a_step_that_fmi_does_not_allow_is_an_error_in_one_line_and_the_next_one_works(
    small_fmu, kind
):
    time_s, step_s, words = NO_STEPS[kind]
    log = []
    with running(small_fmu, log) as fmu:
        assert step(fmu, GOOD, 0)
        log.clear()
        fmu.put(VIEW, BETTER)
        with pytest.raises(InputError, match=r"[dD]oStep"):
            fmu.step(time_s, step_s)
        assert_no_answer(fmu)
        (line,) = complaints(log)
        assert line.startswith(f"fmi{fmu.fmi}DoStep: got a step ")
        assert words in line
        assert step(fmu, BETTER, 1)


@pytest.mark.parametrize("sizes_s", [(1.0, 0.5, 1e-9, 3600.0), (0.1,) * 4])
@pytest.mark.parametrize("start_s", [0.0, 5.0, -1.0])
def test_steps_of_any_size_from_any_start_work(small_fmu, start_s, sizes_s):
    log = []
    with running(small_fmu, log, start_s=start_s) as fmu:
        for size_s in sizes_s:
            fmu.put(VIEW, GOOD)
            fmu.step(start_s, size_s)
            assert fmu.get("valid") == 1
            start_s += size_s
    assert complaints(log) == []


def test_masters_may_round_their_times(small_fmu):
    """Such as to milliseconds, or by adding up."""
    log = []
    summed_s = 0.0
    with running(small_fmu, log) as fmu:
        for index in range(20):
            fmu.step(round(index / 30, 3), 1 / 30)
    with running(small_fmu, log) as fmu:
        for _ in range(30):
            fmu.step(summed_s, 0.1)
            summed_s += 0.1
    assert [line for line in complaints(log) if "Step" in line] == []


def test_a_gap_before_a_step_is_answered_and_told(small_fmu):
    log = []
    with running(small_fmu, log) as fmu:
        assert step(fmu, GOOD, 3)
        (line,) = complaints(log)
        assert line == (
            f"fmi{fmu.fmi}DoStep: the step begins at 0.3 s, expected 0 s, where the previous step "
            "ended"
        )
        assert step(fmu, BETTER)  # the next one
        assert len(complaints(log)) == 1


@pytest.mark.native
@pytest.mark.parametrize("start_s", [NAN, INF, -INF, 1e300])
def test_a_start_time_that_is_none_is_refused(small_fmu, start_s):
    with pytest.raises(InputError, match="got start time"), running(small_fmu, start_s=start_s):
        pass


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
                "valid: cannot be set, its causality is output",
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
