# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What commands say: results on stdout, messages and progress on stderr, errors in one line."""

from __future__ import annotations

import importlib.util
import json
import logging
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from lidar_app.cli.parts.verbosity import LOUDNESS
from osi_lidar.pictures import NO_PLOT

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.progress import Progress

EXIT_MISSING, EXIT_UNUSABLE, EXIT_DAMAGED, EXIT_INTERRUPTED = 1, 2, 3, 130
ERROR = "red"
"""Style of the lines that --quiet leaves."""

out = Console(emoji=False)  # a file may be called a:x:b
err = Console(stderr=True, soft_wrap=True, emoji=False)


def say(message: str, style: str = ERROR) -> None:
    """Show one line on stderr; with --quiet, only errors."""
    if LOUDNESS.quiet and style != ERROR:
        return
    line = f"osi-lidar: {' '.join(message.split())}"
    err.print(line, style=style, markup=False, highlight=False)


def tell(what: RenderableType) -> None:
    """Show what a command has done, unless --quiet is given; texts as they are, in one line."""
    if LOUDNESS.quiet:
        return
    if isinstance(what, str):
        out.print(what, highlight=False, markup=False, soft_wrap=True)
    else:
        out.print(what)


def fail(message: str, code: int) -> None:
    """End the command with one line."""
    say(message)
    raise typer.Exit(code)


def can_draw() -> bool:
    """Tell whether pictures can be drawn; if not, say in one line what they need."""
    if importlib.util.find_spec("matplotlib") is not None:
        return True
    say(NO_PLOT, style="yellow")
    return False


def progress(unit: str = "frames") -> Progress:
    """Return a bar on stderr that disappears at the end; none is shown with --quiet or in pipes."""
    from lidar_app.show.tables import progress_bar

    return progress_bar(err, unit, shown=err.is_terminal and not LOUDNESS.quiet)


def print_json(content: object) -> None:
    """Print JSON to stdout, without markup or line wrapping."""
    sys.stdout.write(json.dumps(content, indent=2) + "\n")


class LogLines(logging.Handler):
    """A log handler that shows each message as one line, above the progress bar if any."""

    def emit(self, record: logging.LogRecord) -> None:
        """Show a record; a closed stderr is ignored."""
        with suppress(OSError, SystemExit):  # rich exits where a pipe is closed
            if record.levelno <= logging.INFO:
                say(record.getMessage(), style="dim")
            else:
                say(f"{record.levelname.lower()}: {record.getMessage()}", style="yellow")
