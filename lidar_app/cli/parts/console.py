# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Console output of commands: results on stdout, progress and one-line messages on stderr."""

from __future__ import annotations

import importlib.util
import json
import logging
import sys
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from lidar_app.cli.parts.verbosity import VERBOSITY
from lidar_base.files.shown_paths import shown_text
from lidar_base.files.whole_files import replacing
from lidar_base.process.interrupts import on_interrupt
from lidar_gap.pictures import NO_PLOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from rich.progress import Progress
    from rich.text import Text

    from lidar_base.tables import Table

EXIT_MISSING, EXIT_UNUSABLE, EXIT_DAMAGED, EXIT_INTERRUPTED = 1, 2, 3, 130
ERROR = "red"
"""Style of errors, which --quiet still shows."""

out = Console(emoji=False)  # a file may be called a:x:b
err = Console(stderr=True, soft_wrap=True, emoji=False)


def say(message: str, style: str = ERROR) -> None:
    """Show a message as one line on stderr, after "osi-lidar: ".

    Parameters
    ----------
    message : str
        The message; line breaks become spaces.
    style : str
        Style of the rich library, such as "yellow". With --quiet, only the style `ERROR` is shown.
    """
    if VERBOSITY.quiet and style != ERROR:
        return
    words = f"osi-lidar: {' '.join(shown_text(message).split())}"
    err.print(words, style=style, markup=False, highlight=False)


def line(text: str) -> None:
    """Show a text as one line on stdout without wrapping it, also with --quiet.

    Markup of the rich library in `text` is not interpreted.
    """
    out.print(shown_text(text), highlight=False, markup=False, soft_wrap=True)


def display(*what: str | Text | Table, on: Console = out) -> None:
    """Show texts and tables, one below the other, on a console, also with --quiet.

    Parameters
    ----------
    *what : str, Text or Table
        The texts and tables.
    on : rich.console.Console
        The console; by default stdout.
    """
    from lidar_app.show.terminal import renderable

    for each in what:
        on.print(renderable(each), soft_wrap=False)


NO_ROADS = (
    "The trace has no lanes: --map FILE.xodr draws the roads of an OpenDRIVE map, --surroundings "
    "makes up houses and trees beside them."
)


def tell(*what: str | Text | Table) -> None:
    """Show a command's result on stdout; with --quiet, nothing is shown.

    `what` are texts and tables, shown one below the other. A single text is not wrapped.
    """
    if VERBOSITY.quiet:
        return
    match what:
        case (str(text),):
            line(text)
        case _:
            display(*what)


class ToldCode(int):
    """Exit code of a command that has shown its error on stderr, see `fail`.

    If typer itself returns the code 130 after a Ctrl-C, nothing was shown; `main` then does so.
    """


def fail(message: str, code: int) -> None:
    """Show an error on stderr, and end the command with an exit code: this never returns.

    Parameters
    ----------
    message : str
        The error; it is shown in one line.
    code : int
        The exit code.

    Raises
    ------
    typer.Exit
        Always.
    """
    say(message)
    raise typer.Exit(ToldCode(code))


def can_draw() -> bool:
    """Return whether matplotlib is installed; if not, show how to install it."""
    if importlib.util.find_spec("matplotlib") is not None:
        return True
    say(NO_PLOT, style="yellow")
    return False


def progress(unit: str = "frames") -> Progress:
    """Return a progress bar on stderr; it is hidden with --quiet, or if stderr is no terminal.

    `unit` is the plural of what is counted, such as "frames". The bar is a context manager, which
    shows it during a block.
    """
    from lidar_app.show.tables import progress_bar

    return progress_bar(err, unit, shown=err.is_terminal and not VERBOSITY.quiet)


@contextmanager
def stoppable(
    what: str, n: int | None, *, first: str | None = None, unit: str = "frames"
) -> Iterator[Callable[[int], bool]]:
    """Show a progress bar during work that Ctrl-C ends after the current step.

    Parameters
    ----------
    what : str
        Name of the work, shown beside the bar.
    n : int, optional
        Number of steps; None: unknown.
    first : str, optional
        Name that is shown during the first step; default: `what`.
    unit : str
        What a step is, in the plural, such as "frames".

    Yields
    ------
    callable
        To be called with the number of finished steps; returns False after a Ctrl-C.
    """
    interrupted = threading.Event()
    with on_interrupt(interrupted.set), progress(unit) as bar:
        task = bar.add_task(first or what, total=n)

        def done(count: int) -> bool:
            bar.update(task, completed=count, description=what)
            return not interrupted.is_set()

        yield done


def print_json(content: object) -> None:
    """Print a value to stdout as JSON, without markup or line wrapping, also with --quiet.

    `content` consists of dicts with texts as keys, lists, texts, numbers, booleans and None.
    """
    sys.stdout.write(json.dumps(content, indent=2) + "\n")


def offer_schema(schema: Mapping[str, object], file: Path | None) -> None:
    """Print a JSON Schema to stdout, or write it to a file.

    Parameters
    ----------
    schema : mapping of str to object
        The JSON Schema.
    file : Path or None
        The file, which is replaced if it exists; None: stdout.
    """
    text = json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
    if file is None:
        sys.stdout.write(text)
        return
    with replacing(file) as temporary:
        temporary.write_text(text, encoding="utf-8")
    tell(f"Schema: {file}")


class LogLines(logging.Handler):
    """Log handler that shows each message as one line, above a progress bar."""

    def emit(self, record: logging.LogRecord) -> None:
        """Show the message of a log record on stderr; a closed stderr is ignored."""
        with suppress(OSError, SystemExit):  # rich exits if the pipe is closed
            if record.levelno <= logging.INFO:
                say(record.getMessage(), style="dim")
            else:
                say(f"{record.levelname.lower()}: {record.getMessage()}", style="yellow")
