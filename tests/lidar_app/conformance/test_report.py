# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reports: what a reader needs to sign one, words for what came, and pictures."""

import hashlib
import json
import math
import re
import sys
import zipfile

import pytest

from lidar_app.conformance.bench import chosen, judge_scene, run_bench
from lidar_app.conformance.report import BenchReport, facts_of, left_out, write_reports
from lidar_app.conformance.report.pictures import HEIGHT, LEGEND, WIDTH
from lidar_app.conformance.scenes import SCENES
from osi_lidar.version import __version__
from tests.lidar_app.conformance.faults import FAULTS, Fault
from tests.lidar_app.conformance.recorded import Recorded
from tests.lidar_app.conformance.test_faults import subject_with

ASKED = ("wall", "mounting", "fog")
FMU = '<fmiModelDescription fmiVersion="2.0" modelName="Lidar" guid="{8c4e}"/>'


@pytest.fixture
def report(replied, sheet, files, monkeypatch):
    """Return a function that gives the report of a subject with a fault, or with none."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")

    def of(subject=None, names=ASKED):
        asked = chosen(names)
        results = run_bench(subject or Recorded(replied), sheet, asked)
        left = left_out(SCENES, asked, results)
        facts = facts_of(str(files / "lidar.yaml"))
        return BenchReport(facts=facts, sheet=sheet, results=results, not_asked=left)

    return of


def test_equal_runs_have_equal_reports_but_for_the_date(report, tmp_path):
    for name in ("one", "two"):
        write_reports(tmp_path / name, report())
    for name in ("report.json", "report.html"):
        one, two = ((tmp_path / each / name).read_bytes() for each in ("one", "two"))
        assert one == two
    content = json.loads((tmp_path / "one" / "report.json").read_text())
    assert content["verdicts"] == {"pass": 2, "fail": 0, "not applicable": 1}
    assert content["date"] == "2026-01-01 00:00:00 UTC"
    assert "http" not in (tmp_path / "one" / "report.html").read_text()


def test_a_report_has_all_that_a_signature_stands_for(report, files, tmp_path):
    _, page = write_reports(tmp_path, report())
    text = re.sub(r"<[^>]+>", " ", page.read_text())
    digest = hashlib.sha256((files / "lidar.yaml").read_bytes()).hexdigest()
    python = ".".join(map(str, sys.version_info[:3]))
    n = len(SCENES) - 2
    for words in (
        f"2 of {n + 2} scenes passed, 0 failed, {n} not run",
        digest, f"osi-lidar {__version__}".split()[1], python, "2026-01-01 00:00:00 UTC",
        "not claimed: weather", "left out by --only",
        "errors.range_trueness_m", "a range in other scenes", "0.0550 m",
        "ISO/DIS 13228: 4.1.2, 4.1.3", "No conformity with the standard is claimed",
        "Name", "Function", "Date", "Signature",
    ):  # fmt: skip
        assert words in text, words


def test_an_fmu_is_identified_by_its_guid_and_its_digest(tmp_path):
    file = tmp_path / "lidar.fmu"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("modelDescription.xml", FMU)
    told = dict(facts_of(str(file)).identity)
    assert told["GUID"] == "{8c4e}"
    assert told["FMI"] == "2.0"
    assert told["SHA-256"] == hashlib.sha256(file.read_bytes()).hexdigest()


def test_a_file_that_is_no_fmu_and_a_server_are_identified_as_far_as_they_can_be(tmp_path):
    (tmp_path / "broken.fmu").write_bytes(b"no FMU")
    told = dict(facts_of(str(tmp_path / "broken.fmu")).identity)
    assert "is not a usable FMU" in told["model description"]
    assert "by hand" in dict(facts_of("tcp://127.0.0.1:9").identity)["SHA-256"]


def test_a_command_and_a_folder_are_identified_by_their_files(tmp_path):
    program = tmp_path / "model.py"
    program.write_text("pass")
    digest = hashlib.sha256(b"pass").hexdigest()
    told = dict(facts_of(f"cmd: {sys.executable} {program} {{trace}} {{out}}").identity)
    assert told[f"SHA-256 of {program}"] == digest
    listed = f"{digest}  model.py\n".encode()
    (digest_of_all,) = (value for name, value in facts_of(str(tmp_path)).identity if "SHA" in name)
    assert digest_of_all == hashlib.sha256(listed).hexdigest()


def test_a_cause_stands_once_for_all_its_scenes(report, replied, tmp_path):
    fault = FAULTS["y flipped"]
    told = report(Recorded(replied, fault.answers), ("wall", "mounting", "step_edge", "poles"))
    data, page = write_reports(tmp_path, told)
    (cause,) = json.loads(data.read_text())["causes"]
    assert len(cause["scenes"]) >= 3
    assert page.read_text().count("the y axis is mirrored") == 1


def _up(message):
    """Let each detection be 50 deg higher, where there is nothing."""
    for sensor in message.feature_data.lidar_sensor:
        for each in sensor.detection:
            each.position.elevation += math.radians(50.0)


def test_what_meets_nothing_has_no_distance(replied, sheet):
    subject = Recorded(replied, Fault(answer=_up, found_by=set()).answers)
    for scene in chosen(("wall", "mounting", "sphere")):
        words = " ".join(each.came for each in judge_scene(subject, sheet, scene).findings)
        assert "inf" not in words
        assert "nan" not in words
    (ranges, *_, number) = judge_scene(subject, sheet, *chosen(["wall"])).findings
    assert re.fullmatch(r"\d+ of \d+ are off: \d+ meet nothing(, .*)?", ranges.came)
    assert re.fullmatch(r"0 of [1-9]\d+ detections lie there", number.came)


@pytest.mark.parametrize("name", ["none", "mounting ignored"])
def test_pictures_have_a_scale_and_a_legend_and_nothing_is_cut(name, report, replied, tmp_path):
    subject = None
    if name != "none":
        subject = subject_with(FAULTS[name], replied, tmp_path)
    told = report(subject, ("wall", "driving_host", "sphere", "fields"))
    _, page = write_reports(tmp_path, told)
    pictures = re.findall(r"<svg.*?</svg>", page.read_text())
    assert len(pictures) == 4
    for each in pictures:
        assert re.search(r'class="scale".*?>[125]0* m<', each)
        for words in ("sensor", "box", "fits", "off by more than", "from above"):
            assert words in each
        places = re.findall(r'points="([^"]+)"', each)
        corners = [pair.split(",") for place in places for pair in place.split()]
        dots = re.findall(r'cx="([-\d.]+)" cy="([-\d.]+)"', each)
        for x, y in (*corners, *dots):
            assert 0.0 <= float(x) <= WIDTH
            assert 0.0 <= float(y) <= HEIGHT + LEGEND
