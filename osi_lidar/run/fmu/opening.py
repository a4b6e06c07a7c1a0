# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Unpacking and instantiation of an FMU, of either version of FMI, with FMPy."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from osi_lidar.errors import InputError
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fmpy.model_description import ModelDescription

    OnLog = Callable[[int, str], None]

_OWN = (
    "lidar_base.",
    "lidar_scenery.",
    "material_mapping.",
    "osi_bridge.",
    "osi_lidar.",
    "raycore.",
)


@dataclass(frozen=True, kw_only=True)
class Opened:
    """An FMU that was unpacked and instantiated.

    Attributes
    ----------
    fmi : int
        Major version of FMI.
    description : fmpy.model_description.ModelDescription
        Content of modelDescription.xml.
    slave : fmpy.fmi2.FMU2Slave or fmpy.fmi3.FMU3Slave
        The instance.
    callbacks : object
        Functions that the instance calls; keep this object for as long as the instance lives.
    """

    fmi: int
    description: Any
    slave: Any
    callbacks: object


def opened(path: Path, folder: Path, instance_name: str, on_log: OnLog) -> Opened:
    """Unpack an FMU into a folder, and instantiate it with logging on.

    Parameters
    ----------
    path : Path
        The FMU.
    folder : Path
        An empty folder.
    instance_name : str
        Name of the instance.
    on_log : callable
        Called with the status and the text of every log message.

    Raises
    ------
    InputError
        FMPy is not installed, or the FMU is not one that this machine can run.
    """
    try:
        import fmpy  # noqa: PLC0415  an extra
    except ImportError as error:
        raise InputError("FMPy is not installed: pip install 'osi-lidar[fmu]'") from error
    working = Path.cwd()
    try:
        description = _description(path)
        fmpy.extract(str(path), str(folder))
        fmi = int(description.fmiVersion[0])
        # FMPy takes every 64-bit Linux for linux64; Arm has a folder named as in FMI 3.0
        platforms = (fmpy.platform_tuple, fmpy.platform)[: 2 if fmi == 2 else 1]
        identifier = description.coSimulation.modelIdentifier
        arguments = {
            "guid": description.guid,
            "unzipDirectory": str(folder),
            "modelIdentifier": identifier,
            "instanceName": instance_name,
            "libraryPath": str(_library(path, folder / "binaries", identifier, platforms)),
        }
        slave, callbacks = (_started_2 if fmi == 2 else _started_3)(arguments, on_log)
    except InputError:
        raise
    except Exception as error:
        os.chdir(working)  # FMPy stays in the folder of a library that it cannot load
        raise InputError(f"{path}: is not a usable FMU: {error}") from error
    return Opened(fmi=fmi, description=description, slave=slave, callbacks=callbacks)


def other_maker(path: Path, reason: str) -> str:
    """Return a remark for the error message if another version of osi-lidar built a refused FMU.

    Otherwise return an empty text. An FMU contains code of the osi-lidar that built it, and the
    code imports packages of that version.

    Parameters
    ----------
    path : Path
        The FMU, which FMPy can read.
    reason : str
        Why it was refused.
    """
    tool, _, built = (_description(path).generationTool or "").partition(" ")
    module = reason.partition(" is not installed for ")[0]
    lacks_a_part = module.startswith(_OWN) and find_spec(module.partition(".")[0]) is not None
    if tool != "osi-lidar" or (built == __version__ and not lacks_a_part):
        return ""
    return (
        f"; it was built by osi-lidar {built}, and not by this one, {__version__}: build it again"
    )


def _description(path: Path) -> ModelDescription:
    """Return the content of modelDescription.xml; raise InputError for FMUs of other kinds."""
    import fmpy  # noqa: PLC0415

    description = fmpy.read_model_description(str(path))
    if description.fmiVersion[0] not in "23":
        raise InputError(f"{path}: FMI {description.fmiVersion}, expected 2.0 or 3.0")
    if description.coSimulation is None:
        raise InputError(f"{path}: is an FMU without co-simulation, expected one with it")
    return description


def _library(path: Path, binaries: Path, identifier: str, platforms: Sequence[str]) -> Path:
    """Return the FMU's library for this machine, from the first platform folder that has it."""
    for platform in platforms:
        for file in sorted((binaries / platform).glob(f"{identifier}.*")):
            return file
    found = sorted(each.name for each in binaries.glob("*") if any(each.glob("*")))
    has = f"it has libraries for {', '.join(found)} only" if found else "it has no library at all"
    raise InputError(f"{path}: has no library for {platforms[0]}: {has}")


def _started_2(arguments: dict[str, str], on_log: OnLog) -> tuple[object, object]:
    import fmpy  # noqa: PLC0415
    from fmpy import fmi2  # noqa: PLC0415

    callbacks = fmi2.fmi2CallbackFunctions()
    callbacks.logger = fmi2.fmi2CallbackLoggerTYPE(
        lambda _environment, _instance, status, _category, text: on_log(
            status,
            _decoded(text).replace("%%", "%"),  # it is a printf format
        )
    )
    callbacks.allocateMemory = fmi2.fmi2CallbackAllocateMemoryTYPE(fmpy.calloc)
    callbacks.freeMemory = fmi2.fmi2CallbackFreeMemoryTYPE(fmpy.free)
    slave = fmi2.FMU2Slave(**arguments)
    slave.instantiate(callbacks=callbacks, loggingOn=True)
    return slave, callbacks


def _started_3(arguments: dict[str, str], on_log: OnLog) -> tuple[object, object]:
    from fmpy import fmi3  # noqa: PLC0415

    def log(_environment: object, status: int, _category: bytes, text: bytes) -> None:
        on_log(status, _decoded(text))

    slave = fmi3.FMU3Slave(**arguments)
    slave.instantiate(loggingOn=True, logMessage=log)
    return slave, log


def _decoded(text: bytes | None) -> str:
    return (text or b"").decode("utf-8", "replace")
