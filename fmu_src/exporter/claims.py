# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Statements of ``claims.yaml``, which FMUs, the README and pages of docs/ repeat."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lidar_base.files.yaml_files import read_yaml

_FILE = Path(__file__).with_name("claims.yaml")


@cache
def _claims() -> tuple[dict[str, float], dict[str, str], list[dict[str, str]]]:
    """Return figures, statements and what is not modelled."""
    read = read_yaml(_FILE, own=True)
    return read["figures"], read["statements"], read["not_modelled"]


def statement(name: str) -> str:
    """Return a statement with its figures, by its name."""
    _, texts, _ = _claims()
    return texts[name].format(**figures())


def statements() -> tuple[str, ...]:
    """Return the names of all statements."""
    return tuple(_claims()[1])


def figures() -> dict[str, float]:
    """Return the figures that statements contain, by name."""
    return _claims()[0]


def not_modelled() -> str:
    """Return in one phrase what the model leaves out."""
    return ", ".join(row["brief"] for row in _claims()[2] if "brief" in row)


def limitations() -> list[tuple[str, str]]:
    """Return what is not modelled and what follows, as Markdown with links relative to docs/."""
    return [(row["what"], row["then"]) for row in _claims()[2]]
