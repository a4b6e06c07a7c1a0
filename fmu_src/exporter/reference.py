# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Generator of the tables in docs/fmu.md, from the table of variables.

``python -m fmu_src.exporter.reference docs/fmu.md`` updates the page.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fmu_src.variables import MESSAGES, OUTPUTS, PARAMETERS, Variable

BEGIN = "<!-- tables: begin (made by python -m fmu_src.exporter.reference) -->"
END = "<!-- tables: end -->"
_MESSAGE_HEAD = "| Variable | Causality | OSI message | Meaning |\n|---|---|---|---|"
_HEAD = (
    "| Variable | Type | Range, allowed values | Unit | Default | Meaning |\n"
    "|---|---|---|---|---|---|"
)
_UNITS = {"deg": "°"}


def tables() -> str:
    """Return the Markdown tables of all variables."""
    messages = [
        f"| `{each.name}` | {each.causality}, {each.variability} | `{each.message}` | "
        f"{each.description} |"
        for each in MESSAGES
    ]
    parts = ["### Messages\n", _MESSAGE_HEAD, *messages, "\n### Outputs\n", _HEAD]
    parts += [_row(each) for each in OUTPUTS]
    parts += ["\n### Parameters\n", _HEAD, *(_row(each) for each in PARAMETERS)]
    return "\n".join(parts)


def with_tables(page: str) -> str:
    """Return a page with the text between the two marks replaced by the tables."""
    before, rest = page.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    return f"{before}{BEGIN}\n\n{tables()}\n\n{END}{after}"


def _row(variable: Variable) -> str:
    default = str(variable.default).lower() if variable.kind == "Boolean" else variable.default
    shown = "empty" if default == "" else f"`{default}`"
    unit = _UNITS.get(variable.unit, variable.unit)
    cells = (f"`{variable.name}`", variable.kind, range_of(variable), unit, shown)
    meaning = f"{variable.description} Tunable." if variable.tunable else variable.description
    return f"| {' | '.join(cells)} | {meaning} |"


def range_of(variable: Variable) -> str:
    """Return the range of a number, the allowed values of a text."""
    low, high = variable.minimum, variable.maximum
    if low is not None and high is not None:
        return f"{low:.10g} to {high:.10g}"
    return f"≥ {low:.10g}" if low is not None else variable.allowed


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        path = Path(argument)
        path.write_text(with_tables(path.read_text(encoding="utf-8")), encoding="utf-8")
