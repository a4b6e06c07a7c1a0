# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The inventory of what is public, ``tools/inventory.json``, and what has changed since.

Each entry is a public name and what it promises: the arguments of a function, the type and default
of a key or an option, the type of a column. ``tools/inventory.py`` compares the inventory with the
code. ``--write`` renews it, and refuses to lose or to change an entry which no line of
docs/development/compatibility.md states as removed or changed.
"""

from __future__ import annotations

import argparse
import inspect
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer.main import get_command

import osi_lidar
from fmu_src.variables import VARIABLES
from lidar_app.cli.main import app
from lidar_app.cli.parts import console
from lidar_app.truth.tables import BOX_COLUMNS, SCAN_COLUMNS
from osi_bridge.description.fields_read import READ, alternatives
from osi_lidar.clouds.cloud import point_type
from osi_lidar.config.schema import config_schema
from osi_lidar.output import frame_table, motion_export, truth_export

if TYPE_CHECKING:
    from collections.abc import Iterator

Entries = dict[str, str]
ROOT = Path(__file__).resolve().parents[1]
INVENTORY = "tools/inventory.json"
PAGE = "docs/development/compatibility.md"
OUTPUTS = "docs/reference/outputs.md"
FIELDS = "docs/reference/osi-fields.md"
MOST_ARGUMENTS = 6
"""Classes with more arguments are taken for records that only the model makes."""


def names() -> Iterator[tuple[str, str]]:
    """Yield each public name of ``osi_lidar``, and each member of its classes, with arguments."""
    for name in osi_lidar.__all__:
        thing = getattr(osi_lidar, name)
        yield f"osi_lidar.{name}", _arguments(thing) if callable(thing) else type(thing).__name__
        if not inspect.isclass(thing) or issubclass(thing, Exception):
            continue
        members = {*vars(thing), *getattr(thing, "__annotations__", ())}
        for member in sorted(each for each in members if not each.startswith(("_", "model_"))):
            found = getattr(thing, member, None)
            yield f"osi_lidar.{name}.{member}", _arguments(found) if callable(found) else ""


def _arguments(thing: object) -> str:
    """Return the arguments of a function or class: names and defaults, without types."""
    if inspect.isclass(thing) and (hasattr(thing, "model_fields") or issubclass(thing, Exception)):
        return ""  # the keys of the configuration
    parameters = inspect.signature(thing).parameters.values()  # type: ignore[arg-type]
    if inspect.isclass(thing) and len(parameters) > MOST_ARGUMENTS:
        return ""  # a record, which the model makes
    return ", ".join(
        each.name if each.default is each.empty else f"{each.name}={_default(each.default)}"
        for each in parameters
        if each.name not in ("self", "cls")
    )


def _default(value: object) -> str:
    """Return a default as Python writes it; functions are ".."."""
    return ".." if callable(value) else repr(value)


def commands() -> Iterator[tuple[str, str]]:
    """Yield each command, and each of its arguments and options with the default."""

    def below(command: Any, path: str) -> Iterator[tuple[str, str]]:  # noqa: ANN401  of click
        yield path, ""
        for param in command.params:
            label = "/".join(param.opts) if param.opts[0].startswith("-") else param.metavar
            several = ", several" if param.multiple or param.nargs != 1 else ""
            default = "required" if param.required else f"default {param.default!r}"
            yield f"{path} {label}", f"{param.metavar or ''}{several}, {default}".lstrip(", ")
        for name, child in sorted(getattr(command, "commands", {}).items()):
            yield from below(child, f"{path} {name}")

    return below(get_command(app), "osi-lidar")


def keys() -> Iterator[tuple[str, str]]:
    """Yield each key of the configuration, with its type and default."""
    schema = config_schema()
    models = {"": schema, **schema["$defs"]}
    for name, model in models.items():
        for key, field in model.get("properties", {}).items():
            default = "required"
            if "default" in field:
                default = f"default {json.dumps(field['default'])}"
            yield f"{name or 'config'}: {key}", f"{_kind(field)}, {default}"


def _kind(field: dict[str, Any]) -> str:
    """Return the type of a key: a JSON type, the allowed values, or the name of a section."""
    if "$ref" in field:
        return str(field["$ref"].rpartition("/")[2])
    for word in ("enum", "const"):
        if word in field:
            return json.dumps(field[word])
    for word in ("anyOf", "oneOf"):
        if word in field:
            return " | ".join(dict.fromkeys(_kind(each) for each in field[word]))
    return str(field.get("type", "any"))


def columns() -> Iterator[tuple[str, str]]:
    """Yield the columns and fields of the files that a run writes, and the keys of run.json."""
    points = point_type(timed=True)
    for field in points.names or ():
        yield f"cloud: {field}", points[field].name
    for column in frame_table.FRAME_COLUMNS:
        yield f"frames.csv: {column}", ""
    tables = {
        truth_export.FILE_NAME: truth_export.COLUMNS,
        "motion.parquet": motion_export.COLUMNS,
        "boxes.parquet": BOX_COLUMNS,
        "scans.parquet": SCAN_COLUMNS,
    }
    for file, table in tables.items():
        for row in table:
            yield f"{file}: {row if isinstance(row, str) else row[0]}", ""
    for key in _first_column(OUTPUTS, "Keys of run.json"):
        yield f"run.json: {key}", ""


def _first_column(page: str, heading: str) -> list[str]:
    """Return the texts in backquotes in the first column of the tables below a page's heading."""
    section = (
        (ROOT / page).read_text(encoding="utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    )
    cells = re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]


def variables() -> Iterator[tuple[str, str]]:
    """Yield each variable of the FMU with its type, causality and start value."""
    for variable in VARIABLES:
        yield variable.name, f"{variable.kind} {variable.causality}, {variable.default!r}"


def exits() -> Iterator[tuple[str, str]]:
    """Yield the exit codes of the command line."""
    for name, code in vars(console).items():
        if name.startswith("EXIT_"):
            yield name.removeprefix("EXIT_").lower(), str(code)


def inventory() -> dict[str, Entries]:
    """Return the public interface as found in the code, by kind."""
    kinds = {
        "names": names(),
        "commands": commands(),
        "keys": keys(),
        "columns": columns(),
        "FMU variables": variables(),
        "OSI fields read": ((path, "") for row in READ for path in alternatives(row)),
        "OSI fields written": (
            (path, "") for path in _first_column(FIELDS, "Written: `SensorData`")
        ),
        "exit codes": exits(),
    }
    return {kind: dict(sorted(entries)) for kind, entries in kinds.items()}


def lost(kept: dict[str, Entries], found: dict[str, Entries]) -> dict[str, str]:
    """Return the changes of the committed inventory's entries: each is gone, or was changed.

    A key that takes further values, such as the name of a new sensor, has not changed.
    """
    changes = {}
    for kind, entries in kept.items():
        now = found.get(kind, {})
        for name, promise in entries.items():
            if name not in now:
                changes[f"{kind}: {name}"] = "is gone"
            elif kind == "keys" and _key(now[name])[1] == _key(promise)[1]:
                if less := sorted(_key(promise)[0] - _key(now[name])[0]):
                    changes[f"{kind}: {name}"] = f"takes no longer: {', '.join(less)}"
            elif now[name] != promise:
                changes[f"{kind}: {name}"] = f"was ({promise}), is ({now[name]})"
    return changes


def _key(promise: str) -> tuple[set[str], str]:
    """Return what a key takes, and the rest: its default, or that it is required.

    It takes JSON types, allowed values (as JSON), and sections (by name).
    """
    kinds, default = re.split(r", (?=default |required$)", promise)
    values = set()
    for kind in kinds.split(" | "):
        values |= {json.dumps(each) for each in json.loads(kind)} if kind[0] == "[" else {kind}
    return values, default


def unannounced(changes: dict[str, str], page: str) -> list[str]:
    """Return the changes that the page on compatibility does not state, one line for each.

    The page states a change by naming the entry, in backquotes, in the first column of a table.
    """
    stated = set(re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE))
    return [
        f"{name} {change}; state it in {PAGE}"
        for name, change in changes.items()
        if name not in stated
    ]


def text(found: dict[str, Entries]) -> str:
    """Return an inventory as the text of a file."""
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def main(arguments: list[str] | None = None) -> None:
    """Compare the inventory with the code; exit code 1 if they differ."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the current inventory")
    options = parser.parse_args(arguments)
    file, found = ROOT / INVENTORY, inventory()
    kept = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    wrong = unannounced(lost(kept, found), (ROOT / PAGE).read_text(encoding="utf-8"))
    if options.write and not wrong:
        file.write_text(text(found), encoding="utf-8")
    elif not wrong and kept != found:
        wrong = [f"{INVENTORY}: lacks what is new; renew it: tools/inventory.py --write"]
    print("\n".join(wrong) or "Inventory: no problems")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
