# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``show waveform``: the signal of one beam over range, as picture and table."""

import csv
import math

import numpy as np
import pytest
from typer.testing import CliRunner

from lidar_app.cli.main import app
from osi_lidar.run.example_scene import street
from osi_lidar.scan.echoes.point_kernels import find_and_receive
from tests.builders.beams import LIMIT, SEES, SIGMA_R_M, beams_at, cloud_of, plate


def two_surfaces(folder, **sensor):
    """Return a model whose beams meet two plates by halves, after a scan."""
    surfaces = [(plate(30.0, right_m=0.0), 50), (plate(30.0 + 2.5 * SIGMA_R_M), 50)]
    model = beams_at(folder, surfaces, n=3, range_limit=LIMIT, **sensor)
    cloud_of(model)
    return model


def test_the_samples_are_the_sum_of_the_components_and_rise_to_the_echoes(tmp_path):
    model = two_surfaces(tmp_path)
    lidar, scanned = model.lidars[0], model.last_scans["front"].scanned
    known = set(find_and_receive.signatures)
    found = lidar.waveform(scanned, 1)
    assert set(find_and_receive.signatures) == known  # no minute of waiting
    assert len(found.component_snr) == 2
    np.testing.assert_allclose(found.snr, found.component_snr.sum(axis=0))
    assert len(found.echo_range_m) == 2
    heights = np.interp(found.echo_range_m, found.range_m, found.snr)
    np.testing.assert_allclose(heights, found.echo_snr, rtol=1e-3)
    points = scanned.cloud.points[scanned.cloud.points["column"] == 1]
    np.testing.assert_allclose(points["range"], found.echo_range_m, atol=1e-5)
    # the pulse's energy: the integral of each component is A sigma_r sqrt(2 pi)
    area = found.component_snr[0].sum() * (found.range_m[1] - found.range_m[0])
    k = 5.257
    assert area == pytest.approx(10.0 * k * SIGMA_R_M * math.sqrt(2.0 * math.pi), rel=2e-3)


def test_a_beam_into_the_sky_has_an_empty_waveform(tmp_path):
    model = beams_at(tmp_path, [(plate(-30.0), 50)], n=2, receiver=SEES)
    cloud_of(model)
    found = model.lidars[0].waveform(model.last_scans["front"].scanned, 0)
    assert len(found.range_m) == len(found.echo_range_m) == len(found.component_snr) == 0


def test_an_ideal_sensor_has_no_waveform(tmp_path):
    model = two_surfaces(tmp_path, beam=None, receiver=None, returns=None)
    with pytest.raises(ValueError, match="no waveform"):
        model.lidars[0].waveform(model.last_scans["front"].scanned, 0)


def waveform(*arguments):
    """Run the command; return its result."""
    return CliRunner().invoke(app, ["show", "waveform", *map(str, arguments)])


@pytest.mark.long
def test_the_command_writes_a_picture_and_a_table(tmp_path):
    out, scenario = tmp_path / "one.png", street()
    of_street = [scenario.trace, "-c", scenario.config, "--frame", 20, "--beam", "100:300"]
    done = waveform(*of_street, "--fidelity", "physical", "--out", out)
    assert done.exit_code == 0, done.output
    assert out.read_bytes()[:4] == b"\x89PNG"
    rows = list(csv.DictReader(out.with_suffix(".csv").read_text().splitlines()))
    assert list(rows[0])[:3] == ["range_m", "snr", "component_0_snr"]
    assert max(float(row["snr"]) for row in rows) > 5.0


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--beam", "12"], "--beam: got '12', expected RING:COLUMN"),
        (["--beam", "500:0"], "has no beam 500:0"),
        (["--beam", "1:1", "--sensor", "front"], "--sensor: got 'front', expected one of"),
        (["--beam", "1:1", "--fidelity", "ideal"], "is ideal, so its beams have no waveform"),
        (["--beam", "1:1", "--out", "x.jpg"], "expected the name of a picture, ending in .png"),
    ],
)
def test_what_cannot_be_drawn_gives_one_line(tmp_path, arguments, expected):
    if "--fidelity" not in arguments:
        arguments = [*arguments, "--fidelity", "physical"]
    if "--out" not in arguments:
        arguments = [*arguments, "--out", tmp_path / "one.png"]
    done = waveform("-c", street().config, *arguments)
    assert done.exit_code == 2
    assert expected in " ".join(done.output.split())
    assert "Traceback" not in done.output
