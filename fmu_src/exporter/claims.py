# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Statements about the model, from ``claims.yaml``, for FMUs, the README and pages of docs/."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lidar_base.files.yaml_files import read_yaml

_FILE = Path(__file__).with_name("claims.yaml")


@cache
def _claims() -> tuple[dict[str, float], dict[str, str], list[dict[str, str]]]:
    """Return the figures, the statements, and the list of effects that are not modelled."""
    read = read_yaml(_FILE, own=True)
    return read["figures"], read["statements"], read["not_modelled"]


def statement(name: str) -> str:
    """Return a statement about the model, such as "reality" on its validation, as text.

    ``name`` is its name in claims.yaml. The figures in it are filled in.
    """
    _, texts, _ = _claims()
    return texts[name].format(**figures())


def statements() -> tuple[str, ...]:
    """Return the names of all statements about the model in claims.yaml, such as "reality".

    `statement` returns the text of one by its name.
    """
    return tuple(_claims()[1])


def figures() -> dict[str, float]:
    """Return the figures in statements about the model by name, such as a count of limits met."""
    return _claims()[0]


def not_modelled() -> str:
    """Return the effects that are not modelled, as one phrase."""
    return ", ".join(row["brief"] for row in _claims()[2] if "brief" in row)


def limitations() -> list[tuple[str, str]]:
    """Return pairs of an effect that is not modelled and its consequence, in Markdown.

    Links in the Markdown are relative to docs/.
    """
    return [(row["what"], row["then"]) for row in _claims()[2]]
