# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Make the street scenario: meshes, material mapping, configuration and OSI trace.

    python make_street.py [FOLDER]        (default: the folder of this script)

The files are always the same, byte for byte. The script needs only numpy and osi-python.
"""

import sys
from pathlib import Path

from maker.materials import COLOURS, MATERIALS
from maker.obj import write_lines, write_obj
from maker.people import pedestrian
from maker.signs import SIGNS
from maker.town import street
from maker.traffic import TRACE_NAME, trace_bytes
from maker.vehicles import CAR, VAN, vehicle

CONFIG = """\
# yaml-language-server: $schema=../../docs/configuration.schema.json
# A street with two cars, a parked van and a pedestrian, seen by a lidar on the first car's roof.
version: 1
sensors:
  - name: roof
    preset: OS1-128
    columns: 1024
    mounting: {x_m: 1.0, y_m: 0.0, z_m: 1.9}      # from the middle of the rear axle
scene:
  search: [.]                                     # car.obj and the others that the trace names
  environment: [{mesh: street.obj, up: z}]
  objects:
    - {match: {model_reference: "*.obj"}, up: z, forward: x, origin: ground}
materials: {mapping: materials.yaml, default: lambertian_50}
"""


def main(folder: Path) -> None:
    """Write all files of the scenario into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    models = {
        "street": street(),
        "car": vehicle(CAR, "Paint_Red"),
        "van": vehicle(VAN, "Paint_Silver"),
        "pedestrian": pedestrian(),
        **{name: sign.model() for name, sign in SIGNS.items()},
    }
    for name, model in models.items():
        write_obj(model, folder / f"{name}.obj", COLOURS)
    write_lines(folder / "config.yaml", CONFIG.splitlines())
    table = [f"  {name}: {infrared}" for name, (_, infrared) in MATERIALS.items()]
    head = ["# visual material of the meshes: infrared material (osi-lidar materials lists them)"]
    write_lines(folder / "materials.yaml", [*head, "materials:", *table])
    (folder / TRACE_NAME).write_bytes(trace_bytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent)
