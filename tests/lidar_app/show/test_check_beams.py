# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What ``osi-lidar check`` doubts about the beams of a sensor."""

import math

import pytest

from lidar_app.show.check_beams import beam_doubts, neighbour_steps_rad
from osi_lidar.config import Sensor
from osi_lidar.scan.from_config import scan_pattern
from osi_lidar.sensors.configured_sensors import ready_names
from osi_lidar.sensors.presets import preset_names
from tests.commands import run

ALONG = {"min_deg": -20, "max_deg": 20, "step_deg": 1}
GRID = {
    "kind": "grid",
    "horizontal": ALONG,
    "vertical": {"min_deg": -2, "max_deg": 2, "step_deg": 1.1},  # -2, -0.9, 0.2, 1.3
}
ROW = {**GRID, "vertical": {"min_deg": 0, "max_deg": 0, "step_deg": 1}}


def doubts(**keys):
    sensor = Sensor.model_validate({"name": "roof", **keys})
    return list(beam_doubts(sensor, scan_pattern(sensor)))


@pytest.mark.long
@pytest.mark.parametrize("name", [*preset_names(), *ready_names()])
def test_no_beam_of_a_known_sensor_reaches_its_neighbours(name):
    assert not [line for line in doubts(preset=name, fidelity="physical") if "reach" in line]


def test_beams_without_a_width_are_not_refined():
    (line,) = doubts(pattern=GRID, beam={"refine": True})
    assert line == "sensor roof: beam.refine has no effect, as its beams have no width"
    assert not doubts(pattern=GRID, beam={"refine": True, "divergence_deg": 0.1})


def test_steps_are_those_of_the_grid():
    pattern = scan_pattern(Sensor.model_validate({"pattern": GRID}))
    along_rad, between_rad = neighbour_steps_rad(pattern)
    # chord of a step of 1° at the row farthest from the horizon
    chord = 2 * math.cos(math.radians(2.0)) * math.sin(math.radians(0.5))
    assert along_rad == pytest.approx(2 * math.asin(chord / 2), rel=1e-6)
    assert between_rad == pytest.approx(math.radians(1.1), rel=1e-6)


@pytest.mark.parametrize(
    ("beam", "reaches"),
    [
        ({"divergence_deg": 1.09}, False),
        ({"divergence_deg": 1.11}, True),
        ({"divergence_deg": [3, 0.5]}, False),  # in one direction beams of real sensors do
        ({"divergence_deg": [0.5, 3]}, False),
        ({"divergence_deg": 1.8, "width": "e2"}, False),  # 1.06° at half of the maximum
        ({"divergence_deg": 1.9, "width": "e2"}, True),
        ({"divergence_deg": 1.11, "width": "e2", "profile": "rectangle"}, True),
    ],
)
def test_a_beam_that_reaches_its_neighbours_in_both_directions_is_doubted(beam, reaches):
    lines = doubts(pattern=GRID, beam=beam)
    assert len(lines) == reaches
    assert all(line.startswith("sensor roof: beams ") for line in lines)


def test_a_single_row_has_neighbours_in_one_direction_only():
    assert len(doubts(pattern=ROW, beam={"divergence_deg": [1.1, 0.1]})) == 1
    assert not doubts(pattern=ROW, beam={"divergence_deg": [0.9, 5]})


def test_physical_without_a_known_beam_is_doubted_unless_it_is_left_out():
    (line,) = doubts(preset="Pandar128", fidelity="physical")
    assert line == "sensor roof: fidelity physical, but no beam is known: its beams are lines"
    assert len(doubts(pattern=GRID, fidelity="physical")) == 1
    assert not doubts(preset="Pandar128", fidelity="physical", beam=None)
    assert not doubts(preset="Pandar128", fidelity="physical", beam={"divergence_deg": 0.1})
    assert not doubts(preset="Pandar128")


def test_the_command_shows_doubts_and_goes_on(tmp_path):
    file = tmp_path / "config.yaml"
    file.write_text("sensors: [{preset: OS2-128, fidelity: physical, name: roof}]")
    result = run("check", "--config", file)
    assert result.exit_code == 0
    assert "Warnings" in result.output
    assert "no beam is known" in " ".join(result.output.split())
