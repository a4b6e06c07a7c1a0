# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Parts that all commands share: options, exit codes, and one-line messages for user errors."""

from __future__ import annotations

import functools
import importlib.util
import inspect
import json
import logging
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.console import Console

from lidar_app.cli.parts.completion import known_sensors, one_of
from lidar_app.cli.parts.verbosity import LOUDNESS, QuietOption, VerboseOption
from lidar_base.near_match import near_match
from osi_lidar.errors import InputError, OsiLidarError
from osi_lidar.pictures import NO_PLOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rich.console import RenderableType
    from rich.progress import Progress

    from osi_lidar.config import Config
    from osi_lidar.config.fidelity import Fidelity

EXIT_MISSING, EXIT_UNUSABLE, EXIT_DAMAGED, EXIT_INTERRUPTED = 1, 2, 3, 130
logger = logging.getLogger(__name__)
ERROR = "red"
"""Style of the lines that --quiet leaves."""

out = Console(emoji=False)  # a file may be called a:x:b
err = Console(stderr=True, soft_wrap=True, emoji=False)

Choice = TypeVar("Choice", bound=str)
Command = TypeVar("Command", bound="Callable[..., Any]")
INPUT, OUTPUT, SENSOR, SCENE, CLUSTER = "Input", "Output", "Sensor", "Scene", "Cluster"
"""Groups of options in the help."""

TraceArgument = Annotated[
    Path, typer.Argument(metavar="TRACE", help="OSI trace: .osi .mcap .txth, also .gz .xz")
]
ConfigArgument = Annotated[Path, typer.Argument(metavar="CONFIG", help="Configuration (YAML).")]
ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        "-c",
        metavar="FILE",
        help="Configuration (YAML), as `osi-lidar init` writes one. Default: one OS1-128.",
        rich_help_panel=INPUT,
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="DIR", help="Output folder.", rich_help_panel=OUTPUT),
]
OverwriteOption = Annotated[
    bool,
    typer.Option(
        "--overwrite",
        help="Replace an earlier run in the output folder.",
        rich_help_panel=OUTPUT,
    ),
]
HostOption = Annotated[
    int | None,
    typer.Option(
        metavar="ID",
        help="OSI id of the host vehicle. Default: the one that the messages state.",
        rich_help_panel=INPUT,
    ),
]
TypeOption = Annotated[
    str | None,
    typer.Option(
        "--type",
        metavar="TYPE",
        help="SensorView or GroundTruth. Default: by the file's name, schema or content.",
        autocompletion=one_of("SensorView", "GroundTruth"),
        rich_help_panel=INPUT,
    ),
]
FramesOption = Annotated[
    str | None,
    typer.Option(
        metavar="START:STOP[:STEP]", help="Frames to read. Default: all.", rich_help_panel=INPUT
    ),
]
SensorOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Known sensor that replaces those of the configuration, with the mounting of the "
        "first of them; `osi-lidar sensors` lists the names. Default: those of the configuration.",
        autocompletion=known_sensors,
        rich_help_panel=SENSOR,
    ),
]
FidelityOption = Annotated[
    str | None,
    typer.Option(
        metavar="ideal|physical",
        help="ideal: beams are lines, detection is sharp; physical: divergence, echoes, noise and "
        "false alarms of the sensor. Replaces that of all sensors. Default: as configured.",
        autocompletion=one_of("ideal", "physical"),
        rich_help_panel=SENSOR,
    ),
]
StrictOption = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="A visual material that no rule maps is an error, and gets no default.",
        rich_help_panel=SCENE,
    ),
]
MapOption = Annotated[
    Path | None,
    typer.Option(
        "--map",
        metavar="FILE",
        help="OpenDRIVE map (.xodr), drawn as the road. Default: the one of the configuration, or "
        "that the trace names.",
        rich_help_panel=SCENE,
    ),
]
CalibrationOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="The maker's file of this unit. Default: the known sensor's angles.",
        rich_help_panel=SENSOR,
    ),
]
ColumnsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Columns per turn, where the sensor offers a choice. Default: the sensor's own.",
        rich_help_panel=SENSOR,
    ),
]
MetadataOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="What packets need beside them: Ouster metadata (JSON), Hesai angle correction "
        "(CSV). Default: none.",
        rich_help_panel=INPUT,
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print JSON, for programs.", rich_help_panel=OUTPUT)
]


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
    """Wrap a command: user errors end it with one line and an exit code; it takes -q and -v."""

    @functools.wraps(command)
    def wrapped(*args: Any, quiet: bool = False, verbose: bool = False, **kwargs: Any) -> None:  # noqa: ANN401
        from material_mapping import MaterialError  # imported here to keep --help fast
        from osi_bridge import DamagedTrace, OsiError
        from raycore.errors import RayCoreError

        LOUDNESS.add(quiet=quiet, verbose=verbose)
        try:
            command(*args, **kwargs)
        except DamagedTrace as error:
            fail(str(error), EXIT_DAMAGED)
        except (OsiLidarError, OsiError, RayCoreError, MaterialError) as error:
            fail(str(error), EXIT_UNUSABLE)
        except KeyboardInterrupt:
            fail("interrupted", EXIT_INTERRUPTED)

    _take(wrapped, command, {"quiet": QuietOption, "verbose": VerboseOption})
    return wrapped  # type: ignore[return-value]


