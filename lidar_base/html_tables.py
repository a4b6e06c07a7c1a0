# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables in HTML, as notebooks show them."""

from collections.abc import Iterable, Sequence
from html import escape

_CELL = "text-align:left;vertical-align:top"
"""Style of a cell; notebooks align numbers to the right, and most of our cells are words."""


def html_table(title: str, rows: Iterable[Sequence[object]], *, header: Sequence[str] = ()) -> str:
    """Return a table below a title, or the title alone without rows; every text is escaped.

    Parameters
    ----------
    title : str
        Text above the table.
    rows : iterable of sequence
        Cells, which are written as ``str`` writes them.
    header : sequence of str
        Names of the columns; none: without a header.

    Returns
    -------
    str
        HTML, without a document around it.
    """
    head = _row("th", header) if header else ""
    body = "".join(_row("td", row) for row in rows)
    table = f"<table>{head}{body}</table>" if body else ""
    return f"<p>{escape(title)}</p>{table}"


def _row(tag: str, cells: Iterable[object]) -> str:
    """Return a row; ``tag`` is that of its cells."""
    inner = "".join(f'<{tag} style="{_CELL}">{escape(str(cell))}</{tag}>' for cell in cells)
    return f"<tr>{inner}</tr>"
