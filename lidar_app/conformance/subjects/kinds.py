# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Find the kind of a subject from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lidar_app.bundle import names_bundle
from lidar_app.conformance.subjects.children import ChildSubject, answer_by_fmu
from lidar_app.conformance.subjects.endpoint import TcpSubject
from lidar_app.conformance.subjects.offline import CommandSubject, FolderSubject
from lidar_app.conformance.subjects.own_model import answer_by_model
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from lidar_app.conformance.sheet import DataSheet
    from lidar_app.conformance.subjects.subject import BenchSubject

EXPECTED = (
    "an FMU, tcp://HOST:PORT, 'cmd: .. {trace} .. {out}', a folder of answers, "
    "or a configuration of this model (.yaml)"
)
_LAST_PORT = 65535


def open_subject(text: str, sheet: DataSheet) -> BenchSubject:
    """Return the subject (tested model) that a text of the command line names.

    Parameters
    ----------
    text : str
        Path of an FMU, ``tcp://HOST:PORT``, ``cmd:`` and a command line, a folder of answers, or
        the path of a configuration of this model (.yaml).
    sheet : DataSheet
        Data sheet of the subject.

    Raises
    ------
    InputError
        If the text names no subject.
    """
    if text.startswith("cmd:"):
        return CommandSubject(text.removeprefix("cmd:"), sheet.timeout_s)
    if text.startswith("tcp://"):
        return TcpSubject(*_address(text), sheet.timeout_s)
    path = Path(text)
    if path.is_dir():
        return FolderSubject(path)
    if not path.exists():
        raise InputError(f"{text}: no such file or folder, expected {EXPECTED}")
    if path.suffix.lower() == ".fmu":
        return ChildSubject(answer_by_fmu, path, sheet, is_kept=False)
    if path.suffix.lower() in {".yaml", ".yml"}:
        return ChildSubject(answer_by_model, path, sheet)
    if names_bundle(text):
        raise InputError(
            f"{text}: is a bundle, expected a configuration: unzip it, and give the config.yaml in "
            "it"
        )
    raise InputError(f"{text}: got a file of another kind, expected {EXPECTED}")


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.removeprefix("tcp://").rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) <= _LAST_PORT:
        raise InputError(
            f"{text}: got no valid address, expected tcp://HOST:PORT with a port of 1 to "
            f"{_LAST_PORT}"
        )
    return host.strip("[]"), int(port)
