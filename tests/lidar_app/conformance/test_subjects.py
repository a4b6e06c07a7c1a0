# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Subjects of every kind: equal verdicts, and failures that are verdicts."""

import math
import shlex
import socket
import sys
import threading
from contextlib import closing, contextmanager

import pytest

from lidar_app.conformance.asking import Question
from lidar_app.conformance.bench import (
    Verdict,
    chosen,
    judge_scene,
    moments_of,
    run_bench,
    write_scenes,
)
from lidar_app.conformance.subjects import open_subject
from lidar_app.conformance.subjects.own_model import ModelSubject
from osi_bridge import framed, open_trace
from osi_lidar.config import load_config
from osi_lidar.errors import InputError
from tests.builders.extras import needs
from tests.lidar_app.conformance.faults import Fault
from tests.lidar_app.conformance.recorded import Recorded

OURS = (
    "import sys; from pathlib import Path\n"
    "from lidar_app.conformance.asking import Question\n"
    "from lidar_app.conformance.subjects.own_model import ModelSubject\n"
    "from osi_bridge import framed, open_trace\n"
    "from osi_lidar.config import load_config\n"
    "if __name__ == '__main__':\n"
    "    config, trace, out = sys.argv[1:]\n"
    "    data = [each.data for each in open_trace(Path(trace), message_type='SensorView')]\n"
    "    subject = ModelSubject(load_config(Path(config)))\n"
    "    answers = subject.ask('', [Question(0, each) for each in data])\n"
    "    Path(out).write_bytes(b''.join(framed(each) for each in answers if each))\n"
)
CROWDED = {"thousand_objects"}
SOME = ("wall", "object_ids", "fields", "mover", "late_message")
ONE = chosen(["wall"])[0]
SEVERAL = ("late_message",)
"""For a command, which is a process for each: a scene of several messages."""


def command(code, *words):
    """Return a subject that runs a Python program with these words, the trace and the output."""
    return "cmd: " + shlex.join([sys.executable, "-c", code, *words]) + " {trace} {out}"


def verdicts(text, sheet, names=SOME):
    with closing(open_subject(text, sheet)) as subject:
        return {each.scene.name: each.verdict for each in run_bench(subject, sheet, chosen(names))}


