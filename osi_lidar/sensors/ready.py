# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Sensors that are known by name and described by keys of the configuration.

Not every sensor is a set of lasers that turn. The others are files in ``presets/ready/``: what one
would write in ``sensors[]``, and where each figure was read::

    sensor: {pattern: {kind: risley, ..}, max_range_m: 260}
    sources: {pattern: where it was read, max_range_m: where this was}
"""

import re
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict

_FOLDER = Path(__file__).parent / "data" / "ready"


class ReadySensor(BaseModel):
    """A sensor as the configuration describes it.

    Attributes
    ----------
    sensor : dict
        Keys of an entry of ``sensors``; the user's own take their place.
    sources : dict
        Where each figure was read, by its key.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    maker: str
    description: str
    sensor: dict[str, Any]
    sources: dict[str, str]


def plain(name: str) -> str:
    """Return a name as it is compared: case, blanks, hyphens and underscores do not matter."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def ready_names() -> list[str]:
    """Return the names of all ready sensors, in order."""
    return sorted(file.stem for file in _FOLDER.glob("*.yaml"))


def ready_sensor(name: str) -> ReadySensor | None:
    """Return the ready sensor of a name, None if there is none."""
    found = [each for each in ready_names() if plain(each) == plain(name)]
    if not found:
        return None
    text = (_FOLDER / f"{found[0]}.yaml").read_text(encoding="utf-8")
    return ReadySensor.model_validate(yaml.safe_load(text))


def ready_table() -> str:
    """Return a Markdown table of all ready sensors, as it stands in docs/sensors.md."""
    rows = [
        f"| `{each.name}` | {each.maker} | {each.description} |\n"
        for each in filter(None, map(ready_sensor, ready_names()))
    ]
    return "| Sensor | Maker | What it is |\n|---|---|---|\n" + "".join(rows)
