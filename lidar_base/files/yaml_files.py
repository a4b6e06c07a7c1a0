# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading of YAML files, stricter than YAML 1.1: keys are unique texts, and 1:30 is an error."""

import re
from collections.abc import Hashable
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

import yaml
from yaml.constructor import SafeConstructor

try:
    from yaml import CSafeLoader as _FastLoader
except ImportError:  # a PyYAML without libyaml
    from yaml import SafeLoader as _FastLoader  # type: ignore[assignment]

from lidar_base.errors import SmallFileError, YamlFileError
from lidar_base.files.bounds import MOST_DEPTH, MOST_YAML_VALUES
from lidar_base.files.small_files import read_small_file

MAX_FILE_BYTES = 8 * 2**20  # a point cloud given by mistake must not fill the memory
MAX_REPEATED = 1_000_000  # values that aliases may stand for: a few lines of them can mean billions
_NOT_YAML = (ValueError, RecursionError, yaml.YAMLError)
MAX_INTEGER_BITS = 1023  # larger ones become no float, and from some size on no text either


class _Rules(SafeConstructor):
    """Refuses repeated keys, and numbers that cannot be used."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002
        """Construct one mapping; see the base class."""
        seen: set[object] = set()
        for key_node, _ in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(
                    None,
                    None,
                    "got a list or keys and values as a key, expected a text",
                    key_node.start_mark,
                )
            names: set[object] = {key_node.value}
            if key_node.tag not in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"):
                with suppress(yaml.constructor.ConstructorError):  # then it stays a text
                    names.add(self.construct_object(key_node))  # 905 and 905.0 are one key
            if names & seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"key '{key_node.value}' is given twice", key_node.start_mark
                )
            seen |= names
        self.flatten_mapping(node)
        return {key.value: self.construct_object(value, deep=deep) for key, value in node.value}

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        """Construct one whole number; see the base class."""
        _check_decimal(node)
        number: int = super().construct_yaml_int(node)
        if number.bit_length() > MAX_INTEGER_BITS:
            raise yaml.constructor.ConstructorError(
                None, None, "the number is too large", node.start_mark
            )
        return number

    def construct_yaml_float(self, node: yaml.ScalarNode) -> float:
        """Construct one number; see the base class."""
        _check_decimal(node)
        number: float = super().construct_yaml_float(node)
        return number

    yaml_constructors: ClassVar = {
        **SafeConstructor.yaml_constructors,
        "tag:yaml.org,2002:int": construct_yaml_int,
        "tag:yaml.org,2002:float": construct_yaml_float,
    }


def _check_decimal(node: yaml.ScalarNode) -> None:
    """Refuse numbers that YAML 1.1 reads as minutes (1:30 is 90) or as octal (010 is 8)."""
    if ":" in node.value or re.fullmatch(r"[-+]?0[0-9_]+", node.value):
        problem = f"got {node.value}, expected a decimal number, or a text in quotes"
        raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)


class _Loader(_Rules, yaml.SafeLoader):
    """Loader of foreign files."""


class _OwnLoader(_Rules, _FastLoader):
    """Loader of own files: ten times as fast, but deep nesting of brackets ends the process."""


for _loader in (_Loader, _OwnLoader):
    _loader.add_implicit_resolver(  # YAML 1.1 takes 1e3 for a text, people do not
        "tag:yaml.org,2002:float",
        re.compile(r"^[-+]?[0-9][0-9_]*(\.[0-9_]*)?[eE][-+]?[0-9]+$"),
        list("-+0123456789"),
    )


def read_yaml(file: Path, *, own: bool = False) -> dict[str, Any]:
    """Return the mapping that a YAML file holds.

    Parameters
    ----------
    file : Path
        The file.
    own : bool
        Whether the file is part of this package; other files may be malicious.

    Raises
    ------
    YamlFileError
        One line, with line and column where the syntax is wrong.
    """
    try:
        content = read_small_file(file, MAX_FILE_BYTES)
        data = _load(content.decode("utf-8-sig"), _OwnLoader if own else _Loader)
    except SmallFileError as error:
        raise YamlFileError(file, f": {error}") from None
    except _NOT_YAML as error:
        raise YamlFileError(file, _reason(error)) from None
    if data is None:
        raise YamlFileError(file, ": the file is empty")
    if not isinstance(data, dict):
        kind = "a list" if isinstance(data, list) else f"{str(data)[:40]!r}"
        raise YamlFileError(file, f": expected keys and values, got {kind}")
    return data


def read_yaml_text(text: str, name: str) -> Any:  # noqa: ANN401  whatever it means
    """Return the value of a YAML text.

    Parameters
    ----------
    text : str
        The text.
    name : str
        Name of the text in messages, in place of a file's path.

    Raises
    ------
    YamlFileError
        One line, with line and column where the syntax is wrong.
    """
    try:
        return _load(text)
    except _NOT_YAML as error:
        raise YamlFileError(name, _reason(error)) from None


def _load(text: str, make: type[_Loader | _OwnLoader] = _Loader) -> Any:  # noqa: ANN401
    """Return the value of a YAML text, of any type, or raise YAMLError."""
    if make is _Loader:
        _check_size(text)
    loader: _Loader | _OwnLoader = make(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        if make is _Loader:
            _n_values(node, {})
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _check_size(text: str) -> None:
    """Check depth and number of values by events alone, which costs little; raise YAMLError."""
    depth = n_values = 0
    problem = ""
    with suppress(yaml.YAMLError):  # the loader reports it
        for event in yaml.parse(text, Loader=_FastLoader):
            n_values += isinstance(event, yaml.NodeEvent)
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > MOST_DEPTH or n_values > MOST_YAML_VALUES:
                problem = f"more than {MOST_YAML_VALUES} values"
                problem = (
                    f"over {MOST_DEPTH} lists and tables deep" if depth > MOST_DEPTH else problem
                )
                line = getattr(event.start_mark, "line", 0)
                column = getattr(event.start_mark, "column", 0)
                break
    if problem:
        mark = yaml.Mark("", 0, line, column, None, 0)
        raise yaml.constructor.ConstructorError(None, None, problem, mark)


def _n_values(node: yaml.Node, counted: dict[int, int]) -> int:
    """Return the number of values of a node, with aliases expanded, or raise YAMLError.

    Parameters
    ----------
    node : Node
    counted : dict of int to int
        Numbers of values of the nodes before it, by identity; 0 for the nodes that contain it.
    """
    if id(node) in counted:
        if not counted[id(node)]:
            problem = "an alias refers to a node that contains it"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        return counted[id(node)]
    counted[id(node)] = 0
    inner = [] if isinstance(node, yaml.ScalarNode) else node.value
    parts = chain.from_iterable(each if isinstance(each, tuple) else (each,) for each in inner)
    n_values = 1 + sum(_n_values(part, counted) for part in parts)
    if n_values > len(counted) + MAX_REPEATED:
        problem = f"aliases expand to more than {MAX_REPEATED} values"
        raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
    counted[id(node)] = n_values
    return n_values


def _reason(error: Exception) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        problem = " ".join(str(error.problem).split())
        return f":{mark.line + 1}:{mark.column + 1}: {problem}"
    if isinstance(error, (UnicodeDecodeError, yaml.reader.ReaderError)):
        return ": not a text file (UTF-8)"
    return ": no valid YAML"
