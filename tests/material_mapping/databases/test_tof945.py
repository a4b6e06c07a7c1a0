# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Measurements of the 945 nm dataset: both orders of columns, any order of rows, every bad file."""

import csv
import logging

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from material_mapping.databases.tof945 import WAVELENGTH_NM, read_measurement
from material_mapping.errors import DatabaseError

CURVE = {0: 107.7, 10: 111.8, 20: 112.3, 30: 108.2, 40: 105.6, 50: 100.5, 60: 91.7, 70: 83.5}
ANGLE_FIRST = "angle_deg reflectance_percent"
REFLECTANCE_FIRST = "reflectance_percent angle_deg"
SILENT = "x y"


def write(folder, rows, *, header=ANGLE_FIRST, name="cover_marking_white_1.txt", end="\n"):
    file = folder / name
    lines = [*([header] if header else []), *(" ".join(map(str, row)) for row in rows), ""]
    file.write_bytes(end.join(lines).encode())
    return file


def in_both_orders(curve):
    """Return (header, rows) of a curve: either column first, with and without a header's help."""
    angle_first = list(curve.items())
    reflectance_first = [pair[::-1] for pair in angle_first]
    return [
        (ANGLE_FIRST, angle_first),
        (REFLECTANCE_FIRST, reflectance_first),
        (SILENT, angle_first),
        (SILENT, reflectance_first),
    ]


def read_problem(file):
    """Return the one line of the error that a file gives, without the file's name."""
    with pytest.raises(DatabaseError) as caught:
        read_measurement(file)
    assert caught.value.file == file
    return str(caught.value).removeprefix(f"{file}: ")


def test_the_digitised_curves_come_back_exactly(real_data, tmp_path, caplog):
    source = real_data / "materials" / "ritter945" / "digitised_from_example_plot.csv"
    if not source.is_file():
        pytest.skip(f"{source} not found")
    lines = [line for line in source.read_text().splitlines() if not line.startswith("#")]
    curves = {}
    for row in csv.DictReader(lines):
        curve = curves.setdefault(row["file"], {})
        curve[row["incidence_deg"]] = row["reflectance_percent"]
    assert len(curves) == 3
    generator = np.random.default_rng(945)
    for name, curve in curves.items():
        assert list(curve) == [str(angle) for angle in range(0, 90, 10)]
        for header, rows in in_both_orders(curve):
            for shuffled in (rows, rows[::-1], generator.permutation(rows).tolist()):
                measurement = read_measurement(write(tmp_path, shuffled, header=header, name=name))
                assert measurement.name == name.removesuffix(".txt")
                assert measurement.angle_deg.tolist() == [float(angle) for angle in curve]
                assert measurement.reflectance.tolist() == [
                    float(percent) / 100.0 for percent in curve.values()
                ]
    assert caplog.messages == []


def test_a_measurement_is_in_degrees_and_fractions(tmp_path):
    file = write(tmp_path, CURVE.items())
    measurement = read_measurement(file)
    assert WAVELENGTH_NM == 945.0
    assert (measurement.name, measurement.file) == ("cover_marking_white_1", file)
    assert measurement.angle_deg.dtype == measurement.reflectance.dtype == np.float64
    assert measurement.reflectance[:3] == pytest.approx([1.077, 1.118, 1.123], abs=1e-15)
    with pytest.raises(ValueError, match="read-only"):
        measurement.reflectance[0] = 0.0


@pytest.mark.parametrize(
    ("header", "angle_first"),
    [
        ("angle reflectance", True),
        ("Angle Reflectivity", True),
        ("theta rho", True),
        ("\u03b8 \u03c1", True),
        ("theta_in_deg R_in_%", True),
        ("Incident Angle in \xb0 Backreflection in % of a 100 % Lambert Reflector", True),
        ("deg percent", True),
        ("Winkel Reflexion", True),
        ("# incidence (deg)  reflectance (percent)", True),
        ("reflectance angle", False),
        ("Reflectance theta", False),
        ("reflectance and incidence angle theta (deg)", False),
        ("\u03c1 \u03b8", False),
        ("percent deg", False),
    ],
)
def test_the_words_of_the_header_tell_the_angle(tmp_path, header, angle_first):
    # neither column is in tens, so nothing but the header can tell; both are possible angles
    rows = [(5, 61), (15, 52.5), (25, 31)]
    if not angle_first:
        rows = [row[::-1] for row in rows]
    measurement = read_measurement(write(tmp_path, rows, header=header))
    assert measurement.angle_deg.tolist() == [5.0, 15.0, 25.0]
    assert measurement.reflectance.tolist() == [0.61, 0.525, 0.31]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_the_degree_sign_is_read_in_every_encoding(tmp_path, encoding, end):
    file = tmp_path / "x.txt"
    file.write_bytes(end.join(["% \xb0", "61 5", "52.5 15"]).encode(encoding))
    assert read_measurement(file).angle_deg.tolist() == [5.0, 15.0]


