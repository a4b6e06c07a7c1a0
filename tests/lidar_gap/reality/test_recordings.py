# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Descriptions of public recordings: ours, and faulty ones of users."""

import re

import pytest
import yaml

from lidar_gap.reality.measuring import ROWS
from lidar_gap.reality.recordings import OWN, catalogue
from lidar_gap.reality.scoring import real_against_real
from osi_lidar.errors import InputError
from osi_lidar.sensors.presets import load_preset

GOOD = {
    "title": "A sensor on a table",
    "sensor": "VLP-16",
    "unit": "ours",
    "place": "table",
    "repository": "somebody/recordings",
    "commit": "0123456789abcdef0123456789abcdef01234567",
    "licence": "MIT",
    "files": {"a/b.pcd": "ab" * 32},
    "clouds": ["a/b.pcd"],
}


def test_ours_are_of_known_sensors_and_of_many_units():
    recordings = catalogue()
    assert [each.name for each in recordings] == sorted(
        (file.stem for file in OWN.glob("*.yaml")), key=[each.name for each in recordings].index
    )
    for each in recordings:
        load_preset(each.sensor)
        others = [path for path in (each.metadata, each.labels, each.calibration) if path]
        for path in (*each.clouds, *others):
            assert any(file == path or file.startswith(f"{path}/") for file in each.files), path
    assert len({each.sensor for each in recordings}) >= 8
    assert len({(each.sensor, each.unit) for each in recordings}) >= 12


def test_a_description_takes_some_thirty_lines():
    for file in OWN.glob("*.yaml"):
        assert len(file.read_text().splitlines()) <= 40, file


def test_what_real_recordings_differ_by_is_of_rows():
    """`test_pack` holds the numbers against the recordings themselves."""
    known = {each.name: each.sensor for each in catalogue()}
    for name, each in real_against_real().items():
        assert name in ROWS
        assert each.rms > 0.0
        assert each.pairs
        for one, other in each.pairs:
            assert known[one] == known[other]


def described(folder, **changes):
    folder.mkdir(exist_ok=True)
    keys = {key: value for key, value in {**GOOD, **changes}.items() if value is not None}
    (folder / "mine.yaml").write_text(yaml.safe_dump(keys))
    return folder


def test_a_user_s_own_description_is_taken(tmp_path):
    (only,) = catalogue(folder=described(tmp_path / "own"))
    assert (only.name, only.scene, only.returns, only.tuned) == ("mine", "walls", "strongest", ())
    assert only.folder(tmp_path) == tmp_path / "somebody+recordings" / "0123456789ab"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"files": {"../b.pcd": "ab" * 32}}, "expected a path within the repository"),
        ({"files": {"/etc/passwd": "ab" * 32}}, "expected a path within the repository"),
        ({"files": {"c:\\b.pcd": "ab" * 32}}, "expected a path within the repository"),
        ({"files": {"a/b.pcd": "ab"}}, "files.a/b.pcd"),
        ({"files": {}}, "files"),
        ({"files": {"./b.pcd": "ab" * 32}}, "expected a path within the repository"),
        ({"files": {"a//b.pcd": "ab" * 32}}, "expected a path within the repository"),
        ({"files": {"a\0b": "ab" * 32}}, "expected a path within the repository"),
        ({"clouds": ["a/../../b"]}, "clouds.0"),
        ({"clouds": ["a/c.pcd"]}, "a/c.pcd: is not among the files"),
        ({"metadata": "m.json"}, "m.json: is not among the files"),
        ({"sensor": "Livox-Mid-70"}, "got 'Livox-Mid-70', expected a known sensor"),
        ({"columns": 10**9}, "columns"),
        ({"commit": "0123456"}, "commit"),
        ({"repository": "https://github.com/a/b"}, "repository"),
        ({"repository": "-a/b"}, "repository"),
        ({"scene": "street"}, "scene"),
        ({"tuned": ["everything"]}, "tuned.0"),
        ({"licence": None}, "licence"),
        ({"comment": "hello"}, "comment"),
    ],
    ids=str,
)
def test_a_fault_in_a_description_is_one_line_that_names_file_and_key(tmp_path, changes, words):
    folder = described(tmp_path / "own", **changes)
    with pytest.raises(InputError) as caught:
        catalogue(folder=folder)
    assert "mine.yaml" in str(caught.value)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_name_is_told_with_the_known_ones(tmp_path):
    with pytest.raises(InputError, match="got 'vlp', expected one of mine"):
        catalogue("vlp", described(tmp_path / "own"))
    with pytest.raises(InputError, match="no descriptions"):
        catalogue(folder=tmp_path)


KINDS_OF_FIGURES = {
    "range_noise_by_reflectivity": {"noise", "repeats"},
    "range_noise_by_range": {"noise", "repeats"},
    "range_precision": {"noise", "repeats"},
    "range_tails": {"noise", "repeats"},
    "signal_spread": {"returns"},
    "laser_spread": {"returns"},
    "shot_noise": {"strength"},
    "reports": {"signal"},
    "beam": {"mixed", "second returns"},
    "pulse_fwhm_ns": {"mixed", "second returns"},
    "range_method": {"mixed"},
    "recovery_m": {"mixed", "second returns"},
    "min_separation_m": {"second returns"},
}
"""Which rows a figure of a sensor decides; near fields and biases decide none alone."""
FITTED_ON = {
    "tier4/nebula": r"\b({folder})\b|seven sensors",
    "hku-mars/BALM": "hku-mars/BALM",
    "acfr/cam_lidar_calibration": "{day}",
    "ouster-lidar/ouster-sdk": "{capture}",
    "PJLab-ADG/SensorsCalibration": "PJLab-ADG",
}


NO_FITS = {"HDL-32E", "VLS-128"}
"""Sensors whose files state no figure of a recording."""


def names_this(recording, fitted_on):
    """Return whether the words of a fit name a recording."""
    path = recording.clouds[0]
    told = FITTED_ON.get(recording.repository, "nowhere").format(
        folder=path.split("decoder_ground_truth/")[-1].split("/")[0],
        day=path.split("/")[1][:10] if path.startswith("data/20") else recording.commit[:7],
        capture=path.rsplit("/", 1)[-1].removesuffix("_1024x10.pcap"),
    )
    return re.search(told, fitted_on) is not None


@pytest.mark.parametrize("recording", catalogue(), ids=lambda each: each.name)
def test_kinds_that_a_sensor_was_fitted_to_are_tuned(recording):
    """By what the sensor's own file says of each of its figures."""
    tuned = set()
    for figure, fit in load_preset(recording.sensor).fits.items():
        if figure in KINDS_OF_FIGURES and names_this(recording, fit.recording):
            tuned |= KINDS_OF_FIGURES[figure]
    assert tuned <= set(recording.tuned)
