# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The text of a starter configuration: YAML with the defaults, each key below its meaning."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Mapping
from math import degrees
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import BaseModel

from lidar_app.show.init_file.rules import rules_of
from osi_lidar.config import Materials, Mounting, Output, SceneSection, Sensor, default_config
from osi_lidar.world.fallbacks import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lidar_app.show.init_file.rules import StarterRule
    from osi_bridge import TraceContents

WIDTH = 98
ABOVE_ROOF_M = 0.2
_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
_BARE = re.compile(r"(?!(?:y|n|yes|no|on|off|true|false|null)$)[A-Za-z_][\w.-]*", re.IGNORECASE)
_SHOWN = ("fidelity", "timing", "deskew")


def starter(sensor: str, contents: TraceContents | None, *, schema: str) -> str:
    """Return the text of a starter: a valid configuration with one sensor, and comments.

    Parameters
    ----------
    sensor : str
        Name of a known sensor.
    contents : TraceContents or None
        Content of a trace, whose objects get rules in the starter; None without a trace.
    schema : str
        File name of the JSON schema, which lies beside the configuration.

    Raises
    ------
    ConfigurationError
        If the sensor is not known.
    """
    name = default_config(sensor).sensors[0].name
    lines = [
        f"# yaml-language-server: $schema={schema}",
        *_comment(_headline(contents), 0),
        "version: 1",
        "",
        *_sensor(name, contents),
        "",
        *_scene(contents),
        "",
        "materials:",
        *_keys(Materials),
        "",
        "output:",
        *_keys(Output),
        "",
        "# Seed of all random numbers.",
        "seed: 0",
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _headline(contents: TraceContents | None) -> str:
    if contents is None:
        return (
            "A configuration of osi-lidar to start from. Values are the defaults; remove what you "
            "do not change. osi-lidar check -c FILE tells what it would use."
        )
    name = printable(contents.path.name)
    part = "" if contents.damage is None else f" until its damage ({contents.n_messages} messages)"
    return (
        f"A configuration of osi-lidar to start from, for {name}{part}. Values are the defaults; "
        "remove what you do not change. osi-lidar check TRACE -c FILE tells what it would use."
    )


def _sensor(name: str, contents: TraceContents | None) -> Iterator[str]:
    yield "sensors:"
    yield from _comment(_description(Sensor, "preset"), 2)
    yield f"  - preset: {_scalar(name)}"
    yield from _keys(Sensor, depth=4, only=_SHOWN)
    mounting, where = _mounting(contents)
    yield from _comment(f"Pose in the vehicle frame, here {where}.", 4)
    yield "    mounting:"
    yield from _keys(Mounting, depth=6, values=mounting)
    yield from _comment(
        "More keys, such as columns, rotation_rate_hz, max_range_m and noise, are offered by "
        "editors, and listed in the documentation.",
        4,
    )


def _mounting(contents: TraceContents | None) -> tuple[dict[str, float], str]:
    """Return the keys of a mounting, and a description of its source."""
    given = None if contents is None else contents.mounting
    if given is not None and any((*given.position_m, *given.orientation_rad)):
        keys = ("x_m", "y_m", "z_m", "roll_deg", "pitch_deg", "yaw_deg")
        values = (*given.position_m, *map(degrees, given.orientation_rad))
        pose = {key: round(value, 4) for key, value in zip(keys, values, strict=True)}
        return pose, "as the virtual sensor in the messages has it"
    roof_m = None if contents is None else contents.host_roof_m
    if roof_m is None:
        return {}, "the default"
    x_m, y_m, z_m = (round(value, 2) + 0.0 for value in roof_m)  # no -0.0
    return (
        {"x_m": x_m, "y_m": y_m, "z_m": round(z_m + ABOVE_ROOF_M, 2)},
        f"{ABOVE_ROOF_M:g} m above the middle of the host's roof",
    )


def _scene(contents: TraceContents | None) -> Iterator[str]:
    yield "scene:"
    notes = {}
    if contents is not None:
        named = {"environment": contents.environment_reference, "map": contents.map_reference}
        notes = {
            key: f"The trace names {printable(reference)}."
            for key, reference in named.items()
            if reference
        }
    yield from _keys(SceneSection, only=("search",))
    yield from _keys(SceneSection, only=("environment",), notes=notes)
    yield "  # environment:"
    yield "  #   - {mesh: models/town.glb, up: z}"
    yield from _comment(_description(SceneSection, "objects"), 2)
    rules = [] if contents is None else rules_of(contents.objects, contents.hosts)
    yield "  objects:" if any(rule.seen for rule in rules) else "  objects: []"
    if not rules:
        yield "  #   - {match: {type: VEHICLE, subtype: CAR}, mesh: models/car.glb, fit: true}"
    for rule in rules:
        yield from _rule(rule)
    done = ("search", "environment", "objects")
    rest = [key for key in SceneSection.model_fields if key not in done]
    yield from _keys(SceneSection, only=rest, notes=notes)


def _rule(rule: StarterRule) -> Iterator[str]:
    hidden = "" if rule.seen else "; the host, which its sensors see with host_visible alone"
    yield from _comment(f"{rule.title}{hidden}", 4)
    yield f"    {'' if rule.seen else '# '}- match: {_flow(rule.match)}"
    yield f"    {'  # ' if rule.seen else '#   '}mesh: {_scalar(rule.mesh)}"


def _keys(
    model: type[BaseModel],
    *,
    depth: int = 2,
    only: Iterable[str] | None = None,
    values: Mapping[str, object] | None = None,
    notes: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """Yield the lines of a section: each key with its default, or a value, below its meaning."""
    for key in model.model_fields if only is None else only:
        note = (notes or {}).get(key, "")
        yield from _comment(f"{_description(model, key)} {note}".strip(), depth)
        default = model.model_fields[key].get_default()
        yield f"{depth * ' '}{key}: {_flow((values or {}).get(key, default))}"


def _description(model: type[BaseModel], key: str) -> str:
    return _LINK.sub(r"\1", model.model_fields[key].description or "")


def _comment(text: str, depth: int) -> list[str]:
    begin = f"{depth * ' '}# "
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=begin,
        subsequent_indent=begin,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _flow(value: Any) -> str:  # noqa: ANN401  of any type
    """Return a value as YAML in one line."""
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_flow(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return _scalar(value)


def _scalar(value: object) -> str:
    """Return a scalar as YAML: numbers as in JSON, plain words without quotes."""
    if not isinstance(value, str):
        return json.dumps(value)
    if _BARE.fullmatch(value):
        return value
    text: str = yaml.safe_dump(value, default_style='"', allow_unicode=True, width=float("inf"))
    return text.rstrip("\n")