def _take(wrapped: Any, command: Callable[..., Any], switches: dict[str, Any]) -> None:  # noqa: ANN401
    """Let typer see the parameters of a command, and switches after them, as those of another."""
    own = inspect.signature(command, eval_str=True)
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=option)
        for name, option in switches.items()
    ]
    wrapped.__signature__ = own.replace(parameters=[*own.parameters.values(), *added])
    wrapped.__annotations__ = {
        name: parameter.annotation for name, parameter in wrapped.__signature__.parameters.items()
    }


def say(message: str, style: str = ERROR) -> None:
    """Show one line on stderr; with --quiet, only errors."""
    if LOUDNESS.quiet and style != ERROR:
        return
    line = f"osi-lidar: {' '.join(message.split())}"
    err.print(line, style=style, markup=False, highlight=False)


def can_draw() -> bool:
    """Tell whether pictures can be drawn; if not, say in one line what they need."""
    if importlib.util.find_spec("matplotlib") is not None:
        return True
    say(NO_PLOT, style="yellow")
    return False


def fail(message: str, code: int) -> None:
    """End the command with one line."""
    say(message)
    raise typer.Exit(code)


def tell(what: RenderableType) -> None:
    """Show what a command has done, unless --quiet is given; texts as they are, in one line."""
    if LOUDNESS.quiet:
        return
    if isinstance(what, str):
        out.print(what, highlight=False, markup=False, soft_wrap=True)
    else:
        out.print(what)


def progress(unit: str = "frames") -> Progress:
    """Return a bar on stderr that disappears at the end; none is shown with --quiet or in pipes."""
    from lidar_app.show.tables import progress_bar

    return progress_bar(err, unit, shown=err.is_terminal and not LOUDNESS.quiet)


def print_json(content: object) -> None:
    """Print JSON to stdout, without markup or line wrapping."""
    sys.stdout.write(json.dumps(content, indent=2) + "\n")


def checked_fidelity(text: str | None) -> Fidelity | None:
    """Return the value of --fidelity, or raise InputError with those that are allowed."""
    from osi_lidar.config.fidelity import FIDELITIES

    return None if text is None else checked_choice("--fidelity", text, FIDELITIES)


def checked_choice(option: str, got: str, allowed: Iterable[Choice]) -> Choice:
    """Return the value of an option, or raise InputError with those that are allowed."""
    *others, last = allowed
    found = next((each for each in (*others, last) if each == got), None)
    if found is None:
        hint = near_match(got, (*others, last))
        raise InputError(f"{option}: got {got!r}, expected {', '.join(others)} or {last}{hint}")
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
    logger.info("configuration: %s", config or f"none, one {sensor or DEFAULT_SENSOR}")
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


def frame_slice(text: str | None) -> slice:
    """Return START:STOP[:STEP] as a slice of frame numbers.

    Raises
    ------
    InputError
        If the text is not of that form.
    """
    if text is None:
        return slice(None)
    parts = text.split(":")
    try:
        numbers = [int(part) if part.strip() else None for part in parts]
    except ValueError:
        numbers = []
    start, stop, step = (*numbers, None, None, None)[:3]
    usable = len(parts) in (2, 3) and len(numbers) == len(parts)
    empty = stop is not None and stop <= (start or 0)
    if not usable or (start or 0) < 0 or empty or (step is not None and step < 1):
        raise InputError(
            f"--frames: got {text!r}, expected START:STOP or START:STOP:STEP, such as 10:20"
        )
    return slice(start, stop, step)
