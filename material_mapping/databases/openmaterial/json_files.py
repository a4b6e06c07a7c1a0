# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""JSON files of ASAM OpenMATERIAL 3D: reading, checks with line numbers, paths to other files.

All four kinds of file (.xoma, .xomm, .xomp, .xompt) are JSON texts with a table ``metadata``.
Source: ASAM OpenMATERIAL 3D 1.1.0, section 1 "Structure and file formats" and its JSON schemas,
https://github.com/asam-ev/OpenMATERIAL-3D.
"""

from __future__ import annotations

import json
import math
import re
import reprlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lidar_base.errors import BoundError
from lidar_base.files.json_files import check_json
from material_mapping.errors import DatabaseError
from material_mapping.files import read_database_file

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_FILE_BYTES = 64 * 2**20
NEWEST_VERSION = (1, 1)
"""Version of the standard that this reader was written for; files of 1.0 are read as well."""

_SHORT = reprlib.Repr()
_SHORT.maxstring = 120  # enough for a path, but not for an embedded picture
_BLANKS = re.compile(r"[ \t\n\r]*")
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:]')
_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")  # pairs of them are one character
_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})(?:\.\d{1,6})?")
_DECODER = json.JSONDecoder(parse_int=float)  # int() limits the number of digits


def shown(value: object) -> str:
    """Return the text of a value for an error message, shortened if it is long."""
    return _SHORT.repr(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """Origin and licence of a file; fields missing from the file are empty.

    Attributes
    ----------
    name, description : str
        For display; materials are identified by the name of their file instead.
    licence, copyrights, authors, sources : str
        Lists are joined by ``; ``.
    version : str
        Version of the standard that the file says it follows.
    """

    name: str = ""
    description: str = ""
    licence: str = ""
    copyrights: str = ""
    authors: str = ""
    sources: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class JsonFile:
    """A JSON file whose top level is a table (an object), with methods that read values by key.

    Most methods take the keys that lead to a value, from the top down. They raise DatabaseError,
    which names file, line and key, if the value is not of the kind that the method is named after.

    Attributes
    ----------
    path : Path
        The file.
    text : str
        Its text.
    content : dict of str to object
        Its decoded content.
    asked : set of tuple of str
        Paths of keys that were read so far, and the keys above them; each read adds to it.
    """

    path: Path
    text: str = field(repr=False)
    content: dict[str, Any] = field(repr=False)
    asked: set[tuple[str, ...]] = field(default_factory=set, repr=False, compare=False)

    def error(self, problem: str, *keys: str | int) -> DatabaseError:
        """Return, without raising it, an error about the value at ``keys`` that names its line.

        ``problem`` is the text of the error. ``keys`` are keys of tables and indices of lists, from
        0, that lead to the value.
        """
        return DatabaseError(self.path, problem, line_of(self.text, keys))

    def get(self, *keys: str) -> Any:  # noqa: ANN401  whatever the file holds
        """Return the value at the path ``keys``; None if a key of the path is missing or null.

        Raise DatabaseError if a value on the way to it is not a table.
        """
        self.asked.update(keys[: depth + 1] for depth in range(len(keys)))
        value: Any = self.content
        for depth, key in enumerate(keys):
            if not isinstance(value, dict):
                raise self._unexpected(value, "a table of keys", *keys[:depth])
            value = value.get(key)
            if value is None:
                return None
        return value

    def table(self, *keys: str) -> dict[str, Any]:
        """Return the table (JSON object) at the path ``keys``; raise DatabaseError without one."""
        value = self._required("a table of keys", *keys)
        if not isinstance(value, dict):
            raise self._unexpected(value, "a table of keys", *keys)
        return value

    def rows(self, *keys: str, required: bool = True) -> list[Any]:
        """Return the list at the path ``keys``, or raise DatabaseError if there is no list.

        If it is missing and not ``required``, the result is an empty list.
        """
        value = self._required("a list", *keys) if required else self.get(*keys)
        if value is not None and not isinstance(value, list):
            raise self._unexpected(value, "a list", *keys)
        return value or []

    def word(self, *keys: str) -> str:
        """Return the string at the path ``keys``; an empty string if it is missing.

        Each run of white space in it becomes one blank. Raise DatabaseError for any other value.
        """
        value = self.get(*keys)
        if value is not None and not isinstance(value, str):
            raise self._unexpected(value, "a text", *keys)
        return " ".join(value.split()) if value else ""

    def words(self, *keys: str) -> list[str]:
        """Return the list of strings at the path ``keys``; a missing value gives an empty list.

        A single string gives a list of one. Raise DatabaseError for any other value.
        """
        value = self.get(*keys)
        items = value if isinstance(value, list) else [] if value is None else [value]
        for item in items:
            if not isinstance(item, str):
                raise self._unexpected(item, "a text, or a list of texts", *keys)
        return items

    def texts(self, *keys: str, width: int, meaning: str) -> list[list[str]]:
        """Return the list of rows at the path ``keys``; a missing value gives an empty list.

        Raise DatabaseError if a row is not a list of ``width`` strings. The error says by
        ``meaning`` what a row should be.
        """
        rows = self.rows(*keys, required=False)
        for index, row in enumerate(rows):
            texts = isinstance(row, list) and all(isinstance(item, str) for item in row)
            if not texts or len(row) != width:
                raise self._unexpected(row, meaning, *keys, index)
        return rows

    def number(self, *keys: str) -> float:
        """Return the finite number, 0 or more, at the path ``keys``, or raise DatabaseError."""
        value = self._required("a number", *keys)
        if type(value) is not float or not (math.isfinite(value) and value >= 0.0):
            raise self._unexpected(value, "a number of 0 or more", *keys)
        return value

    def metadata(self) -> Metadata:
        """Return the contents of the required table ``metadata``."""
        self.table("metadata")
        return Metadata(
            name=self.word("metadata", "name"),
            description=self.word("metadata", "description"),
            licence=self.word("metadata", "license"),
            copyrights="; ".join(self.words("metadata", "copyrights")),
            authors="; ".join(self.words("metadata", "authors")),
            sources=self.word("metadata", "sources"),
            version=self.word("metadata", "openMaterial3dVersion"),
        )

    def version_remarks(self) -> list[str]:
        """Return one remark if the file's standard is newer, or its version invalid; else none."""
        text = self.word("metadata", "openMaterial3dVersion")
        found = _VERSION.fullmatch(text)
        if found and (int(found[1]), int(found[2])) <= NEWEST_VERSION:
            return []
        known = ".".join(map(str, NEWEST_VERSION))
        if found:
            problem = f"follows OpenMATERIAL 3D {text}, newer than {known}; read as {known}"
        elif text:
            problem = f"got version {shown(text)}, expected one such as {known}.0; read as {known}"
        else:
            return []
        return [str(self.error(problem, "metadata", "openMaterial3dVersion"))]

    def follow(self, uri: str, roots: Iterable[Path], suffix: str, *keys: str | int) -> Path:
        """Return the file that a path in this file leads to.

        Parameters
        ----------
        uri : str
            Path as written; backslashes count as slashes. A relative path is tried as written,
            relative to this file, and then as a file of the same name in this file's folder:
            mapping tables are distributed with ``./materials/x.xomp`` in them and all files in one
            folder.
        roots : iterable of Path
            Folders that the path may lead into, with links resolved. Any other path, even an
            absolute one, is rejected without access to the file.
        suffix : str
            Required end of the name, such as ``.xomp``.
        keys : str or int
            Place of the path in this file.

        Raises
        ------
        DatabaseError
            The file does not exist, has another suffix, or is outside the roots.
        """
        expected = f"got {shown(uri)}, expected the path of a {suffix} file"
        if not uri.lower().endswith(suffix):
            raise self.error(expected, *keys)
        written = Path(uri.replace("\\", "/"))
        places = [written] if written.is_absolute() else [written, Path(written.name)]
        try:
            allowed = [root.resolve() for root in roots]
            for place in places:
                file = (self.path.parent / place).resolve()
                if not any(file.is_relative_to(root) for root in allowed):
                    problem = f"{shown(uri)} leaves the folders that may be read; it is not opened"
                    raise self.error(problem, *keys)
                if file.is_file():
                    return file
        except (OSError, ValueError, RuntimeError):  # not a valid path, or a circle of links
            raise self.error(expected, *keys) from None
        raise self.error(f"no such file: {shown(uri)}", *keys)

    def _required(self, expected: str, *keys: str) -> Any:  # noqa: ANN401
        value = self.get(*keys)
        if value is None:
            problem = f"{'.'.join(keys)} is missing, expected {expected}"
            raise self.error(problem, *keys[:-1])
        return value

    def _unexpected(self, value: object, expected: str, *keys: str | int) -> DatabaseError:
        name = ".".join(map(str, keys)) or "the file"
        return self.error(f"{name}: got {shown(value)}, expected {expected}", *keys)


