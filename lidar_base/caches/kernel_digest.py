# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The digest of a kernel: of its code, and of all code and constants that it uses.

A change of a kernel changes its digest and the digests of the kernels that use it. Other kernels in
the same file keep their digests.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import sys
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
from numba import types

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_CONSTANTS = (
    bool, int, float, complex, str, bytes, np.generic, np.dtype, type(None), types.Type,
)  # fmt: skip
KINDS: Any = types
"""The module ``numba.types``, as Any: it has no type annotations."""
_PACKAGES = frozenset(sys.stdlib_module_names) | {"numpy", "numba", "llvmlite"}
"""Packages whose code is not part of digests: it comes with the Python or numba that compiles."""


class Kernel(Protocol):
    """A kernel: the attributes of numba's dispatcher that are used here.

    Attributes
    ----------
    py_func : function
        The Python function that is compiled.
    targetoptions : dict of str to object
        Options of ``numba.njit``, such as "nogil".
    """

    py_func: FunctionType
    targetoptions: dict[str, object]

    def compile(self, kinds: tuple[types.Type, ...]) -> object:
        """Compile the kernel for arguments of some types, or load it from the cache.

        `kinds` are numba's types of the arguments.
        """


def digest_of(kernel: Kernel) -> str:
    """Return a digest (SHA-256, hexadecimal) of everything that a kernel is compiled from.

    `kernel` is numba's dispatcher. The digest covers its code and options, and all code and
    constants that it uses, except for code of Python, numpy, numba and llvmlite.
    """
    parts = _file_digest("lidar_base.dispatchers.kernel_parts"), *_of_kernel(kernel, set())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def in_words(kinds: Iterable[types.Type]) -> str:
    """Return numba's types of a kernel's arguments, `kinds`, as one text.

    Different types give different texts.
    """
    return ", ".join(map(_type_in_words, kinds))


def _type_in_words(kind: Any) -> str:  # noqa: ANN401  numba has no types
    """Return a type as text; named tuples with their fields, own types with their file's digest."""
    if isinstance(kind, KINDS.BaseNamedTuple):
        of = kind.instance_class
        fields = zip(kind.fields, kind.types, strict=True)
        inside = ", ".join(f"{name}: {_type_in_words(field)}" for name, field in fields)
        return f"{of.__module__}.{of.__qualname__}({inside})"
    if isinstance(kind, KINDS.BaseTuple):
        return f"({in_words(kind)},)"
    own = "" if _is_of_others(type(kind).__module__) else f" {_file_digest(type(kind).__module__)}"
    return f"{kind}{own}"


def _of_kernel(kernel: Kernel, seen: set[int]) -> Iterator[str]:
    """Yield the texts to digest for a kernel and for all that it uses, each kernel once."""
    function = kernel.py_func
    if id(function) in seen:
        return
    seen.add(id(function))
    how = getattr(kernel, "taken_in_as", "whole"), getattr(kernel, "wide", False)
    options = *sorted(kernel.targetoptions.items()), *how
    yield f"{_name(function)} {options!r} {function.__defaults__!r}"
    yield from _of_code(function.__code__)
    names = {name: function.__globals__.get(name) for name in _names(function.__code__)}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        names[name] = cell.cell_contents
    for name in sorted(names):
        yield f"{name}:"
        yield from _of_value(names[name], seen)


def _of_value(value: object, seen: set[int]) -> Iterator[str]:
    """Yield the texts to digest for a value to which a name in a kernel refers."""
    if hasattr(value, "py_func"):
        yield from _of_kernel(cast("Kernel", value), seen)
    elif isinstance(value, _CONSTANTS):
        yield f"{type(value).__name__} {value!r}"
    elif isinstance(value, tuple | list):
        for each in value:
            yield from _of_value(each, seen)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    elif isinstance(value, ModuleType):
        yield value.__name__ if _is_of_others(value.__name__) else _file_digest(value.__name__)
    else:  # a class, a function that numba knows, or an instruction of ours
        of: Any = getattr(value, "_defn", value)
        if not isinstance(of, FunctionType | type):
            of = getattr(of, "__wrapped__", of) if inspect.isroutine(of) else type(of)
        module = of.__module__ or ""
        yield f"{_name(of)} {'' if _is_of_others(module) else _file_digest(module)}"


def _of_code(code: CodeType) -> Iterator[str]:
    """Yield the instructions, names and constants of code, without its line numbers and flags.

    numba overwrites the flags of a kernel that is called while a profiler runs.
    """
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    handlers = getattr(code, "co_exceptiontable", b"").hex()  # from Python 3.11 on
    yield f"{code.co_name} {counts} {names} {code.co_code.hex()} {handlers}"
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _of_code(constant)
        elif isinstance(constant, frozenset):
            yield f"frozenset {sorted(map(repr, constant))}"
        else:
            yield f"{type(constant).__name__} {constant!r}"


def _names(code: CodeType) -> set[str]:
    """Return the names that code and the functions in it look up."""
    inside = (_names(each) for each in code.co_consts if isinstance(each, CodeType))
    return set(code.co_names).union(*inside)


def _name(of: FunctionType | type) -> str:
    return f"{of.__module__}.{of.__qualname__}"


def _is_of_others(module: str) -> bool:
    return module.split(".", 1)[0] in _PACKAGES


@functools.cache
def _file_digest(module: str) -> str:
    file = getattr(sys.modules[module], "__file__", None)
    return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else module