@pytest.mark.parametrize("header", [SILENT, "Var1 Var2", "angle", "945 nm"])
def test_where_the_header_is_silent_the_column_in_tens_is_the_angle(tmp_path, header):
    for rows in ([(0, 61), (40, 52.5), (80, 30)], [(61, 0), (52.5, 40), (30, 80)]):
        measurement = read_measurement(write(tmp_path, rows, header=header))
        assert measurement.angle_deg.tolist() == [0.0, 40.0, 80.0]


def test_a_header_that_contradicts_the_values_is_told_and_the_values_decide(tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        file = write(tmp_path, CURVE.items(), header=REFLECTANCE_FIRST)
        measurement = read_measurement(file)
    assert measurement.angle_deg.tolist() == [float(angle) for angle in CURVE]
    problem = "the header names column 2 the angle, but 0, 10, 20 .. are in column 1"
    assert caplog.messages == [f"{file}: line 1: {problem}; that one is read as the angle"]


def test_reflectances_in_tens_do_not_outweigh_the_header(tmp_path, caplog):
    for rows in ([(5, 60), (15, 50), (25, 10)], [(0, 20), (10, 10), (20, 0)], [(5, 10), (15, 0)]):
        measurement = read_measurement(write(tmp_path, rows))
        assert measurement.angle_deg.tolist() == [float(angle) for angle, _ in rows]
    assert caplog.messages == []


def test_blank_lines_tabs_and_many_blanks_do_not_matter(tmp_path):
    file = tmp_path / "x.TXT"
    file.write_bytes(b"\r\n  angle\treflectance \r\n\r\n 10.0\t 5e1 \r\n  0   60.5\r\n\r\n")
    measurement = read_measurement(file)
    assert measurement.name == "x"
    assert measurement.angle_deg.tolist() == [0.0, 10.0]
    assert measurement.reflectance.tolist() == [0.605, 0.5]


def test_values_that_look_like_fractions_are_told_and_taken_as_percent(tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        file = write(tmp_path, [(0, 1.1), (10, 0.9)])
        measurement = read_measurement(file)
    assert measurement.reflectance == pytest.approx([0.011, 0.009])
    problem = "all 2 reflectances are at most 2 and look like fractions"
    assert caplog.messages == [
        f"{file}: {problem}; they are read as percent, the unit of this dataset"
    ]


@pytest.mark.parametrize("brightest", [2.01, 50, 3000])
def test_dark_bright_and_retroreflective_samples_are_not_warned_of(tmp_path, caplog, brightest):
    measurement = read_measurement(write(tmp_path, [(0, brightest), (10, 0)]))
    assert measurement.reflectance.tolist() == [brightest / 100.0, 0.0]
    assert caplog.messages == []


BAD_ROWS = {
    "beyond 90": ([(0, 50), (90.1, 1)], "line 3: angle 90.1 deg, expected 0 to 90"),
    "negative angle": ([(0, 50), (-10, 50)], "line 3: angle -10 deg, expected 0 to 90"),
    "twice": (
        [(10, 50), (0, 60), (10, 50)],
        "line 4: angle 10 deg is given twice, first on line 2",
    ),
    "negative": (
        [(10, 50), (0, -0.1)],
        "line 3: reflectance -0.1 %, expected 0 or more; is the zero of the measurement wrong?",
    ),
    "missing": (
        [(10, 50), (0, -999)],
        (
            "line 3: reflectance -999 %, expected 0 or more; is it a mark of missing data?"
            " Then remove its row"
        ),
    ),
    "a word": ([(0, 50), (10, "dark")], "line 3: got 'dark', expected a number"),
    "not a number": ([(0, "nan")], "line 2: got 'nan', expected a number"),
    "a decimal comma": (
        [(0, "50,5")],
        "line 2: got '50,5', expected a number with a decimal point",
    ),
    "one column": ([(0,)], "line 2: got '0', 1 column, expected two: angle and reflectance"),
    "commas": (
        [("0,50",)],
        (
            "line 2: got '0,50', 1 column, expected two: angle and reflectance, separated"
            " by blanks, not by ','"
        ),
    ),
    "three columns": (
        [(0, 50, 1)],
        "line 2: got '0 50 1', 3 columns, expected two: angle and reflectance",
    ),
    "no row": ([], "line 1: the file has no row of values, expected rows of angle and reflectance"),
}


@pytest.mark.parametrize(("rows", "problem"), BAD_ROWS.values(), ids=list(BAD_ROWS))
def test_a_bad_row_is_one_line_with_its_place(tmp_path, rows, problem):
    assert read_problem(write(tmp_path, rows)) == problem


def test_angles_twice_are_found_in_either_column(tmp_path):
    rows = [(50, 10), (60, 0), (50.5, 10)]
    problem = "line 4: angle 10 deg is given twice, first on line 2"
    for header in (REFLECTANCE_FIRST, SILENT):
        assert read_problem(write(tmp_path, rows, header=header)) == problem


@pytest.mark.parametrize("first", ["0 107.7", "0\t107.7", "0,107.7", "0; 107.7"])
def test_a_file_without_a_header_is_refused(tmp_path, first):
    file = write(tmp_path, list(CURVE.items())[1:], header=first)
    assert read_problem(file) == (
        f"line 1: the file has no header, got {first!r}; expected a line that names the columns,"
        " such as 'angle_deg reflectance_percent'"
    )


@pytest.mark.parametrize(
    ("header", "problem"),
    [
        (
            "wavelength_um percent",  # the second column has tens only, and is no angle
            (
                "line 1: the header 'wavelength_um percent' belongs to a spectrum, expected"
                " angles at 945 nm"
            ),
        ),
        (
            "Name: Card",
            "line 1: got 'Name: Card', the header of an ECOSTRESS spectrum; use kind: ecostress",
        ),
    ],
)
def test_a_spectrum_is_no_measurement_over_angles(tmp_path, header, problem):
    file = write(tmp_path, [(0.4, 10), (0.9, 30), (2.0, 50)], header=header)
    assert read_problem(file) == problem


@pytest.mark.parametrize(
    "rows",
    [
        [(5, 61), (15, 52.5)],  # no column in tens
        [(0, 20), (10, 10), (20, 0)],  # both
        [(0, 61), (100, 51)],  # beyond 90
    ],
)
def test_columns_that_do_not_tell_are_an_error(tmp_path, rows):
    problem = "does not say which column is the angle, and neither contains the angles 0, 10 .. 80"
    assert read_problem(write(tmp_path, rows, header=SILENT)) == (
        f"line 1: the header 'x y' {problem}"
    )


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "the file is empty"),
        (b"\n \n", "the file is empty"),
        (b"angle reflectance\n0 \0\n", "not a text file"),
        (b" " * (16 * 2**20 + 1), "too large, expected at most 16 MiB"),
    ],
    ids=["empty", "blank", "binary", "too large"],
)
def test_a_file_that_is_no_measurement_is_refused(tmp_path, content, problem):
    file = tmp_path / "x.txt"
    file.write_bytes(content)
    assert read_problem(file) == problem


