# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""An FMU in a master in C is what it is in Python, and needs nothing of the environment."""

import re

import pytest
from fmpy.validation import validate_fmu

from osi_bridge import open_trace
from osi_lidar.config import load_config
from osi_lidar.run.example_scene import street
from tests.builders.messages import Thing, message, moving
from tests.fmu.driving import direct, running, step, without_times
from tests.fmu.native.c_master import ALL, NATIVE, Master, kinds, needs_cc
from tests.fmu.test_bad_input import BYTES

SHOWN = (0, 20, 21, 22)  # the first message has the signs, and later on all move
pytestmark = needs_cc


@pytest.mark.parametrize("kind", ALL)
def test_demo_is_the_same_from_c_as_through_fmpy_and_from_the_model(
    kind, fmu_of, program, tmp_path
):
    scenario = street()
    messages = [raw.data for n, raw in enumerate(open_trace(scenario.trace)) if n in SHOWN]
    built = fmu_of(kind, scenario.config)
    assert not validate_fmu(str(built))
    answers, valid, _ = Master(program, built, tmp_path).drive(messages)
    assert valid == "1" * len(SHOWN)
    with running(built) as fmu:  # in a process that has a Python, too
        assert answers == [step(fmu, data, index) for index, data in enumerate(messages)]
    expected = direct(load_config(scenario.config), messages)
    assert [without_times(each) for each in answers] == [without_times(each) for each in expected]


def bad_inputs(master, modes):
    """Return answers, steps and log of runs with a bad input between two good messages, by mode."""
    outs = {mode: master.keys["out"].with_name(f"{mode}.osi") for mode in modes}
    good = moving(2)
    done = master.run(*(master.words(good, mode=mode, out=out) for mode, out in outs.items()))
    steps = dict(zip(modes, re.findall(".....", done.stdout), strict=True))
    return {mode: master.answers(out) for mode, out in outs.items()}, steps, done.stderr


@kinds(ALL)
def test_bad_input_from_c_is_one_line_and_the_next_message_works(small_master):
    """FMI 3 refuses a binary without a place or with an impossible size, and the last one holds."""
    misplaced = ["no-address", "negative"]
    modes = ["null", "random", "cut", *misplaced]
    answers, steps, log = bad_inputs(small_master, modes)
    refused = misplaced if small_master.fmi == 3 else []
    for mode in modes:
        assert (mode, steps[mode]) == (mode, "1EEE1" if mode in refused else "10001")
        empty = [] if mode in refused else [False] * 3
        assert [bool(each) for each in answers[mode]] == [True, *empty, True]
    assert log.count("no message") == 2 - len(refused) // 2
    assert log.count("not a SensorView") == len({"random", "cut"})
    assert log.count("-5 bytes") == (not refused)
    lines = [line for line in log.splitlines() if "fmi3SetBinary" in line]
    assert sum("is null" in line for line in lines) == 3 * len(refused) / 2
    assert sum("at most" in line for line in lines) == 3 * len(refused) / 2


@kinds(ALL)
def test_messages_from_c_that_cannot_be_used_have_no_answer(small_master):
    """Worlds without a usable host have one."""
    good = moving(len(BYTES))
    bad = [data for data, _ in BYTES.values()]
    rounds = [each for pair in zip(bad, bad, good, strict=True) for each in pair]
    worlds = ([], [Thing(3, (float("nan"), 0.0, 0.0))])
    rounds += [message(things, host_id=None) for things in worlds]
    answers, valid, log = small_master.drive([*rounds, *moving(2)])
    assert valid == "001" * len(BYTES) + "1111"
    assert [bool(answer) for answer in answers] == [step == "1" for step in valid]
    lines = [line for line in log if "OSMPSensorViewIn: " in line]
    for (_, word), line in zip(BYTES.values(), lines, strict=True):  # once each
        assert word in line


@kinds(ALL)
def test_parameter_from_c_that_cannot_be_followed_refuses_initialization(small_master):
    """Percent signs are those of a master that takes a text as a format."""
    parameters = [("config", "/nowhere/100%s%n.yaml"), ("pcd_folder", "/proc/nowhere")]
    done = small_master.run(*(small_master.words(moving(2), each) for each in parameters))
    assert done.stdout == "--"
    for _, value in parameters:
        assert value in done.stderr


@kinds(NATIVE)
def test_refusal_is_one_line_on_stderr_when_the_master_wants_no_log(small_master):
    parameter = ("config", "/nowhere/100%s.yaml")
    _, valid, (line,) = small_master.drive(moving(2), parameter=parameter, logging=0)
    assert valid == "-"
    assert line.startswith("OsiLidar lidar: ")
    assert "/nowhere/100%s.yaml" in line


@kinds(NATIVE)
def test_token_of_another_fmu_gives_no_instance_and_one_line(small_master):
    tokens = {"": 1, "ü%s\udcff": 1, "{1234}": 0}
    runs = (small_master.words(moving(1), token=token, logging=on) for token, on in tokens.items())
    done = small_master.run(*runs)
    assert done.stdout == "x" * len(tokens)
    for line, is_logging in zip(done.stderr.splitlines(), tokens.values(), strict=True):
        assert line.startswith("lidar 3 FMI: " if is_logging else "OsiLidar lidar: ")
        assert ("GUID" if small_master.fmi == 2 else "instantiation token") in line
        assert str(small_master.keys["token"]) in line


@kinds(NATIVE)
@pytest.mark.parametrize(
    ("place", "logging"), [("/nowhere", 0), ("", 1), ("http://x", 1), ("file:///no%20where%n", 1)]
)
def test_missing_resources_give_no_instance_and_one_line(small_master, place, logging):
    _, valid, (line,) = small_master.drive(moving(2), resources=place, logging=logging)
    assert valid == "x"
    assert line.startswith("lidar 3 FMI: " if logging else "OsiLidar lidar: ")
    assert line.endswith("has no osi_lidar_python.txt, expected the resources of the FMU")


@kinds(NATIVE)
def test_instance_without_a_name_is_refused(small_master):
    _, valid, (line,) = small_master.drive(moving(2), name="")
    assert valid == "x"
    assert line.endswith("the instance has no name")


@kinds(NATIVE)
def test_empty_package_in_the_resources_gives_one_line(small_master):
    (package,) = small_master.resources.glob("osi_lidar_fmu_*")
    package.rename(package.with_name("away"))
    _, valid, (line,) = small_master.drive(moving(2))
    assert valid == "x"
    assert package.name in line


@kinds(NATIVE[:1])
def test_numbers_and_signals_of_the_floating_point_unit_are_not_the_masters(small_master, config):
    messages = moving(3)
    plain = direct(load_config(config), messages)
    odd, valid, _ = small_master.drive(messages, numbers=1)
    assert valid == "111"
    assert [without_times(each) for each in odd] == [without_times(each) for each in plain]


@kinds(ALL[::2])
def test_another_python_in_path_does_not_take_over(small_master):
    messages = moving(2)
    plain = small_master.drive(messages)
    assert small_master.drive(messages, environment={"PATH": "/usr/bin:/bin"}) == plain
