# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A table as Markdown and as HTML, and the tables in pages of docs/.

The command line draws tables in `lidar_app.show.terminal`.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

Row: TypeAlias = "Sequence[object]"

_CELL = "text-align:left;vertical-align:top"
"""Style of a cell; notebooks align numbers to the right, and most of our cells are words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of cells, which are shown as ``str`` writes them.

    Attributes
    ----------
    title : str
        What the table shows.
    headings : tuple of str
        Headings of the columns, with units; an empty tuple: a table without a header.
    parts : tuple of (str, tuple of row)
        Parts of the table: the title of each, which may be empty, and its rows.
    right : container of int
        Columns that are aligned to the right.
    is_narrow : bool
        Whether a column aligned to the right folds its heading to the width of its cells.
    n_whole : int
        Number of columns, from the first on, whose cells are never wrapped.
    """

    title: str = ""
    headings: tuple[str, ...] = ()
    parts: tuple[tuple[str, tuple[Row, ...]], ...]
    right: Container[int] = ()
    is_narrow: bool = False
    n_whole: int = 0

    @property
    def rows(self) -> list[Row]:
        """The rows of all parts."""
        return [row for _, part in self.parts for row in part]

    def html(self) -> str:
        """Return the table as HTML below its title, as a fragment; every text is escaped."""
        head = _html_row("th", self.headings) if self.headings else ""
        body = "".join(_html_row("td", row) for row in self.rows)
        return f"<p>{escape(self.title)}</p>" + (f"<table>{head}{body}</table>" if body else "")

    def markdown(self, *, plain: bool = False) -> Iterator[str]:
        """Yield the lines of the table as Markdown, without the title.

        Parameters
        ----------
        plain : bool
            Whether cells and titles of parts are plain text, such as names from files; otherwise
            they are Markdown.
        """
        columns = range(len(self.headings))
        if plain:
            yield from self._of_plain_text().markdown()
            return
        yield _markdown_row(self.headings)
        yield _markdown_row(["---:" if each in self.right else "---" for each in columns])
        for title, rows in self.parts:
            if title:
                yield _markdown_row([f"**{title}**", *("" for _ in columns[1:])])
            yield from map(_markdown_row, rows)

    def _of_plain_text(self) -> Table:
        parts = (
            (markdown_text(title), tuple(tuple(map(markdown_text, row)) for row in rows))
            for title, rows in self.parts
        )
        headings = tuple(map(markdown_text, self.headings))
        return replace(self, headings=headings, parts=tuple(parts))


_MARKUP = str.maketrans(
    {each: f"&#{ord(each)};" for each in "|`[]\\*~"} | {"<": "&lt;", ">": "&gt;"}
)
_OUTER_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
"""An underscore beside anything but letters and digits; within a word it is no markup."""


def markdown_text(value: object) -> str:
    """Return a text escaped for Markdown: it shows as plain text in one line, also in a table.

    `value` is any object, whose ``str`` is taken.
    """
    text = " ".join(str(value).replace("&", "&amp;").split())
    return _OUTER_UNDERSCORE.sub("&#95;", text.translate(_MARKUP))


def table(
    title: str,
    headings: Sequence[str],
    rows: Iterable[Row],
    *,
    right: Container[int] = (),
    n_whole: int = 0,
) -> Table:
    """Return a table of one part, without a title of the part.

    Parameters
    ----------
    title : str
        What the table shows.
    headings : sequence of str
        Headings of the columns, with units; empty: a table without a header.
    rows : iterable of sequence
        The rows: a cell of any type for each column, shown as ``str`` writes it.
    right : container of int
        Indices of the columns that are aligned to the right.
    n_whole : int
        Number of columns, from the first on, whose cells are never wrapped.
    """
    parts = (("", tuple(rows)),)
    return Table(title=title, headings=tuple(headings), parts=parts, right=right, n_whole=n_whole)


def of_records(
    title: str, records: Iterable[Mapping[str, object]], *, right: Container[int] = ()
) -> Table:
    """Return a table of records, a row for each.

    Parameters
    ----------
    title : str
        What the table shows.
    records : iterable of mapping
        Mappings from headings to cells, all with the same headings in the same order.
    right : container of int
        Indices of the columns that are aligned to the right.
    """
    rows = list(records)
    headings = tuple(rows[0]) if rows else ()
    return table(title, headings, [tuple(row.values()) for row in rows], right=right)


def facts(title: str, values: Mapping[str, object]) -> Table:
    """Return a table of two columns without a header: names and values.

    `title` says what the table shows. `values` has the value of each row by its name.
    """
    return table(title, (), values.items())


def _html_row(tag: str, cells: Iterable[object]) -> str:
    """Return a row of HTML; ``tag`` is the tag of its cells, "td" or "th"."""
    inner = "".join(f'<{tag} style="{_CELL}">{escape(str(cell))}</{tag}>' for cell in cells)
    return f"<tr>{inner}</tr>"


def _markdown_row(cells: Iterable[object]) -> str:
    return f"| {' | '.join(str(cell).replace('|', '&#124;') for cell in cells)} |"


class GeneratedPart(NamedTuple):
    """A part of a page in docs/ that is generated from the code; two marks enclose it.

    Attributes
    ----------
    begin, end : str
        The marks, which stay in the page.
    text : callable
        Returns the text between the marks.
    """

    begin: str
    end: str
    text: Callable[[], str]

    def renewed(self, page: str) -> str:
        """Return the text of a page with the part between the marks generated anew.

        `page` is the text of the page; the marks stay in it.

        Raises
        ------
        ValueError
            The page lacks the marks.
        """
        before, begin, rest = page.partition(self.begin)
        _, end, after = rest.partition(self.end)
        if not (begin and end):
            raise ValueError(f"page without the marks {self.begin!r} and {self.end!r}")
        return f"{before}{begin}\n\n{self.text()}\n\n{end}{after}"


def renew(*parts: GeneratedPart) -> None:
    """Generate parts of pages anew, and write the pages.

    The pages are the files in ``sys.argv``, and each has to contain the marks of all `parts`.
    """
    for path in map(Path, sys.argv[1:]):
        page = path.read_text(encoding="utf-8")
        for part in parts:
            page = part.renewed(page)
        path.write_text(page, encoding="utf-8")