def test_a_missing_file_is_refused(tmp_path):
    assert read_problem(tmp_path / "x.txt") == "no such file"


@settings(deadline=None, max_examples=60)
@given(
    tenths=st.lists(st.integers(0, 900), min_size=1, max_size=20, unique=True),
    data=st.data(),
)
def test_what_is_written_is_read(tmp_path_factory, tenths, data):
    values = st.integers(201, 10_000_000)  # 1e-2 percent
    n_rows = len(tenths)
    percent = data.draw(st.lists(values, min_size=n_rows, max_size=n_rows))
    angle_first = data.draw(st.booleans())
    pairs = [(tenth / 10, value / 100) for tenth, value in zip(tenths, percent, strict=True)]
    # a second column of 0, 10, 20 .. would be taken for the angle, as it should
    header = ANGLE_FIRST if angle_first else REFLECTANCE_FIRST
    rows = pairs if angle_first else [pair[::-1] for pair in pairs]
    measurement = read_measurement(
        write(tmp_path_factory.getbasetemp(), rows, header=header, name="written.txt")
    )
    assert measurement.angle_deg.tolist() == [angle for angle, _ in sorted(pairs)]
    assert measurement.reflectance.tolist() == [value / 100 for _, value in sorted(pairs)]


@settings(deadline=None, max_examples=150)
@given(place=st.integers(0, 8), text=st.text(max_size=12) | st.just("5 5") | st.just("-0 1e308"))
def test_any_other_line_gives_a_usable_measurement_or_the_error(tmp_path_factory, place, text):
    lines = [ANGLE_FIRST, *(f"{angle} {percent}" for angle, percent in CURVE.items())]
    lines[place] = text
    file = tmp_path_factory.getbasetemp() / "mutated.txt"
    file.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
    try:
        measurement = read_measurement(file)
    except DatabaseError:
        return
    assert np.all(np.diff(measurement.angle_deg) > 0.0)
    assert np.all((measurement.angle_deg >= 0.0) & (measurement.angle_deg <= 90.0))
    assert np.all(np.isfinite(measurement.reflectance) & (measurement.reflectance >= 0.0))
