# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Known sensors that are described by keys of the configuration.

These are sensors without lasers on a rotating head. Each is a file in ``data/ready/`` with the
content of an entry of ``sensors[]`` and the source of each figure::

    sensor: {pattern: {kind: risley, ..}, max_range_m: 260}
    physical: {beam: {divergence_deg: [0.03, 0.28]}}
    sources: {pattern: where it was read, max_range_m: where this was, beam: ..}
"""

import re
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict

_FOLDER = Path(__file__).parent / "data" / "ready"


class ReadySensor(BaseModel):
    """A known sensor described by keys of the configuration, the content of one of its files.

    Attributes
    ----------
    name, maker, description : str
        Name of the sensor, name of its maker, and what it is, in words.
    sensor : dict
        Keys of an entry of ``sensors``; keys that the user gives override them.
    physical : dict
        Sections and keys that ``fidelity: physical`` adds, as ``SensorPreset.physical`` has them.
    sources : dict
        Source of each figure, by key.
    unknown : dict
        Reason for each figure that is left out or assumed, by its key in the configuration.
    notes : tuple of str
        Further remarks for users, on the device or on its model.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    name: str
    maker: str
    description: str
    sensor: dict[str, Any]
    physical: dict[str, dict[str, Any]] = {}
    sources: dict[str, str]
    unknown: dict[str, str] = {}
    notes: tuple[str, ...] = ()


def plain(name: str) -> str:
    """Return a sensor's name as it is compared: in lower case, only letters a to z and digits."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def ready_names() -> list[str]:
    """Return the names of all sensors that have a `ReadySensor`, in alphabetical order."""
    return sorted(file.stem for file in _FOLDER.glob("*.yaml"))


def ready_sensor(name: str) -> ReadySensor | None:
    """Return the `ReadySensor` of a name, as `plain` compares names; None if there is none."""
    found = [each for each in ready_names() if plain(each) == plain(name)]
    if not found:
        return None
    text = (_FOLDER / f"{found[0]}.yaml").read_text(encoding="utf-8")
    return ReadySensor.model_validate(yaml.safe_load(text))
