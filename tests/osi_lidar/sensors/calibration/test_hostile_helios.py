# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of survey scanners that are damaged, hostile, or none."""

import pytest

from osi_lidar import ConfigurationError
from osi_lidar.config import Sensor
from osi_lidar.scan.from_config import scan_pattern
from osi_lidar.scan.lidar import Lidar
from osi_lidar.sensors.calibration.reading import read_calibration
from raycore.errors import PatternError
from tests.builders.refusals import one_line
from tests.osi_lidar.sensors.calibration.files import text
from tests.osi_lidar.sensors.calibration.helios_files import CHANNELS, RISLEY, helios, scanner


def wrong_line(file):
    with pytest.raises(ConfigurationError) as caught:
        read_calibration(file).source(0.1).at(0.0)
    line = str(caught.value)
    assert line.startswith(f"{file}: ")
    assert "\n" not in line
    return line


@pytest.mark.parametrize("missing", ["optics", "pulseFreqs_Hz", "scanAngleMax_deg"])
def test_what_is_missing_is_told_with_its_scanner(tmp_path, missing):
    line = wrong_line(helios(tmp_path, scanner(**{missing: None})))
    assert f"line 3: scanner tls: {missing}: is missing" in line


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e999", "-1", "1e300", "ten", "", "0x1"])
@pytest.mark.parametrize(
    "key",
    ["pulseFreqs_Hz", "scanAngleMax_deg", "scanFreqMax_Hz", "scanAngleEffectiveMax_deg"],
)
def test_a_number_that_is_none_or_huge_is_told(tmp_path, key, value):
    assert f"{key}: got {value!r}, expected a number" in wrong_line(
        helios(tmp_path, scanner(**{key: value}))
    )


@pytest.mark.parametrize(
    ("element", "words"),
    [
        (scanner(optics="laser"), "optics: got 'laser', expected rotating, oscillating, conic,"),
        (scanner(pulseFreqs_Hz="1,,2"), "pulseFreqs_Hz: got '', expected a number, above 0"),
        (scanner(pulseFreqs_Hz="1," * 2000), "pulseFreqs_Hz: got 2001 numbers, expected at most"),
        (scanner(optics="conic", scanFreqMax_Hz="0", scanFreqMin_Hz="0"), "got 0, expected above"),
        (scanner(headRotatePerSecMax_deg="nan"), "headRotatePerSecMax_deg: got 'nan', expected"),
        (scanner(inside='<headRotateAxis x="0"/>'), "headRotateAxis: got 0 0 0, expected a"),
        (scanner(inside='<beamOrigin x="nan"/>'), "beamOrigin: x: got 'nan', expected a number"),
        (scanner(inside="<channels/>"), "channels: got 0 channels, expected 1 to 4096"),
        (
            scanner(inside='<beamOrigin><rot axis="w" angle_deg="1"/></beamOrigin>'),
            "rot: axis: got 'w', expected x, y or z",
        ),
        (scanner(inside='<beamOrigin><rot axis="x"/></beamOrigin>'), "angle_deg: is missing"),
        (scanner(RISLEY, angle1_deg="0", angle2_deg=None), "expected the angle of at least one"),
        (scanner(RISLEY, angle1_deg="90"), "angle1_deg: got '90', expected a number, -89 to 89"),
        (scanner(RISLEY, refrIndex1="0.9"), "refrIndex1: got 0.9, expected at least refrIndex_air"),
        (scanner(optics="line", numFibers="1e9"), "numFibers: got '1e9', expected a number, 1 to"),
    ],
)
def test_a_bad_scanner_is_one_line(tmp_path, element, words):
    file = helios(tmp_path, element)
    with one_line(ConfigurationError, words, start=f"{file}: "):
        scan_pattern(Sensor.model_validate({"calibration": str(file)}))


@pytest.mark.parametrize(
    ("element", "keys", "words"),
    [
        (scanner(pulseFreqs_Hz="1e9"), {}, "beams in a scan of 0.1 s, expected at most"),
        (scanner(), {"rotation_rate_hz": 1e6}, "give no pulse in a scan of 1e-06 s"),
        (
            scanner(RISLEY, angle1_deg="80"),
            {},
            "reflects beam 0 totally, so it never leaves; expected smaller wedges",
        ),
        (
            scanner(scanAngleEffectiveMax_deg="0.001", pulseFreqs_Hz="999"),
            {"rotation_rate_hz": 900},
            "pulses leaves the scanner in a scan",
        ),
    ],
)
def test_a_scan_that_cannot_be_is_told_with_the_scanner(tmp_path, element, keys, words):
    file = helios(tmp_path, element)
    lidar_of = {"calibration": str(file), "name": "survey", **keys}
    with one_line(PatternError, words, start=f"sensor survey: {file}: line 3: scanner "):
        Lidar(Sensor.model_validate(lidar_of)).aim(7_000_000)


def laughs():
    """Return a document whose entities would grow to 3 GB."""
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return (
        f'<?xml version="1.0"?><!DOCTYPE document [<!ENTITY l0 "lol">{entities}]>'
        f"<document>&l9;{scanner()}</document>"
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (laughs(), "line 1: has a document type (DOCTYPE), which is not allowed"),
        (
            '<!DOCTYPE document SYSTEM "file:///etc/passwd"><document/>',
            "has a document type (DOCTYPE), which is not allowed",
        ),
        ("<scanners/>", "line 1: got <scanners>, expected a <document> with <scanner> elements"),
        ("<document/>", "line 1: got <document>, expected a <document> with <scanner> elements"),
        (f"<document>{scanner()}{scanner()}</document>", "contains 2 scanners; choose one by"),
        ("<document>&nothing;</document>", "is not XML: undefined entity"),
        ("<document><scanner></document>", "is not XML: mismatched tag: line 1"),
        ("<", "is not XML: "),
        ("<document\0/>", "is not XML: "),
        ("<a>" * 100 + "</a>" * 100, "line 1: elements are nested more than 64 deep"),
        ('<?xml version="1.0" encoding="nonsense"?><document/>', "is not XML: unknown encoding"),
    ],
)
def test_what_is_no_file_of_scanners_is_one_line(tmp_path, content, words):
    assert words in wrong_line(text(tmp_path, content, name="bad.xml"))


def test_an_id_that_is_there_twice_is_told(tmp_path):
    file = helios(tmp_path, scanner(), scanner())
    with pytest.raises(
        ConfigurationError, match="contains 2 scanners 'tls', expected one of tls, tl"
    ):
        read_calibration(file, "tls")


def test_a_file_cut_at_any_byte_is_one_line(tmp_path):
    content = helios(tmp_path, scanner(inside=CHANNELS)).read_bytes().rstrip()
    for n_byte in range(1, len(content)):
        assert wrong_line(text(tmp_path, content[:n_byte], name="cut.xml"))