@contextmanager
def server(answer):
    """Serve connections in a thread; `answer` takes a socket and the subject's file of it."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as incoming:
                answer(connection, incoming)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"tcp://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join(5.0)


def message_of(incoming):
    size = incoming.read(4)
    return incoming.read(int.from_bytes(size, "little")) if len(size) == 4 else None


@pytest.mark.long
def test_command_folder_and_server_give_the_verdicts_of_the_model_itself(files, sheet, tmp_path):
    told = dict.fromkeys(SOME, Verdict.PASSED)
    of_several = {name: told[name] for name in SEVERAL}
    assert verdicts(command(OURS, str(files / "lidar.yaml")), sheet, SEVERAL) == of_several
    write_scenes(tmp_path / "questions", sheet, chosen(SOME))
    ours, answered = ModelSubject(load_config(files / "lidar.yaml")), tmp_path / "answers"
    answered.mkdir()
    for file in (tmp_path / "questions").iterdir():
        data = [each.data for each in open_trace(file, message_type="SensorView")]
        answers = ours.ask(file.stem, [Question(0, each) for each in data])
        (answered / file.name).write_bytes(b"".join(framed(each) for each in answers if each))
    assert verdicts(str(answered), sheet) == told

    def answer(connection, incoming):
        asked = []
        while (data := message_of(incoming)) is not None:
            asked.append(Question(0, data))
            connection.sendall(framed(ours.ask("", asked)[-1] or b""))

    with server(answer) as address:
        assert verdicts(address, sheet) == told


def test_a_folder_gives_the_answers_of_the_model_to_every_scene_that_traces_can_ask(
    replied, sheet, tmp_path
):
    """The same bytes, so the same verdicts."""
    for name, data in replied.items():
        trace = b"".join(framed(each) for each in data if each)
        (tmp_path / f"{name}.osi").write_bytes(trace)
    asked = [each for each in chosen() if each.name in replied and not each.is_live]
    with closing(open_subject(str(tmp_path), sheet)) as subject:
        for scene in asked:
            questions = [each.question(sheet) for each in moments_of(scene, sheet)]
            assert subject.ask(scene.name, questions) == replied[scene.name], scene.name


@needs("fmpy")
@pytest.mark.slow
@pytest.mark.parametrize("fmi", ["2", "3"])
def test_an_fmu_gives_the_verdicts_of_the_model_itself(fmi, files, sheet, tmp_path):
    from fmu_src.exporter import build_fmu

    (built,) = build_fmu(config=files / "lidar.yaml", out=tmp_path, fmi=fmi)
    every = [each.name for each in chosen()]
    ours = verdicts(str(files / "lidar.yaml"), sheet, every)
    assert Verdict.FAILED not in ours.values()
    assert verdicts(str(built.path), sheet, every) == ours


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import os; os.kill(os.getpid(), 9)", "crash: the subject was ended by signal 9"),
        ("import time; time.sleep(60)", "timeout: the subject did not end within 0.2 s"),
        (
            "raise ValueError('no such thing')",
            "error: the subject ended with exit code 1: ValueError: no such thing",
        ),
        ("import sys; open(sys.argv[2], 'wb').write(b'x' * 99)", "garbage: "),
        ("", "no answer: the subject wrote no trace of answers"),
    ],
)
def test_a_command_that_fails_is_a_verdict(code, told, sheet):
    asked = sheet if "sleep" not in code else sheet.model_copy(update={"timeout_s": 0.2})
    with closing(open_subject(command(code), asked)) as subject:
        result = judge_scene(subject, asked, ONE)
    assert result.verdict is Verdict.FAILED
    assert result.note.startswith(told)


def _hangs(_connection, incoming):
    while message_of(incoming) is not None:
        pass


def _closes(_connection, incoming):
    message_of(incoming)


def _garbles(connection, incoming):
    while message_of(incoming) is not None:
        connection.sendall(framed(b"\xff" * 40))


def _says_nothing(connection, incoming):
    while message_of(incoming) is not None:
        connection.sendall(framed(b""))


@pytest.mark.long
@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (_hangs, "timeout: the subject gave no answer within 0.1 s"),
        (_closes, "crash: "),
        (_garbles, "garbage: message 0: not a SensorData message"),
        (_says_nothing, "message 2 has no answer with lidar detections"),
    ],
)
def test_a_server_that_fails_is_a_verdict_and_the_next_scene_is_asked(answer, told, sheet):
    asked = sheet if answer is not _hangs else sheet.model_copy(update={"timeout_s": 0.1})
    with server(answer) as address, closing(open_subject(address, asked)) as subject:
        results = run_bench(subject, asked, [ONE, ONE])
    assert [each.verdict for each in results] == [Verdict.FAILED] * 2
    assert all(each.note.startswith(told) for each in results)


def test_a_file_that_is_no_fmu_is_a_verdict(sheet, tmp_path):
    (tmp_path / "broken.fmu").write_bytes(b"no FMU")
    with closing(open_subject(str(tmp_path / "broken.fmu"), sheet)) as subject:
        result = judge_scene(subject, sheet, ONE)
    assert result.note.startswith("error: InputError: ")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("nothing.fmu", "nothing.fmu: no such file or folder"),
        ("tcp://127.0.0.1", "tcp://127.0.0.1: got no valid address, expected tcp://HOST:PORT"),
        ("cmd: nobody {trace} {out}", "cmd: no program 'nobody'"),
        ("cmd: true {trace}", "expected a command that contains {out}"),
    ],
)
def test_what_is_no_subject_is_one_line(text, problem, sheet):
    with pytest.raises(InputError) as told:
        open_subject(text, sheet)
    assert problem in str(told.value)


def _of_no_number(message):
    for sensor in message.feature_data.lidar_sensor:
        for each in sensor.detection:
            each.position.distance, each.position.azimuth = math.nan, math.inf
            each.intensity = math.nan


def _of_no_detection(message):
    for sensor in message.feature_data.lidar_sensor:
        del sensor.detection[:]


def _of_one_detection(message):
    for sensor in message.feature_data.lidar_sensor:
        del sensor.detection[1:]


def _of_no_header(message):
    for sensor in message.feature_data.lidar_sensor:
        sensor.ClearField("header")
    message.ClearField("timestamp")
    message.ClearField("version")


@pytest.mark.long
@pytest.mark.parametrize("change", [_of_no_number, _of_no_detection, _of_one_detection])
def test_poor_answers_fail_in_every_scene_that_has_points(change, replied, sheet):
    subject = Recorded(replied, Fault(answer=change, found_by=set()).answers)
    asked = [each for each in chosen() if each.name not in CROWDED]
    passed = {
        each.scene.name
        for each in run_bench(subject, sheet, asked)
        if each.verdict is Verdict.PASSED
    }
    assert passed <= {"beyond_range", "empty_world", "repeated", "fields", "grazing_road"}


def test_fields_that_are_not_stated_fail_in_the_scene_of_fields_alone(replied, sheet):
    subject = Recorded(replied, Fault(answer=_of_no_header, found_by=set()).answers)
    failed = {
        each.scene.name
        for each in run_bench(subject, sheet, chosen(["wall", "fields", "mover", "object_ids"]))
        if each.verdict is Verdict.FAILED
    }
    assert failed == {"fields"}
