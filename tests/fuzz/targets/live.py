# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What comes in while the model runs: commands of the control port, parameters of an FMU."""

import json

from fmu_src.errors import FmuError
from fmu_src.parameters import configuration
from fmu_src.sensor import OsmpLidar
from fmu_src.variables import PARAMETERS
from osi_lidar import LidarModel
from osi_lidar.live.changes import Changes
from tests.builders.messages import frames, host, moving
from tests.builders.worlds import SENSOR, config
from tests.fuzz.target import Refused, Target

START = {each.name: each.default for each in PARAMETERS}
PATTERNS = {
    "raster": {
        "kind": "raster",
        "azimuth_deg": [-20, 20],
        "elevation_deg": [-4, 1],
        "columns": 12,
        "rows": 4,
    },
    "lissajous": {
        "kind": "lissajous",
        "azimuth_span_deg": 60,
        "elevation_span_deg": 40,
        "azimuth_hz": 170,
        "elevation_hz": 130,
        "pulse_hz": 4000,
    },
    "formula": {
        "kind": "formula",
        "azimuth_deg": "w * sin(2 * pi * f * t)",
        "elevation_deg": "10 * cos(t)",
        "parameters": {"w": 30, "f": 40},
        "pulse_hz": 4000,
    },
    "pairs": {"kind": "pairs", "azimuth_elevation_deg": [[0, 0], [1, 2]]},
}


def _commands(_):
    return {
        name: {
            "command.json": json.dumps(
                {"sensor": "front", "pattern": each, "motion_blur": True}
            ).encode()
        }
        for name, each in PATTERNS.items()
    }


def _control(folder):
    """Follow a command, as the port does once a line is JSON, and scan with what it changed."""
    try:
        asked = json.loads((folder / "command.json").read_bytes())
    except (ValueError, RecursionError):
        raise Refused from None
    model = LidarModel(config())
    json.dumps(Changes(model, None).apply(asked))
    found = frames([[host()]] * 2)
    return [scan.cloud.points for each in found for scan in model.step(each).scans]


def _parameters(_):
    return {
        "preset": {
            "values.json": json.dumps({**START, "preset": "VLP-16", "columns": 900}).encode()
        },
        "packed": {"values.json": json.dumps(START).encode(), "packed.yaml": SENSOR.encode()},
    }


def _set(folder):
    """Set parameters as a master does, with values of their own types, and do a step."""
    try:
        given = json.loads((folder / "values.json").read_bytes())
    except (ValueError, RecursionError):
        raise Refused from None
    if not isinstance(given, dict):
        raise Refused
    kinds = {each.name: type(each.default) for each in PARAMETERS}
    values = {k: v for k, v in given.items() if k in kinds and type(v) is kinds[k]}
    values = {k: v for k, v in values.items() if not k.endswith("_folder")}  # it writes there
    packed = folder / "packed.yaml"
    try:
        configuration({**START, **values}, START, packed if packed.exists() else None)
        sensor = OsmpLidar(
            instance_name="lidar",
            packed=packed if packed.exists() else None,
            start={},
            log=lambda *_: None,
        )
        for name, value in values.items():
            sensor.set(name, value)
        sensor.initialize()
        sensor.put("OSMPSensorViewIn", moving(1)[0])
        sensor.step(0.0, 0.1)
        sensor.close()
    except FmuError as error:
        if "\n" in str(error):
            raise
        raise Refused from None


TARGETS = [
    Target(name="control", seeds=_commands, call=_control),
    Target(name="fmu-parameters", seeds=_parameters, call=_set, changed=("*.json",)),
]
