# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of lidar_base.

    BaseError
    |-- RecordError    an array of a record has another dtype or shape than its annotation
    |-- YamlFileError  a file, or a text in its place, is not YAML with keys and values
    |-- SmallFileError a small file cannot be read, or is too large
    |-- BoundError     a file states or stands for more than its size allows
    `-- FormulaError   a text is not a formula

The packages above turn the last four into errors of their own, with the same text.

Errors that a user can cause, of the scenery and of the sensor model:

    OsiLidarError
    |-- ConfigurationError   a configuration file, a sensor, a material: exit code 2
    |-- InputError           an input file or a command-line option: exit code 2
    |-- OutputError          an output file or folder: exit code 2
    `-- ClusterError         worker processes that cannot be used: exit code 2

``raycore.errors``, ``osi_bridge.errors`` and ``material_mapping.errors`` have hierarchies of their
own. Every message is one line: what, where, got, expected.
"""

from __future__ import annotations

from tokenize import TokenError
from typing import TYPE_CHECKING
from zipfile import BadZipFile

if TYPE_CHECKING:
    from pathlib import Path

NOT_NUMPY = (
    *(ValueError, EOFError, OSError, MemoryError, SyntaxError, KeyError),
    *(TokenError, BadZipFile),
)
"""Errors of numpy's reader for a file that is damaged, or not numpy's. MemoryError is among them
because a wrong shape can request any amount of memory."""


class OneLineError(Exception):
    """An error whose text is one line, even if it quotes foreign names and values.

    Line breaks become spaces. Other characters that cannot be printed are escaped.
    """

    def __str__(self) -> str:
        text = " ".join(super().__str__().splitlines())
        return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)

    def __reduce__(self) -> tuple[object, ...]:
        """Let pickle rebuild the error without its constructor, whose arguments may differ."""
        return _made_again, (type(self), self.args), self.__dict__


def _made_again(kind: type[OneLineError], args: tuple[object, ...]) -> OneLineError:
    return kind.__new__(kind, *args)


class BaseError(OneLineError):
    """Base class of lidar_base's errors in records, small files, bounds, YAML texts and formulas.

    lidar_base also raises errors of `OsiLidarError`, such as `OutputError`; those are not
    subclasses of it.
    """


class RecordError(BaseError):
    """An array of a record has another dtype or shape than its annotation."""


class YamlFileError(BaseError):
    """A YAML file, or a text in its place, that cannot be read as such.

    Parameters
    ----------
    file : Path or str
        The file, or the name of the text.
    problem : str
        What follows the file's name: line and column where the syntax is wrong, and the problem.
    """

    def __init__(self, file: Path | str, problem: str) -> None:
        super().__init__(f"{file}{problem}")
        self.file = str(file)


class SmallFileError(BaseError):
    """A small file cannot be read, or is too large.

    Parameters
    ----------
    problem : str
        The problem, such as ``no such file``; without the name of the file.
    """


class BoundError(BaseError, ValueError):
    """A number that a file states, or its unpacked content, is larger than the file's size allows.

    Parameters
    ----------
    problem : str
        What, got and expected; without the name of the file.
    """


class FormulaError(BaseError):
    """A text is not a valid formula.

    Parameters
    ----------
    text : str
        The text.
    at : int
        Index of the first wrong character.
    problem : str
        What is wrong there.
    """

    def __init__(self, text: str, at: int, problem: str) -> None:
        super().__init__(f"column {at + 1} of {text!r:.80}: {problem}")


class OsiLidarError(OneLineError):
    """Base class of all errors that a user of the sensor model can cause.

    Examples
    --------
    >>> try:
    ...     osi_lidar.load_config("absent.yaml")
    ... except osi_lidar.OsiLidarError as error:
    ...     print(error)
    absent.yaml: no such file
    """


class ConfigurationError(OsiLidarError):
    """A configuration that cannot be used: file, key path, got, allowed.

    Examples
    --------
    >>> try:
    ...     osi_lidar.load_config("config.yaml", changes={("seed",): -1})
    ... except osi_lidar.ConfigurationError as error:
    ...     print(error)
    config.yaml: seed: must be greater than or equal to 0, got -1
    """


class InputError(OsiLidarError):
    """An input file that cannot be read, or an option that cannot be used.

    Examples
    --------
    >>> try:
    ...     osi_lidar.open_run("absent")
    ... except osi_lidar.InputError as error:
    ...     print(error)
    absent: no such folder, expected the folder of a run that has ended
    """


class OutputError(OsiLidarError):
    """An output file or folder that cannot be written.

    Examples
    --------
    >>> try:
    ...     next(osi_lidar.scan_trace("drive.osi", sensor="VLP-16")).save("cloud.txt")
    ... except osi_lidar.OutputError as error:
    ...     print(error)
    cloud.txt: got the ending '.txt', expected .pcd, .npy or .csv
    """


class ClusterError(OsiLidarError):
    """A cluster of processes that cannot be started or reached, or that was lost."""
