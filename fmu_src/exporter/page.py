# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""documentation/index.html of an FMU: purpose, variables, limits and requirements."""

from __future__ import annotations

import sysconfig
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from fmu_src.exporter.claims import not_modelled, statement
from fmu_src.exporter.description import ABOUT
from fmu_src.exporter.osmp import OSI, OSMP_VERSION
from fmu_src.exporter.reference import range_of
from fmu_src.host_record import python_version
from fmu_src.variables import MESSAGES, OUTPUTS, PARAMETERS
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fmu_src.variables import Value, Variable

_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; color: #1c2733; max-width: 70em; margin: 2em auto;
  padding: 0 1em; }}
h1, h2 {{ line-height: 1.2; }}
table {{ border-collapse: collapse; width: 100%; font-size: 14px; }}
th, td {{ border-bottom: 1px solid #d5dde5; padding: .35em .6em; text-align: left;
  vertical-align: top; }}
code {{ background: #eef2f6; padding: 0 .2em; }}
</style>
</head>
<body>
{body}
</body>
</html>
"""
_FALLBACKS = """\
Boxes stand in for objects whose meshes are missing. A step does not fail for its input: if a
message cannot be used, <code>valid</code> is false, and the log says why."""
_REPORTS = """\
<a href="validation.md">validation.md</a> says what the model was compared with,
<a href="accuracy.md">accuracy.md</a> how exactly it computes, and
<a href="reality.json">reality.json</a> how near single figures are to public recordings."""
_LICENCE = """\
<p>Apache-2.0, see <a href="licenses/license.txt">licenses/license.txt</a>. The same folder has the
licences of others whose work is in the FMU.</p>"""
_THREE_INTEGERS = """\
<p>Each message is three integers, <code>.base.lo</code>, <code>.base.hi</code> and
<code>.size</code>: address and size of the serialised message.</p>"""
_ONE_BINARY = "<p>Each message is one binary variable: the serialised message.</p>"


@dataclass(frozen=True, kw_only=True)
class Subject:
    """Facts about one build, for its documentation.

    Attributes
    ----------
    fmi : int
        Major version of FMI.
    wrapper : str
        Code between the master and Python: "native" or "pythonfmu".
    vendored : bool
        Whether the packages of osi-lidar are in the FMU.
    sensors : str
        Names of the sensors or of their presets, separated by ", ".
    start : mapping of name to value
        Start values that replace the defaults in the table of variables.
    """

    fmi: int
    wrapper: str
    vendored: bool
    sensors: str
    start: Mapping[str, Value]

    @property
    def version(self) -> str:
        """Version of osi-lidar."""
        return __version__

    @property
    def python(self) -> str:
        """Version of Python that the FMU runs with."""
        here = f"{python_version()} on {sysconfig.get_platform()}"
        return here if self.vendored else "3.10 or newer"


def page(subject: Subject) -> str:
    """Return the documentation of an FMU as one HTML page without links to anything on the web.

    ``subject`` has the facts about the build. The page describes the variables, limits and
    requirements of the FMU; it links only to files beside it in the FMU.
    """
    title = f"osi-lidar {subject.version}, FMI {subject.fmi}.0"
    parts = [
        f"<h1>{title}</h1>",
        f"<p>{ABOUT}. OSMP {OSMP_VERSION}, OSI {OSI}. Sensors: {escape(subject.sensors)}.</p>",
        "<h2>Messages</h2>",
        _THREE_INTEGERS if subject.fmi == 2 else _ONE_BINARY,
        _table(("Variable", "Causality", "OSI message", "Meaning"), map(_message, MESSAGES)),
        "<h2>Outputs</h2>",
        _scalars(OUTPUTS, subject.start),
        "<h2>Parameters</h2>",
        "<p>All have defaults. Only those that differ from their defaults are applied.</p>",
        _scalars(PARAMETERS, subject.start),
        "<h2>Limits</h2>",
        _items(_limits()),
        "<h2>Requirements</h2>",
        _items(_requirements(subject)),
        "<h2>Licence</h2>",
        _LICENCE,
    ]
    return _PAGE.format(title=title, body="\n".join(parts))


def _limits() -> tuple[str, ...]:
    """Return the limits of the model; the first three are also in pages of docs/."""
    weather = (
        "Weather (rain, snow, fog, spray, dust, wet roads) is seen by sensors with <code>fidelity: "
        f"physical</code> only. {escape(statement('weather_points'))}"
    )
    compared = escape(f"{statement('compared')} {statement('limits')}")
    left_out = f"The model traces rays against meshes. Not modelled: {escape(not_modelled())}."
    return (left_out, compared, weather, _FALLBACKS, _REPORTS)


def _requirements(subject: Subject) -> tuple[str, ...]:
    python = f"Python {subject.python}."
    if subject.vendored:
        place = "<code>resources/wheels</code>, each with its licence"
        return (python, f"The packages of osi-lidar are in the FMU: {place}.")
    install = f"<code>pip install osi-lidar=={subject.version}</code>"
    return (python, f"The packages of osi-lidar for that Python: {install}.")


def _message(variable: Variable) -> tuple[str, ...]:
    how = f"{variable.causality}, {variable.variability}"
    return _code(variable.name), how, _code(variable.message), escape(variable.description)


def _scalars(variables: Iterable[Variable], start: Mapping[str, Value]) -> str:
    head = ("Variable", "Type", "Range, allowed values", "Unit", "Default", "Meaning")
    return _table(head, (_scalar(each, start) for each in variables))


def _scalar(variable: Variable, start: Mapping[str, Value]) -> tuple[str, ...]:
    value = start.get(variable.name, variable.default)
    shown = str(value).lower() if isinstance(value, bool) else str(value)
    meaning = f"{variable.description} Tunable." if variable.tunable else variable.description
    return (
        _code(variable.name),
        variable.kind,
        escape(range_of(variable).replace("`", "")),
        escape(variable.unit),
        _code(shown) if shown else "empty",
        escape(meaning),
    )


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [_row("th", head), *(_row("td", row) for row in rows)]
    return "\n".join(["<table>", *lines, "</table>"])


def _row(tag: str, cells: tuple[str, ...]) -> str:
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"


def _items(texts: Iterable[str]) -> str:
    return "\n".join(["<ul>", *(f"<li>{text}</li>" for text in texts), "</ul>"])


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"
