# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.table import Table as DrawnTable
from rich.text import Text

from lidar_base.files.shown_paths import shown_text

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from lidar_base.tables import Table

LEAST_LAST_WIDTH = 24
"""Least width that `print_whole` leaves for the last column of a table. [characters]"""


def drawn(table: Table) -> DrawnTable:
    """Return a table in the form that `rich` prints, with a frame; words too long are split.

    `table` is the table with its title. Paths in temporary folders, to which an archive was
    unpacked, are shown as paths in the archive.
    """
    made = DrawnTable(
        title=Text(table.title) if table.title else None,
        title_justify="left",
        show_header=bool(table.headings),
    )
    rows = [[shown_text(str(cell)) for cell in row] for row in table.rows]
    headings = table.headings or [""] * max(map(len, rows), default=0)
    for number, heading in enumerate(headings):
        is_right, width = number in table.right, None
        if is_right:  # numbers are not wrapped
            cells = (row[number] for row in rows if len(row) > number)
            width = max(map(len, [*heading.split(), *cells]), default=None)
        made.add_column(
            Text(heading),
            justify="right" if is_right else "left",
            min_width=width,
            max_width=width if table.is_narrow else None,
            no_wrap=number < table.n_whole,
            overflow="fold",
        )
    for title, part in table.parts:
        made.add_section()
        if title:
            made.add_row(Text(title, style="bold"))
        for row in part:
            made.add_row(*(Text(shown_text(str(cell))) for cell in row))  # brackets are no markup
    return made


def renderable(what: str | Text | Table) -> RenderableType:
    """Return a text or a table, `what`, in the form that `rich` prints.

    A `rich` Text is returned as it is. In a str, brackets are no markup.
    """
    if isinstance(what, str | Text):
        return Text(shown_text(what)) if isinstance(what, str) else what
    return drawn(what)


def print_whole(console: Console, table: Table) -> None:
    """Print a table in which only the cells of the last column are wrapped.

    `console` is the console of `rich` that prints `table`. If the other columns leave the last one
    less than `LEAST_LAST_WIDTH`, the table is wider than the console.
    """
    made = drawn(table)
    *whole, last = made.columns
    last.min_width = LEAST_LAST_WIDTH
    least = LEAST_LAST_WIDTH + 3 * len(made.columns) + 1
    for column in whole:
        least += max(cell_len(str(cell)) for cell in (column.header, *column.cells))
    made.width = least if least > console.width else None
    console.print(made, crop=False)
