# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Content of a file, as tables for people and as values for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from lidar_app.show.tables import enumeration
from lidar_base.tables import facts, of_records
from osi_lidar.config.reference import UNITS
from osi_lidar.world.fallbacks import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lidar_app.show.info.record import Info
    from lidar_base.tables import Table

_EMPTY: tuple[object, ...] = (None, "", (), [], {})


def info_tables(info: Info) -> Iterator[Table]:
    """Yield the content of a file as tables for people: its facts, then each of its lists.

    `info` is the content. A row of the first table is a fact; a row of another table is a row of
    the list. Facts without a value, and empty lists, are left out.
    """
    known = {_heading(key): _words(each) for key, each in info.facts.items() if each not in _EMPTY}
    yield facts(info.kind, {"File": printable(str(info.path)), **known})
    for title, rows in info.lists.items():
        if rows:
            records = ({_heading(key): _words(each) for key, each in row.items()} for row in rows)
            yield of_records(_heading(title), records)


def info_dict(info: Info) -> dict[str, object]:
    """Return the content of a file, `info`, as one dictionary for JSON.

    Its keys are "file", "kind", and the keys of all facts and lists.
    """
    return {"file": str(info.path), "kind": info.kind, **info.facts, **info.lists}


def _heading(key: str) -> str:
    unit = max((ending for ending in UNITS if key.endswith(ending)), key=len, default="")
    words = key.removesuffix(unit).replace("_", " ").replace("osi", "OSI")
    return f"{words[:1].upper()}{words[1:]}{f', {UNITS[unit]}' if unit else ''}"


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{printable(str(key))} {_words(each)}" for key, each in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return enumeration([_words(each) for each in value])
    return "" if value is None else printable(str(value))