def read_json(path: Path) -> JsonFile:
    """Return the JSON file ``path``, with a table at its top; all numbers in it become floats.

    Raises
    ------
    DatabaseError
        The file cannot be read, is larger than 64 MiB, is not JSON in UTF-8 (with the line), is
        nested too deeply, has no table at its top, or gives a key twice in one table.
    """
    raw = read_database_file(path, MAX_FILE_BYTES)
    try:
        text = raw.decode("utf-8-sig")
        check_json(text)
        content = json.loads(
            text, parse_int=float, parse_constant=lambda _: math.inf, object_pairs_hook=_table
        )
        if _HALF_CHARACTER.search(text):
            json.dumps(content, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as error:
        raise DatabaseError(path, f"not JSON: {error.msg}", error.lineno) from None
    except UnicodeError:
        raise DatabaseError(path, "not a text file (UTF-8), expected JSON") from None
    except BoundError as error:
        raise DatabaseError(path, str(error)) from None
    except RecursionError:
        raise DatabaseError(path, "nested too deeply, expected JSON of OpenMATERIAL 3D") from None
    except ValueError as error:
        raise DatabaseError(path, str(error), _line_of_second_key(text)) from None
    if not isinstance(content, dict):
        raise DatabaseError(path, f"got {shown(content)}, expected a table of keys", 1)
    return JsonFile(path, text, content)


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name in counts if counts[name] > 1)
        raise ValueError(f"key {shown(twice)} is given twice in one table")
    return table


