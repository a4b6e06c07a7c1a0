# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A subject of this package, its data sheet, and its answers to all scenes."""

import pytest

from lidar_app.conformance.bench import moments_of
from lidar_app.conformance.scenes import SCENES
from lidar_app.conformance.sheet import DataSheet
from lidar_app.conformance.subjects.own_model import ModelSubject
from osi_lidar.config import load_config

MOUNTING = "x_m: 1.5, y_m: 0.3, z_m: 1.6, yaw_deg: 5, pitch_deg: 2, roll_deg: 1"
CONFIG = f"sensors: [{{preset: VLP-16, columns: 900, mounting: {{{MOUNTING}}}}}]\n"
SHEET = f"""\
name: VLP-16 of osi-lidar
beams: {{elevation_deg: {list(range(-15, 16, 2))}, azimuth_step_deg: 0.4}}
field_of_view: {{elevation_deg: [-15, 15]}}
range_m: [0.5, 100]
mounting: {{{MOUNTING}}}
scan: {{kind: rotating, start_deg: 180, turn: clockwise}}
intensity: {{range_exponent: 0}}
ground: true
targets:
  - {{material: concrete, reflectivity: 0.349, range_m: 70}}
  - {{material: metal, reflectivity: 0.118, range_m: 40}}
not_claimed: [velocity, weather]
"""


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
