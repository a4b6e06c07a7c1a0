# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Formulas as text: their values are numpy's, and nothing of Python can be reached from them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lidar_base.errors import FormulaError
from lidar_base.formula import DEEPEST, FUNCTIONS, MOST_CHARACTERS, Formula
from tests.builders.refusals import one_line

T = np.linspace(-1.0, 3.0, 9)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("t", T),
        ("2", np.full(9, 2.0)),
        (" 1e-3 *\n t + 2 ", 1e-3 * T + 2),
        ("-t ** 2", -(T**2)),
        ("2 ** -1", np.full(9, 0.5)),
        ("7 // 2 + 7 % 4 + -7 % 4", np.full(9, 7.0)),
        ("20 * sin(2 * pi * t + pi / 6)", 20 * np.sin(2 * np.pi * T + np.pi / 6)),
        ("atan2(t, 2) + hypot(3, 4) + mod(t, 0.3)", np.arctan2(T, 2) + 5 + np.mod(T, 0.3)),
        ("min(t, 1) - max(t, 2)", np.minimum(T, 1) - np.maximum(T, 2)),
        ("where(t < 0.5, floor(t), ceil(t))", np.where(T < 0.5, np.floor(T), np.ceil(T))),
        ("0 < t <= 2", (T > 0) & (T <= 2)),
        ("3 * (t > 0 and t < 2 or not t != 3)", 3.0 * ((T > 0) & (T < 2) | (T == 3))),
        ("degrees(acos(cos(radians(30))))", np.full(9, 30.0)),
    ],
)
def test_a_formula_has_the_values_of_numpy(text, expected):
    values = Formula(text, ("t",))(t=T)
    assert values.dtype == np.float64
    np.testing.assert_allclose(values, expected, rtol=1e-15, atol=1e-15)


def test_a_formula_knows_its_variables_and_broadcasts_them():
    formula = Formula("a * t", ("t", "a", "b"))
    assert formula.used == {"t", "a"}
    np.testing.assert_array_equal(formula(t=T, a=2.0, b=0.0), 2 * T)
    assert Formula("1", ()).used == set()


def test_what_has_no_value_is_not_a_number_or_infinite():
    values = Formula("sqrt(t) / (t - 1)", ("t",))(t=[-1.0, 1.0, 4.0])
    np.testing.assert_array_equal(values, [math.nan, math.inf, 2 / 3])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "column 1 of '': is empty"),
        ("2 * x", "column 5 of '2 * x': unknown name 'x' (known: t, pi)"),
        ("1 + sni(t)", "column 5 of '1 + sni(t)': unknown function 'sni', did you mean 'sin'?"),
        ("sin * 2", "column 1 of 'sin * 2': sin is a function, expected sin(..)"),
        ("where(t, 1)", "where got 2 argument(s), expected 3"),
        ("sin(x=t)", "sin got an argument with a name"),
        ("sin(t)(t)", "not the name of a function"),
        ("sin(*t)", "column 5 of"),
        ("1 + t ^ 2", "column 1 of '1 + t ^ 2': ^ is not a power, expected **"),
        ("2 + t.real", "column 5 of '2 + t.real': not allowed in a formula, expected numbers"),
        ("t +", "column 3 of 't +': is not a formula: "),
        ("(t", "column 1 of '(t': is not a formula: "),
        ("t t", "column 3 of 't t': is not a formula: "),
        ("t = 1", "column 3 of 't = 1': is not a formula: "),
        ("'a'", "'a' is not a number"),
        ("True", "True is not a number"),
        ("1j", "1j is not a number"),
        ("1e999", "the number is too large"),
        ("9" * 500, "the number is too large"),
        ("1 + \u03c0", "column 5 of '1 + \u03c0': got '\\u03c0', expected ASCII characters only"),
        ("t\x00", "column 2 of 't\\x00': got '\\x00'"),
        ("+".join("t" * (DEEPEST + 2)), f"is nested more than {DEEPEST} levels deep"),
        ("-" * 900 + "t", "nested"),
        ("(" * 300 + "t" + ")" * 300, "nested"),
        ("t" * (MOST_CHARACTERS + 1), "too long, expected 1000 at most"),
        *(
            (text, "not allowed in a formula")
            for text in ("[t]", "t[0]", "lambda: 1", "t if t else 1", "(t := 1)", "t @ t", "f'{t}'")
        ),
        *((text, "not allowed in a formula") for text in ("t in t", "t is t", "~t", "t << 2")),
        ("().__class__.__bases__", "not allowed in a formula"),
        ("__import__('os')", "column 1 of \"__import__('os')\": unknown function '__import__'"),
    ],
)
def test_what_is_no_formula_is_one_line_with_its_column(text, words):
    with one_line(FormulaError, words, start="column "):
        Formula(text, ("t",))


@given(st.text(alphabet="t1.e+-*/()<>=,^ _[]'\"sinwheraod\\#:{}", max_size=40))
def test_any_text_is_a_formula_or_one_line(text):
    problem = "none"
    try:
        assert Formula(text, ("t",))(t=T).shape == T.shape
    except FormulaError as error:
        problem = str(error)
    assert "\n" not in problem


def test_all_functions_take_their_number_of_arguments():
    for name, (n_arguments, _) in FUNCTIONS.items():
        text = f"{name}({', '.join('t' * n_arguments)})"
        assert Formula(text, ("t",))(t=T).shape == T.shape
