# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A list of kernels and argument types as JSON, by which they can be compiled before any run.

{"kernel": "osi_lidar.clouds.cloud_kernels.count_chosen", "runs": ["ideal"],
"arguments": ["boolean[1,C]", {"tuple": ["int64", "int64"]}]}
"""

from __future__ import annotations

import importlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

import numba
import numpy as np
from numba import types
from numba.np.numpy_support import as_dtype

from lidar_base.caches.kernel_digest import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from lidar_base.caches.kernel_digest import Kernel

Text: TypeAlias = "str | dict[str, Any]"  # a type by its name, or a name and what is inside

_ARRAY = re.compile(r"(\w+)\[(\d+),(\w)(,readonly)?\]")


class _Record(TypedDict):
    """A structured dtype: formats and offsets of the fields, and the size [bytes]."""

    formats: dict[str, str]
    places: dict[str, int]
    bytes: int
    aligned: bool


@dataclass(frozen=True, slots=True)
class ListedKernel:
    """A kernel, with the argument types for which runs use it.

    Attributes
    ----------
    name : str
        Module and function.
    arguments : tuple
        Types of the arguments, in the form of `type_text`.
    runs : tuple of str
        The kinds of run that use it, such as "ideal" and "physical".
    """

    name: str
    arguments: tuple[Text, ...]
    runs: tuple[str, ...]

    def kernel(self) -> Kernel:
        """Return numba's dispatcher of the kernel."""
        module, name = self.name.rsplit(".", 1)
        found: Kernel = getattr(importlib.import_module(module), name)
        return found

    def kinds(self, lanes: int) -> tuple[types.Type, ...]:
        """Return numba's types of the arguments.

        `lanes` is the number of rays in a packet, which depends on the processor. An argument that
        is listed as "lanes" is a tuple of as many integers.
        """
        return tuple(_type_of(each, lanes) for each in self.arguments)

    def line(self) -> str:
        """Return the entry as a line of JSON, without a line break."""
        return json.dumps(
            {"kernel": self.name, "runs": list(self.runs), "arguments": list(self.arguments)}
        )


def read_list(file: Path) -> list[ListedKernel]:
    """Return the kernels of a list, in the order of the file.

    `file` is a list in JSON, as `list_text` returns it.
    """
    rows = json.loads(file.read_text(encoding="utf-8"))
    return [
        ListedKernel(row["kernel"], tuple(row["arguments"]), tuple(row["runs"])) for row in rows
    ]


def list_text(kernels: Iterable[ListedKernel]) -> str:
    """Return a list of kernels as JSON, a line for each; `kernels` are its entries in order."""
    return "[\n" + ",\n".join(each.line() for each in kernels) + "\n]\n"


def type_text(kind: Any, lanes: int) -> Text:  # noqa: ANN401  numba has no types
    """Return a numba type of an argument in the form of the list, as a value for JSON.

    Parameters
    ----------
    kind : numba type
        The type.
    lanes : int
        Number of rays in a packet on this processor. A tuple of as many int64 is written as
        "lanes", because its length depends on the processor.

    Raises
    ------
    ValueError
        No text is defined for this type, because no kernel has had such an argument so far.
    """
    if isinstance(kind, KINDS.BaseNamedTuple):
        of = kind.instance_class
        return {f"{of.__module__}.{of.__qualname__}": [type_text(each, lanes) for each in kind]}
    if kind == KINDS.UniTuple(types.int64, lanes):
        return "lanes"
    if isinstance(kind, KINDS.BaseTuple):
        return {"tuple": [type_text(each, lanes) for each in kind]}
    if isinstance(kind, KINDS.Array):
        locked = "" if kind.mutable else ",readonly"
        if isinstance(kind.dtype, KINDS.Record):
            shape = f"[{kind.ndim},{kind.layout}{locked}]"
            return {f"record{shape}": _fields_of(as_dtype(kind.dtype))}
        return f"{kind.dtype}[{kind.ndim},{kind.layout}{locked}]"
    if isinstance(kind, (KINDS.Number, KINDS.Boolean)):
        return str(kind)
    raise ValueError(f"got the numba type {kind!r}, which the list of kernels cannot describe")


def _fields_of(record: np.dtype[np.void]) -> _Record:
    fields = dict(record.fields or {})
    return {
        "formats": {name: str(field[0]) for name, field in fields.items()},
        "places": {name: field[1] for name, field in fields.items()},
        "bytes": record.itemsize,
        "aligned": record.isalignedstruct,
    }


def _kind(of: types.Type) -> types.Type:
    """Return the argument; only tells the type checker that it is a type of numba."""
    return of


def _type_of(text: Text, lanes: int) -> types.Type:
    """Return the type of a text from `type_text`."""
    if text == "lanes":
        return _kind(KINDS.UniTuple(types.int64, lanes))
    if isinstance(text, str):
        found = _ARRAY.fullmatch(text)
        return _array(_scalar(found[1]), found) if found else _scalar(text)
    ((name, inside),) = text.items()
    if found := _ARRAY.fullmatch(name):
        return _array(numba.from_dtype(_record(inside)), found)
    parts = tuple(_type_of(each, lanes) for each in inside)
    if name == "tuple":
        return _kind(KINDS.Tuple(parts))
    module, of = name.rsplit(".", 1)
    of_class = getattr(importlib.import_module(module), of)
    is_uniform = len(parts) > 0 and all(each == parts[0] for each in parts)
    if is_uniform:
        return _kind(KINDS.NamedUniTuple(parts[0], len(parts), of_class))
    return _kind(KINDS.NamedTuple(parts, of_class))


def _scalar(name: str) -> types.Type:
    return _kind(types.boolean if name == "bool" else getattr(types, name))


def _array(of: types.Type, found: re.Match[str]) -> types.Type:
    return _kind(KINDS.Array(of, int(found[2]), found[3], readonly=bool(found[4])))


def _record(content: _Record) -> np.dtype[np.void]:
    parts = {
        "names": list(content["formats"]),
        "formats": list(content["formats"].values()),
        "offsets": list(content["places"].values()),
        "itemsize": content["bytes"],
    }
    return np.dtype(parts, align=content["aligned"])  # type: ignore[call-overload,no-any-return]
