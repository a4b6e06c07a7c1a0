# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Formulas as values of the configuration; see `lidar_base.formula` for what they may contain."""

import keyword
from collections.abc import Collection
from typing import Annotated

from pydantic import BeforeValidator, WithJsonSchema

from lidar_base.errors import FormulaError
from lidar_base.formula import CONSTANTS, FUNCTIONS, Formula
from lidar_base.sections import problem_at


def _text(value: object) -> object:
    """Return a number as text, because it is a formula, too."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return repr(value) if is_number else value


_JSON_SCHEMA = {"anyOf": [{"type": "number"}, {"type": "string"}]}
FormulaText = Annotated[str, BeforeValidator(_text), WithJsonSchema(_JSON_SCHEMA)]


def formula_at(key: str, text: str, variables: Collection[str]) -> Formula:
    """Return the formula of a key, or raise an error that points to the key."""
    try:
        return Formula(text, variables)
    except FormulaError as error:
        raise problem_at(key, message=str(error)) from None


def check_parameters(key: str, names: Collection[str], variables: Collection[str]) -> None:
    """Refuse parameters that cannot stand in a formula, or hide one of its other names."""
    for name in names:
        if not (name.isascii() and name.isidentifier()) or keyword.iskeyword(name):
            message = "not a name, expected letters, digits and _ that begin with a letter"
            raise problem_at(key, name, message=message)
        if name in {*variables, *CONSTANTS, *FUNCTIONS}:
            raise problem_at(key, name, message="already has a meaning in formulas")
