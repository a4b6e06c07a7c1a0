# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Generator of the tables in docs/reference/fmu.md, from the table of variables.

``python -m fmu_src.exporter.reference docs/reference/fmu.md`` updates the page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fmu_src.variables import MESSAGES, OUTPUTS, PARAMETERS, Variable
from lidar_base.tables import GeneratedPart, of_records, renew

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_UNITS = {"deg": "°"}


def tables() -> str:
    """Return the Markdown tables of all variables."""
    messages = (
        {
            "Variable": f"`{each.name}`",
            "Causality": f"{each.causality}, {each.variability}",
            "OSI message": f"`{each.message}`",
            "Meaning": each.description,
        }
        for each in MESSAGES
    )
    parts: dict[str, Iterable[Mapping[str, object]]] = {
        "Messages": messages,
        "Outputs": map(_row, OUTPUTS),
        "Parameters": map(_row, PARAMETERS),
    }
    shown = (
        "\n".join([f"### {title}\n", *of_records("", rows).markdown()])
        for title, rows in parts.items()
    )
    return "\n\n".join(shown)


def _row(variable: Variable) -> dict[str, object]:
    default = str(variable.default).lower() if variable.kind == "Boolean" else variable.default
    return {
        "Variable": f"`{variable.name}`",
        "Type": variable.kind,
        "Range, allowed values": range_of(variable),
        "Unit": _UNITS.get(variable.unit, variable.unit),
        "Default": "empty" if default == "" else f"`{default}`",
        "Meaning": f"{variable.description} Tunable." if variable.tunable else variable.description,
    }


def range_of(variable: Variable) -> str:
    """Return the allowed values of a variable: the range of a number, or the choices of a text."""
    low, high = variable.minimum, variable.maximum
    if low is not None and high is not None:
        return f"{low:.10g} to {high:.10g}"
    return f"≥ {low:.10g}" if low is not None else variable.allowed


TABLES = GeneratedPart(
    "<!-- tables: begin (made by python -m fmu_src.exporter.reference) -->",
    "<!-- tables: end -->",
    tables,
)
"""The generated part of docs/reference/fmu.md."""

if __name__ == "__main__":
    renew(TABLES)
