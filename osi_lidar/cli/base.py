# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Parts that all commands share: options, exit codes, and one-line messages for user errors."""

from __future__ import annotations

import functools
import json
import logging
import signal
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.console import Console

from lidar_base.near_match import near_match
from osi_lidar.errors import InputError, OsiLidarError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from osi_lidar.config import Config
    from osi_lidar.config.fidelity import Fidelity

EXIT_MISSING, EXIT_UNUSABLE, EXIT_DAMAGED, EXIT_INTERRUPTED = 1, 2, 3, 130
_SAME_S = 0.5

out = Console(emoji=False)  # a file may be called a:x:b
err = Console(stderr=True, soft_wrap=True, emoji=False)

Command = TypeVar("Command", bound="Callable[..., Any]")
TraceArgument = Annotated[Path, typer.Argument(help="OSI trace: .osi .mcap .txth, also .gz .xz")]
ConfigOption = Annotated[
    Path | None, typer.Option("--config", "-c", help="Configuration (YAML), see docs.")
]
OutOption = Annotated[Path | None, typer.Option("--out", "-o", help="Output folder.")]
OverwriteOption = Annotated[
    bool, typer.Option("--overwrite", help="Replace an earlier run in the output folder.")
]
HostOption = Annotated[int | None, typer.Option(help="OSI id of the host vehicle.")]
TypeOption = Annotated[str | None, typer.Option("--type", help="SensorView or GroundTruth.")]
SensorOption = Annotated[
    str | None, typer.Option(help="Name of a sensor that replaces those of the configuration.")
]
FidelityOption = Annotated[
    str | None,
    typer.Option(
        help="ideal: beams are lines, detection is sharp; physical: divergence, echoes, noise and "
        "false alarms of the sensor. Replaces that of all sensors."
    ),
]
StrictOption = Annotated[
    bool,
    typer.Option(
        "--strict", help="A visual material that no rule maps is an error, and gets no default."
    ),
]
MapOption = Annotated[
    Path | None,
    typer.Option("--map", metavar="FILE", help="OpenDRIVE map (.xodr), drawn as the road."),
]
CalibrationOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="The maker's file of this unit.")
]
ColumnsOption = Annotated[
    int | None, typer.Option(min=1, help="Columns per turn, where the sensor offers a choice.")
]
MetadataOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="What packets need beside them: Ouster metadata (JSON), Hesai angle correction (CSV).",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


class LogLines(logging.Handler):
    """A log handler that shows each message as one line, above the progress bar if any."""

    def emit(self, record: logging.LogRecord) -> None:
        """Show a record; a closed stderr is ignored."""
        with suppress(OSError, SystemExit):  # rich exits where a pipe is closed
            if record.levelno <= logging.INFO:
                say(record.getMessage(), style="dim")
            else:
                say(f"{record.levelname.lower()}: {record.getMessage()}", style="yellow")


def plain_errors(command: Command) -> Command:
    """Wrap a command so that user errors end it with one line and an exit code."""

    @functools.wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> None:  # noqa: ANN401
        from material_mapping import MaterialError  # imported here to keep --help fast
        from osi_bridge import DamagedTrace, OsiError
        from raycore.errors import RayCoreError

        try:
            command(*args, **kwargs)
        except DamagedTrace as error:
            fail(str(error), EXIT_DAMAGED)
        except (OsiLidarError, OsiError, RayCoreError, MaterialError) as error:
            fail(str(error), EXIT_UNUSABLE)
        except KeyboardInterrupt:
            fail("interrupted", EXIT_INTERRUPTED)

    return wrapped  # type: ignore[return-value]


def say(message: str, style: str = "red") -> None:
    """Show one line on stderr."""
    line = f"osi-lidar: {' '.join(message.split())}"
    err.print(line, style=style, markup=False, highlight=False)


def fail(message: str, code: int) -> None:
    """End the command with one line."""
    say(message)
    raise typer.Exit(code)


def print_json(content: object) -> None:
    """Print JSON to stdout, without markup or line wrapping."""
    sys.stdout.write(json.dumps(content, indent=2) + "\n")


def checked_fidelity(text: str | None) -> Fidelity | None:
    """Return the value of --fidelity, or raise InputError with those that are allowed."""
    from osi_lidar.config.fidelity import FIDELITIES

    found = next((each for each in FIDELITIES if each == text), None)
    if text is not None and found is None:
        hint = near_match(text, FIDELITIES)
        raise InputError(f"--fidelity: got {text!r}, expected {' or '.join(FIDELITIES)}{hint}")
    return found


def configuration(
    config: Path | None,
    sensor: str | None,
    fidelity: str | None = None,
    *,
    strict: bool = False,
    map_file: Path | None = None,
) -> Config:
    """Return the configuration that the options ask for."""
    from osi_lidar.config import default_config, load_config
    from osi_lidar.config.models import DEFAULT_SENSOR

    wanted = checked_fidelity(fidelity)
    if config is not None:
        chosen = load_config(config, sensor=sensor, fidelity=wanted)
    else:
        chosen = default_config(sensor or DEFAULT_SENSOR, fidelity=wanted or "ideal")
    if map_file is not None:
        chosen = chosen.with_map(existing_map(map_file))
    return chosen.with_default_material(None) if strict else chosen


def existing_map(path: Path) -> Path:
    """Return the file of --map, or raise InputError if it is none."""
    if not path.is_file():
        what = "is not a file" if path.exists() else "no such file"
        raise InputError(f"--map: {what}: '{path}'")
    return path


@contextmanager
def on_signal(name: str, act: Callable[[], object]) -> Iterator[None]:
    """Call ``act`` on each signal of this name, on systems that have it."""
    number = getattr(signal, name, None)
    if number is None:
        yield
        return
    before = signal.signal(number, lambda *_: act())
    try:
        yield
    finally:
        signal.signal(number, before)


@contextmanager
def on_interrupt(act: Callable[[], object]) -> Iterator[None]:
    """Call ``act`` on the first Ctrl-C (or SIGTERM, SIGHUP); a second Ctrl-C interrupts at once.

    Signals less than half a second apart count as one: some tools signal a process and its group.
    """
    noted_s: list[float] = []

    def note(number: int, _frame: object) -> None:
        now_s = time.monotonic()
        if not noted_s:
            noted_s.append(now_s)
            act()
        elif number == signal.SIGINT and now_s - noted_s[-1] > _SAME_S:
            noted_s.append(now_s)
            raise KeyboardInterrupt

    names = ("SIGINT", "SIGTERM", "SIGHUP")  # not every system has all
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.signal(number, note) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
