# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Formulas as text, such as ``20 * sin(2 * pi * t)``, evaluated by numpy.

A formula is written as in Python, but nothing of Python can be reached from it. Of its syntax tree,
only these parts are accepted:

- numbers, `CONSTANTS`, and the names of the variables;
- ``+ - * / // % **`` and brackets;
- comparisons, also in chains, and ``and``, ``or``, ``not``: 1 if true, 0 if not;
- calls of `FUNCTIONS`. Angles are in radians.

All values are float64. Impossible ones, such as ``sqrt(-1)`` and ``1 / 0``, become NaN or infinite.
"""

from __future__ import annotations

import ast
import functools
import math
import warnings
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lidar_base.errors import FormulaError
from lidar_base.near_match import near_match

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from numpy.typing import ArrayLike, NDArray

    Array: TypeAlias = NDArray[np.float64]
    Part: TypeAlias = Callable[[Mapping[str, Array]], Array]


def _where(condition: Array, one: Array, other: Array) -> Array:
    return np.where(condition != 0.0, one, other)


CONSTANTS = {"pi": math.pi}
FUNCTIONS: dict[str, tuple[int, Callable[..., Array]]] = {
    "sin": (1, np.sin),
    "cos": (1, np.cos),
    "tan": (1, np.tan),
    "asin": (1, np.arcsin),
    "acos": (1, np.arccos),
    "atan": (1, np.arctan),
    "atan2": (2, np.arctan2),
    "radians": (1, np.radians),
    "degrees": (1, np.degrees),
    "sqrt": (1, np.sqrt),
    "exp": (1, np.exp),
    "log": (1, np.log),
    "abs": (1, np.abs),
    "sign": (1, np.sign),
    "floor": (1, np.floor),
    "ceil": (1, np.ceil),
    "mod": (2, np.mod),
    "hypot": (2, np.hypot),
    "min": (2, np.minimum),
    "max": (2, np.maximum),
    "where": (3, _where),
}
"""Functions by name, with their number of arguments. ``log`` is the natural logarithm, and
``where(condition, one, other)`` is one where the condition is true."""
MOST_CHARACTERS = 1000
DEEPEST = 100
"""A formula whose parts are nested deeper is refused."""

_OPERATORS: dict[type[ast.AST], Callable[..., Array]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.FloorDiv: np.floor_divide,
    ast.Mod: np.mod,
    ast.Pow: np.power,
    ast.UAdd: np.positive,
    ast.USub: np.negative,
    ast.Not: np.logical_not,
    ast.And: np.logical_and,
    ast.Or: np.logical_or,
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
    ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
}
_ALLOWED = "numbers, names, + - * / // % **, comparisons and functions"


class Formula:
    """A formula of some variables; call it with their values to evaluate it.

    The values are keyword arguments, numbers or arrays: ``Formula("2 * t", ["t"])(t=times_s)``.
    The result is float64, in the common shape of the arguments.

    Parameters
    ----------
    text : str
        The formula.
    variables : collection of str
        Names of the variables that it may contain.

    Attributes
    ----------
    text : str
        The formula, in one line.
    used : frozenset of str
        The variables that it contains.

    Raises
    ------
    FormulaError
        The text is not a valid formula of these variables. The message names the column.
    """

    def __init__(self, text: str, variables: Collection[str]) -> None:
        self.text = "".join(" " if each.isspace() else each for each in text).strip()
        reader = _Reader(self.text, variables)
        self._value = reader.read(_parsed(self.text), 1)
        self.used = frozenset(reader.used)

    def __call__(self, **variables: ArrayLike) -> Array:
        """Return the values of the formula, float64 in the common shape of the variables."""
        arrays = np.broadcast_arrays(*(np.asarray(each, np.float64) for each in variables.values()))
        with np.errstate(all="ignore"):
            value = self._value(dict(zip(variables, arrays, strict=True)))
        return np.array(np.broadcast_to(value, arrays[0].shape), np.float64)


def _parsed(text: str) -> ast.expr:
    if not text:
        raise FormulaError(text, 0, "is empty, expected a formula")
    if len(text) > MOST_CHARACTERS:
        raise FormulaError(text, MOST_CHARACTERS, f"too long, expected {MOST_CHARACTERS} at most")
    foreign = next((at for at, each in enumerate(text) if not " " <= each <= "~"), None)
    if foreign is not None:
        raise FormulaError(text, foreign, f"got {text[foreign]!a}, expected ASCII characters only")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about spellings that later versions of Python refuse
            return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        at = min((error.offset or len(text)) - 1, len(text) - 1)
        raise FormulaError(text, at, f"is not a formula: {error.msg}") from None
    except (MemoryError, RecursionError):
        raise FormulaError(text, 0, "is nested too deeply") from None
    except ValueError as error:  # a number with thousands of digits
        raise FormulaError(text, 0, str(error)) from None


class _Reader:
    """Turns the nodes of a syntax tree into functions of the variables."""

    def __init__(self, text: str, variables: Collection[str]) -> None:
        self._text, self._variables = text, variables
        self.used: set[str] = set()

    def read(self, node: ast.expr, depth: int) -> Part:
        """Return the value of a node as a function of the variables."""
        if depth > DEEPEST:
            raise self._error(node, f"is nested more than {DEEPEST} levels deep")
        if isinstance(node, ast.Constant):
            return self._number(node)
        if isinstance(node, ast.Name):
            return self._variable(node)
        if isinstance(node, ast.Compare):
            return self._comparison(node, depth)
        function, arguments = self._operation(node)
        parts = [self.read(each, depth + 1) for each in arguments]
        return lambda values: _float(function(*(part(values) for part in parts)))

    def _number(self, node: ast.Constant) -> Part:
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            raise self._error(node, f"{node.value!r:.20} is not a number")
        try:
            number = np.float64(node.value)
        except OverflowError:
            number = np.float64(math.inf)
        if not np.isfinite(number):
            raise self._error(node, "the number is too large")
        return lambda _: number

    def _variable(self, node: ast.Name) -> Part:
        name = node.id
        if name in self._variables:
            self.used.add(name)
            return lambda values: values[name]
        if name in CONSTANTS:
            constant = np.float64(CONSTANTS[name])
            return lambda _: constant
        known = [*self._variables, *CONSTANTS]
        if name in FUNCTIONS:
            raise self._error(node, f"{name} is a function, expected {name}(..)")
        hint = near_match(name, [*known, *FUNCTIONS])
        raise self._error(node, f"unknown name {name!r:.30}{hint} (known: {', '.join(known)})")

    def _comparison(self, node: ast.Compare, depth: int) -> Part:
        """Return whether all comparisons of a chain such as ``0 < t < 1`` hold."""
        compare = [self._operator(node, each) for each in node.ops]
        parts = [self.read(each, depth + 1) for each in (node.left, *node.comparators)]

        def value(values: Mapping[str, Array]) -> Array:
            terms = [part(values) for part in parts]
            pairs = zip(compare, terms[:-1], terms[1:], strict=True)
            holds: Array = np.float64(1.0)
            for is_so, left, right in pairs:
                holds = _float(np.logical_and(holds, is_so(left, right)))
            return holds

        return value

    def _operation(self, node: ast.expr) -> tuple[Callable[..., Array], list[ast.expr]]:
        """Return a function and the nodes of its arguments."""
        if isinstance(node, ast.BinOp):
            return self._operator(node, node.op), [node.left, node.right]
        if isinstance(node, ast.UnaryOp):
            return self._operator(node, node.op), [node.operand]
        if isinstance(node, ast.BoolOp):
            both = self._operator(node, node.op)
            return lambda *values: functools.reduce(both, values), node.values
        if isinstance(node, ast.Call):
            return self._function(node), node.args
        raise self._error(node, f"not allowed in a formula, expected {_ALLOWED}")

    def _operator(self, node: ast.expr, operator: ast.AST) -> Callable[..., Array]:
        if isinstance(operator, ast.BitXor):
            raise self._error(node, "^ is not a power, expected **")
        if type(operator) not in _OPERATORS:
            raise self._error(node, f"not allowed in a formula, expected {_ALLOWED}")
        return _OPERATORS[type(operator)]

    def _function(self, node: ast.Call) -> Callable[..., Array]:
        if not isinstance(node.func, ast.Name):
            raise self._error(node, "not the name of a function")
        name = node.func.id
        if name not in FUNCTIONS:
            hint = near_match(name, FUNCTIONS)
            known = ", ".join(FUNCTIONS)
            raise self._error(node, f"unknown function {name!r:.30}{hint} (known: {known})")
        n_arguments, function = FUNCTIONS[name]
        if node.keywords:
            raise self._error(node, f"{name} got an argument with a name, expected none")
        if len(node.args) != n_arguments:
            got = len(node.args)
            raise self._error(node, f"{name} got {got} argument(s), expected {n_arguments}")
        return function

    def _error(self, node: ast.expr, problem: str) -> FormulaError:
        return FormulaError(self._text, node.col_offset, problem)


def _float(value: Array) -> Array:
    """Return an array as float64, with 1 for True and 0 for False."""
    return np.asarray(value, np.float64)
