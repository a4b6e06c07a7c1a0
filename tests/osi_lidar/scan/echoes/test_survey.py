# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Survey scanners with ``fidelity: physical``: what their files say of beam, pulse and echoes."""

import json
import math

import pytest

from lidar_app.show.check_beams import beam_doubts
from osi_lidar import ConfigurationError, LidarModel, load_config
from osi_lidar.config import Config, Sensor
from osi_lidar.scan.from_config import scan_pattern
from tests.builders.messages import frames
from tests.osi_lidar.sensors.calibration.helios_files import RISLEY, helios, scanner

STATED = {"beamDivergence_rad": "0.0005", "pulseLength_ns": "4", "maxNOR": "3"}
FIELDS = ("beam", "pulse", "returns", "receiver")


def physical(file, scanner_id="tls", **keys):
    given = {"calibration": {"file": str(file), "scanner": scanner_id}, "fidelity": "physical"}
    return Sensor.model_validate({"name": "survey", **given, **keys})


def test_a_physical_scanner_has_the_values_of_its_file(tmp_path):
    sensor = physical(helios(tmp_path, scanner(**STATED)))
    assert sensor.beam.divergence_deg == pytest.approx(math.degrees(0.0005))
    assert sensor.beam.width == "e2"
    assert sensor.beam.sigma_rad == pytest.approx((0.000125, 0.000125))
    assert sensor.pulse.fwhm_ns == 4.0
    assert (sensor.returns.mode, sensor.returns.max) == ("all", 3)
    assert (sensor.noise.range_sigma_m, sensor.receiver.precision) == (0.005, ())
    assert (sensor.min_range_m, sensor.max_range_m) == (1.5, 10_000)


def test_an_ideal_scanner_has_ranges_wavelength_and_noise_only(tmp_path):
    file = helios(tmp_path, scanner(**STATED))
    bare = physical(helios(tmp_path, scanner(), name="bare.xml"), fidelity="ideal")
    ideal = physical(file, fidelity="ideal")
    assert all(getattr(ideal, name) is None for name in FIELDS)
    assert ideal == bare.model_copy(update={"calibration": ideal.calibration})


@pytest.mark.parametrize(
    ("count", "mode", "n_most"),
    [("1", "strongest", 1), ("2", "all", 2), ("9", "all", 8), ("0", "all", 8), (None, "all", 8)],
)
def test_the_number_of_returns_is_limited_to_eight(tmp_path, count, mode, n_most):
    sensor = physical(helios(tmp_path, scanner(maxNOR=count)))
    assert (sensor.returns.mode, sensor.returns.n_most) == (mode, n_most)


def test_what_the_file_does_not_say_keeps_its_default(tmp_path):
    sensor = physical(helios(tmp_path, scanner(accuracy_m=None)))
    assert (sensor.beam, sensor.pulse, sensor.noise) == (None, None, None)
    assert sensor.receiver.precision is None


def test_keys_of_ones_own_win_one_by_one(tmp_path):
    sensor = physical(
        helios(tmp_path, scanner(**STATED)),
        beam={"divergence_deg": 0.1},
        pulse=None,
        returns={"mode": "last"},
        receiver={"precision": None},
        noise={"range_bias_sigma_m": 0.01},
    )
    assert (sensor.beam.divergence_deg, sensor.beam.width) == (0.1, "fwhm")
    assert (sensor.pulse, sensor.returns.mode, sensor.receiver.precision) == (None, "last", None)
    assert (sensor.noise.range_bias_sigma_m, sensor.noise.range_sigma_m) == (0.01, 0.005)


def test_a_physical_scanner_survives_json_and_scans(tmp_path):
    sensor = physical(helios(tmp_path, scanner(RISLEY, pulseFreqs_Hz="500", **STATED)), "prisms")
    config = Config.model_validate({"sensors": [sensor]})
    again = Config.model_validate(json.loads(json.dumps(config.resolved())))
    assert again.sensors == config.sensors
    (frame,) = frames([[]], host_id=None)
    (scan,) = LidarModel(config).step(frame).scans
    assert {"snr", "echo", "origin"} <= set(scan.cloud.points.dtype.names)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"beamDivergence_rad": "1"}, "beamDivergence_rad: got '1', expected a number, 0 to 0.349"),
        ({"beamDivergence_rad": "wide"}, "beamDivergence_rad: got 'wide', expected a number"),
        ({"pulseLength_ns": "0"}, "pulseLength_ns: got '0', expected a number, 0.01 to 1000"),
        ({"maxNOR": "2.5"}, "maxNOR: got 2.5, expected a whole number"),
        ({"maxNOR": "-1"}, "maxNOR: got '-1', expected a number, 0 to 1e+09"),
        ({"accuracy_m": "nan"}, "accuracy_m: got 'nan', expected a number"),
    ],
)
def test_an_impossible_value_is_one_line_with_its_place(tmp_path, changes, words):
    file = helios(tmp_path, scanner(**{**STATED, **changes}))
    config = tmp_path / "config.yaml"
    config.write_text(f"sensors: [{{calibration: {file.name}, fidelity: physical}}]\n")
    with pytest.raises(ConfigurationError) as raised:
        load_config(config)
    message = str(raised.value)
    assert message.startswith(f"{config}: sensors[0].calibration: {file}: line 3: scanner tls: ")
    assert words in message
    assert "\n" not in message


def test_check_names_what_comes_from_the_file(tmp_path):
    sensor = physical(helios(tmp_path, scanner(**STATED)), pulse={"fwhm_ns": 6})
    (line,) = beam_doubts(sensor, scan_pattern(sensor))
    file = tmp_path / "scanners.xml"
    assert line == (
        f"sensor survey: taken from {file}: line 3: scanner tls: beam.divergence_deg (full width "
        "at 1/e², a guess), returns.mode, returns.max, receiver.precision, noise.range_sigma_m"
    )


def test_the_scanners_of_helios_are_physical(real_data):
    folder = real_data / "lidar_calib" / "helios"
    vz400 = physical(folder / "scanners_tls.xml", "riegl_vz400")
    assert vz400.beam.divergence_deg == pytest.approx(math.degrees(0.0003))
    assert (vz400.pulse.fwhm_ns, vz400.noise.range_sigma_m, vz400.returns.n_most) == (5, 0.005, 8)
    als50 = physical(folder / "scanners_als.xml", "leica_als50-ii")
    assert als50.beam.divergence_deg == pytest.approx(math.degrees(0.00022))
    assert (als50.pulse.fwhm_ns, als50.noise.range_sigma_m, als50.returns.n_most) == (10, 0.05, 4)