def _line_of_second_key(text: str) -> int:
    """Return the line, from 1, of the first key that a table of a JSON text repeats."""
    tables: list[set[str]] = []
    word = None
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in ("{", "["):
            tables.append(set())
        elif sign in ("}", "]"):
            tables.pop()
        elif sign != ":":
            word = token
        elif word is not None:
            key = json.loads(word[0])
            if key in tables[-1]:
                return text.count("\n", 0, word.start()) + 1
            tables[-1].add(key)
    raise AssertionError(text)  # called for a text without a second key


def line_of(text: str, keys: Iterable[str | int]) -> int:
    """Return the line, from 1, on which a value of a JSON text begins.

    Parameters
    ----------
    text : str
        Valid JSON.
    keys : iterable of str or int
        Path to the value: keys of tables, indices of lists. If the value is missing, the line
        of the last table or list on the path is returned.
    """
    place = _after_blanks(text, 0)
    for key in keys:
        child = _child(text, place, key)
        if child is None:
            break
        place = child
    return text.count("\n", 0, place) + 1


def _child(text: str, opening: int, key: str | int) -> int | None:
    """Return where a value of the table or list at `opening` begins in the text, or None."""
    if text[opening] not in "{[":
        return None
    place, index = _after_blanks(text, opening + 1), 0
    while text[place] not in "}]":
        name: str | int = index
        if text[opening] == "{":
            name, place = _DECODER.raw_decode(text, place)
            place = _after_blanks(text, _after_blanks(text, place) + 1)
        if name == key:
            return place
        _, place = _DECODER.raw_decode(text, place)
        place, index = _after_blanks(text, place), index + 1
        if text[place] == ",":
            place = _after_blanks(text, place + 1)
    return None


def _after_blanks(text: str, place: int) -> int:
    found = _BLANKS.match(text, place)
    return found.end() if found else place
