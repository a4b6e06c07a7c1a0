# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A subject of this package, its data sheets, and its answers to all scenes."""

import pytest

from lidar_app.conformance.bench import moments_of
from lidar_app.conformance.scenes import SCENES
from lidar_app.conformance.sheet import DataSheet, SheetErrors, SheetMargins
from lidar_app.conformance.subjects.own_model import ModelSubject
from osi_lidar.config import load_config

MOUNTING = "x_m: 1.5, y_m: 0.3, z_m: 1.6, yaw_deg: 5, pitch_deg: 2, roll_deg: 1"
CONFIG = f"sensors: [{{preset: VLP-16, columns: 900, velocity: true, mounting: {{{MOUNTING}}}}}]\n"
SLOTS = [*range(0, 16, 2), *range(1, 16, 2)]
"""The lasers fire one after the other, every second of them above the horizon, 1/60 deg apart."""
SHEET = f"""\
name: VLP-16 of osi-lidar
beams:
  elevation_deg: {list(range(-15, 16, 2))}
  azimuth_step_deg: 0.4
  azimuth_offset_deg: {[round(0.2 - slot / 60, 6) for slot in SLOTS]}
field_of_view: {{elevation_deg: [-15, 15]}}
range_m: [0.5, 100]
mounting: {{{MOUNTING}}}
scan: {{kind: rotating, start_deg: 180, turn: clockwise}}
intensity: {{range_exponent: 0}}
ground: true
targets:
  - {{material: concrete, reflectivity: 0.349, range_m: 70}}
  - {{material: metal, reflectivity: 0.118, range_m: 40}}
not_claimed: [weather]
"""
NONE = {"range_m": 0.0, "share": 0.0, "number": 0.0, "edges": 0.0}
NONE |= {"intensity": 1e-5, "velocity_m_s": 1e-3}
EXACT = {"range_trueness_m": 1e-5, **NONE}
"""What is asked of our model without noise: each range to 10 um, and every beam."""
LESS_EXACT = {
    "turning_host": {"range_trueness_m": 1e-3, "number": 0.001},  # its middle goes along chords
    "host_attitude": {"number": 0.002},  # the range limit takes a beam that meets a far corner,
    "thousand_objects": {"number": 0.003},  # and some under grazing incidence
    "known_targets": {"intensity": 0.005},  # reflectivities of the sheet have three digits
}


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """Return a folder with lidar.yaml and sheet.yaml."""
    folder = tmp_path_factory.mktemp("conformance")
    (folder / "lidar.yaml").write_text(CONFIG)
    (folder / "sheet.yaml").write_text(SHEET)
    return folder


@pytest.fixture(scope="session")
def sheet():
    import yaml

    return DataSheet.model_validate(yaml.safe_load(SHEET))


def exact(sheet, scene):
    """Return a sheet that asks of a scene what a model without noise can do."""
    asked = {**EXACT, **LESS_EXACT.get(scene, {})}
    errors = SheetErrors(range_trueness_m=asked.pop("range_trueness_m"))
    return sheet.model_copy(update={"errors": errors, "margins": SheetMargins(**asked)})


@pytest.fixture(scope="session")
def replied(files, sheet):
    """Return our own answers to every scene that is claimed, by its name."""
    subject = ModelSubject(load_config(files / "lidar.yaml"))
    asked = [each for each in SCENES if all(sheet.claims(need) for need in each.needs)]
    return {
        each.name: subject.ask(each.name, [m.question(sheet) for m in moments_of(each, sheet)])
        for each in asked
    }


class Recorded:
    """A subject that answers as another did, each answer changed by a function."""

    is_live = True

    def __init__(self, replied, change=None):
        self._replied, self._change = replied, change

    def ask(self, scene, _questions):
        answers = list(self._replied[scene])
        return self._change(answers) if self._change else answers

    def close(self):
        pass
