# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Spectra of ECOSTRESS and ASTER: every variant of the format, and every bad file."""

import logging
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from material_mapping.databases.ecostress import read_spectrum
from material_mapping.databases.text_rows import MAX_FILE_BYTES
from material_mapping.errors import DatabaseError, MaterialError, WavelengthError

HEADER = {
    "Name": "Painted board",
    "Type": "manmade",
    "Class": "Road",
    "Subclass": "Paint",
    "Particle Size": "Solid",
    "Sample No.": "0001",
    "Owner": "nobody",
    "Wavelength Range": "All",
    "Origin": "made for a test",
    "Collection Date": "N/A",
    "Description": "A flat board",
    "Measurement": "Directional (10 Degree) Hemispherical Reflectance",
    "First Column": "X",
    "Second Column": "Y",
    "X Units": "Wavelength (micrometers)",
    "Y Units": "Reflectance (percent)",
    "First X Value": "0.4",
    "Last X Value": "2.5",
    "Number of X Values": "3",
    "Additional Information": "none",
}
ROWS = ((0.4, 10.0), (0.9, 20.0), (2.5, 52.0))
FIRST_ROW = len(HEADER) + 2


def lines_of(rows=ROWS, **changes):
    """Return the lines of a file; a change of None leaves the key out."""
    header = HEADER | {"Number of X Values": str(len(rows))} | changes
    lines = [f"{key}: {value}" for key, value in header.items() if value is not None]
    return [*lines, "", *(f" {wavelength:.4f}\t{value:7.4f}" for wavelength, value in rows), ""]


def write(folder, lines, *, end="\r\n", name="board.spectrum.txt", encoding="utf-8"):
    file = folder / name
    file.write_bytes(end.join(lines).encode(encoding))
    return file


def test_a_spectrum_is_in_nanometres_and_fractions_whatever_the_order_of_its_rows(tmp_path):
    for rows in (ROWS, ROWS[::-1]):
        spectrum = read_spectrum(write(tmp_path, lines_of(rows)))
        assert spectrum.name == "board"
        assert spectrum.unit == "percent"
        assert spectrum.file == tmp_path / "board.spectrum.txt"
        assert spectrum.wavelength_nm.tolist() == [400.0, 900.0, 2500.0]
        assert spectrum.reflectance.tolist() == [0.1, 0.2, 0.52]
        assert spectrum.range_nm == (400.0, 2500.0)
        assert spectrum.header["Description"] == "A flat board"


def test_nobody_can_write_to_a_spectrum(tmp_path):
    spectrum = read_spectrum(write(tmp_path, lines_of()))
    with pytest.raises(ValueError, match="read-only"):
        spectrum.reflectance[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        spectrum.wavelength_nm[0] = 1.0
    with pytest.raises(TypeError):
        spectrum.header["Name"] = "other"


def test_values_between_rows_lie_on_a_line_and_the_ends_belong_to_it(tmp_path):
    spectrum = read_spectrum(write(tmp_path, lines_of()))
    # 905 nm: 20 + 32 * 5 / 1600 percent
    expected = {400.0: 0.1, 650.0: 0.15, 900.0: 0.2, 905.0: 0.201, 1700.0: 0.36, 2500.0: 0.52}
    for wavelength_nm, reflectance in expected.items():
        assert spectrum.at(wavelength_nm) == pytest.approx(reflectance, abs=1e-12)


@pytest.mark.parametrize("wavelength_nm", [399.999, 2500.001, -1.0, math.nan, math.inf])
def test_outside_of_its_range_a_spectrum_says_what_it_has(tmp_path, wavelength_nm):
    spectrum = read_spectrum(write(tmp_path, lines_of()))
    with pytest.raises(WavelengthError, match="its data cover 400 to 2500 nm") as caught:
        spectrum.at(wavelength_nm)
    assert isinstance(caught.value, MaterialError)
    assert caught.value.name == "board"
    assert caught.value.range_nm == (400.0, 2500.0)


@pytest.mark.parametrize(
    "changes",
    [
        {"X Units": "Wavelength (micrometer)"},
        {"Y Units": "Reflectance (percentage)"},
        {"Y Units": "Reflectence (percent)"},
        {"Y Units": "  reflectance   (Percent) "},
        {"Subclass": None, "Particle Size": None, "Genus": "Avena", "Species": "fatua"},
        {"Collection Date": None, "First X Value": None, "Additional Information": None},
        {"Description": "Two\n\nlines: and a colon\n"},
        {"Additional Information": "None.\nSecond line"},
        {"Origin": ""},
    ],
    ids=str,
)
def test_variants_of_the_header_are_read(tmp_path, changes):
    spectrum = read_spectrum(write(tmp_path, lines_of(**changes), end="\n"))
    assert spectrum.reflectance.tolist() == [0.1, 0.2, 0.52]
    for key, value in changes.items():
        if value is None:
            assert key not in spectrum.header
        else:
            assert spectrum.header[key].split() == value.split()


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"], ids=["crlf", "lf", "cr"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
def test_line_ends_and_encodings_are_found_out(tmp_path, end, encoding):
    lines = lines_of(Description="below 60 \xb5m")
    header = read_spectrum(write(tmp_path, lines, end=end, encoding=encoding)).header
    assert header["Description"] == "below 60 \xb5m"
    assert list(header) == list(HEADER)


def test_rows_may_be_blank_separated_and_end_in_tabs(tmp_path):
    lines = [*lines_of()[: FIRST_ROW - 1], "0.4 10", "  0.9\t\t20\t", "", "2.5\t52 \t ", " "]
    assert read_spectrum(write(tmp_path, lines)).reflectance.tolist() == [0.1, 0.2, 0.52]


def test_a_colon_needs_no_blank_and_a_header_no_empty_line_after_it(tmp_path):
    lines = [line.replace(": ", ":") for line in lines_of() if line]
    spectrum = read_spectrum(write(tmp_path, lines))
    assert spectrum.header["Y Units"] == "Reflectance (percent)"
    assert len(spectrum.reflectance) == 3


def test_noise_below_0_is_taken_as_0_and_told_once(tmp_path, caplog):
    rows = ((0.4, 10.0), (2.9, -0.5), (3.0, -3.2), (3.1, 0.0))
    with caplog.at_level(logging.WARNING):
        spectrum = read_spectrum(write(tmp_path, lines_of(rows)))
    assert spectrum.reflectance.tolist() == [0.1, 0.0, 0.0, 0.0]
    problem = "got 2 reflectances below 0, the lowest -3.2 %; they are noise, and are read as 0"
    assert caplog.messages == [f"{spectrum.file}: line 24: {problem}"]


def test_more_than_all_light_is_used_and_told_once(tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        spectrum = read_spectrum(write(tmp_path, lines_of(((0.4, 101.0), (0.9, 116.0)))))
    assert spectrum.reflectance.tolist() == [1.01, 1.16]
    problem = "got a reflectance of 116 %, above 100 %; it is used as it is"
    (line,) = caplog.messages
    assert (
        line == f"{spectrum.file}: line 23: {problem}, as calibrated measurements may exceed 100 %"
    )


def test_a_good_file_logs_nothing(tmp_path, caplog):
    with caplog.at_level(logging.DEBUG):
        read_spectrum(write(tmp_path, lines_of()))
    assert caplog.messages == []


# the header has 20 lines, line 21 is empty, the rows begin on line 22; without a key, one line less
BAD_HEADERS = {
    "fractions": (
        {"Y Units": "Reflectance (fraction)"},
        "line 16: Y Units: got 'Reflectance (fraction)', expected 'Reflectance (percent)'",
    ),
    "transmittance": (
        {"Y Units": "Transmittance (percent)"},
        "line 16: Y Units: got 'Transmittance (percent)', expected 'Reflectance (percent)'",
    ),
    "nanometres": (
        {"X Units": "Wavelength (nanometers)"},
        "line 15: X Units: got 'Wavelength (nanometers)', expected 'Wavelength (micrometers)'",
    ),
    "no unit": ({"Y Units": ""}, "line 16: Y Units: got '', expected 'Reflectance (percent)'"),
    "no name": (
        {"Name": None},
        "line 20: the header has no line 'Name'",
    ),
    "no x units": ({"X Units": None}, "line 20: the header has no line 'X Units'"),
    "no y units": ({"Y Units": None}, "line 20: the header has no line 'Y Units'"),
    "no count": (
        {"Number of X Values": None},
        "line 21: the header has no line 'Number of X Values'",
    ),
    "too many": (
        {"Number of X Values": "4"},
        "line 19: Number of X Values: got 4, but the file has 3 rows; is the file complete?",
    ),
    "too few": (
        {"Number of X Values": "1"},
        "line 19: Number of X Values: got 1, but the file has 3 rows; is the file complete?",
    ),
    "no number": (
        {"Number of X Values": "many"},
        "line 19: Number of X Values: got 'many', expected a whole number",
    ),
    "huge": (
        {"Number of X Values": "9" * 5000},
        "line 19: Number of X Values: got '999999999999...9999999999999', expected a whole number",
    ),
    "twice": (
        {"Origin": "x\r\nName: again"},
        "line 10: 'Name' is given twice, first on line 1",
    ),
}


@pytest.mark.parametrize(("changes", "problem"), BAD_HEADERS.values(), ids=list(BAD_HEADERS))
def test_a_bad_header_is_one_line_with_its_place(tmp_path, changes, problem):
    file = write(tmp_path, lines_of(**changes))
    with pytest.raises(DatabaseError) as caught:
        read_spectrum(file)
    assert str(caught.value) == f"{file}: {problem}"
    assert caught.value.file == file
    assert problem.startswith(f"line {caught.value.line}: ")


BAD_ROWS = {
    "a word": (["0.4 10", "0.9 grey"], "line 23: got 'grey', expected a number"),
    "a decimal comma": (
        ["0,4 10"],
        "line 22: got '0,4', expected a number with a decimal point",
    ),
    "commas": (
        ["0.4,10"],
        (
            "line 22: got '0.4,10', 1 column, expected two: wavelength and reflectance,"
            " separated by blanks, not by ','"
        ),
    ),
    "not a number": (["0.4 nan"], "line 22: got 'nan', expected a number"),
    "infinite": (["0.4 -inf"], "line 22: got '-inf', expected a number"),
    "too large for a number": (["0.4 1e999"], "line 22: got '1e999', expected a number"),
    "Python's notation": (["0.4 1_0"], "line 22: got '1_0', expected a number"),
    "foreign digits": (["0.4 \u0661"], "line 22: got '\u0661', expected a number"),
    "one column": (
        ["0.4 10", " 0.9 "],
        "line 23: got '0.9', 1 column, expected two: wavelength and reflectance",
    ),
    "three columns": (
        ["0.4 10 1"],
        "line 22: got '0.4 10 1', 3 columns, expected two: wavelength and reflectance",
    ),
    "negative": (
        ["0.4 10", "0.9 -5.1"],
        "line 23: reflectance -5.1 %, expected 0 to 200 %; is the zero of the measurement wrong?",
    ),
    "missing": (
        ["0.4 10", "0.9 -1.23e34"],
        (
            "line 23: reflectance -1.23e+34 %, expected 0 to 200 %; is it a mark of"
            " missing data? Then remove its row"
        ),
    ),
    "far too bright": (
        ["0.4 10", "0.9 9999"],
        "line 23: reflectance 9999 %, expected 0 to 200 %; is its unit percent?",
    ),
    "given twice": (
        ["0.4 10", "0.9 20", "0.9 20"],
        "line 24: wavelength 0.9 um is given twice, first on line 23",
    ),
    "given twice, decreasing": (
        ["0.9 10", "0.9 20", "0.4 20"],
        "line 23: wavelength 0.9 um is given twice, first on line 22",
    ),
    "out of order": (
        ["0.4 10", "0.9 20", "0.8 20", "1.0 20"],
        "line 24: wavelengths change direction, expected all increasing or all decreasing",
    ),
    "no wavelength": (["0 10", "0.9 20"], "line 22: wavelength 0 um, expected 0 to 100 um"),
    "negative wavelength": (
        ["0.9 10", "-0.4 20"],
        "line 23: wavelength -0.4 um, expected 0 to 100 um",
    ),
    "nanometres after all": (
        ["905 10"],
        "line 22: wavelength 905 um, expected 0 to 100 um; is it in nanometres?",
    ),
    "nothing": (
        [],
        "line 21: the file has no row of values, expected rows of wavelength and reflectance",
    ),
}


@pytest.mark.parametrize(("rows", "problem"), BAD_ROWS.values(), ids=list(BAD_ROWS))
def test_a_bad_row_is_one_line_with_its_place(tmp_path, rows, problem):
    header = lines_of(**{"Number of X Values": str(len(rows))})[: FIRST_ROW - 1]
    file = write(tmp_path, [*header, *rows, ""])
    with pytest.raises(DatabaseError) as caught:
        read_spectrum(file)
    assert str(caught.value) == f"{file}: {problem}"


BAD_FILES = {
    "empty": (b"", "the file is empty"),
    "only blanks": (b"\xef\xbb\xbf \r\n\t\r\n", "the file is empty"),
    "binary": (bytes(range(256)), "not a text file"),
    "UTF-16": ("\r\n".join(lines_of()).encode("utf-16"), "not a text file"),
    "too large": (b" " * (MAX_FILE_BYTES + 1), "too large, expected at most 16 MiB"),
    "no header": (
        b"0.4 10\r\n0.9 20\r\n",
        "line 1: the file has no header, which begins with 'Name: ...' and states the units",
    ),
    "other text": (
        b"\n# Readme\n",
        "line 2: got '# Readme', expected a header that begins with 'Name: ...'",
    ),
    "only a name": (b"Name: x", "line 1: the header has no line 'X Units'"),
}


@pytest.mark.parametrize(("content", "problem"), BAD_FILES.values(), ids=list(BAD_FILES))
def test_a_file_that_is_no_spectrum_is_refused(tmp_path, content, problem):
    file = tmp_path / "x.txt"
    file.write_bytes(content)
    with pytest.raises(DatabaseError) as caught:
        read_spectrum(file)
    assert str(caught.value) == f"{file}: {problem}"


def test_files_that_cannot_be_opened_are_refused(tmp_path):
    with pytest.raises(DatabaseError, match=r"missing\.txt: no such file$") as caught:
        read_spectrum(tmp_path / "missing.txt")
    assert caught.value.line is None
    with pytest.raises(DatabaseError, match="cannot be read"):
        read_spectrum(tmp_path)


@settings(deadline=None, max_examples=60)
@given(
    picometres=st.lists(st.integers(200_000, 50_000_000), min_size=1, max_size=20, unique=True),
    data=st.data(),
)
def test_what_is_written_is_read(tmp_path_factory, picometres, data):
    values = st.integers(0, 1_000_000)  # 1e-4 percent
    n_rows = len(picometres)
    percent = data.draw(st.lists(values, min_size=n_rows, max_size=n_rows))
    descending = data.draw(st.booleans())
    pairs = sorted(zip(picometres, percent, strict=True), reverse=descending)
    rows = [f"{pm // 10**6}.{pm % 10**6:06d}\t{value / 1e4:.4f}" for pm, value in pairs]
    header = lines_of(**{"Number of X Values": str(n_rows)})[: FIRST_ROW - 1]
    file = write(tmp_path_factory.getbasetemp(), [*header, *rows])
    spectrum = read_spectrum(file)
    assert spectrum.wavelength_nm.tolist() == [pm / 1000 for pm, _ in sorted(pairs)]
    for pm, value in pairs:
        assert spectrum.at(pm / 1000) == pytest.approx(value / 1e6, abs=1e-15)


@settings(deadline=None, max_examples=150)
@given(
    place=st.integers(0, len(lines_of()) - 1),
    text=st.text(max_size=12) | st.sampled_from(["0.9 20", "nan nan", "-1e308 1e308", "Name: x"]),
)
def test_any_other_line_gives_a_usable_spectrum_or_the_error(tmp_path_factory, place, text):
    lines = lines_of()
    lines[place] = text
    file = tmp_path_factory.getbasetemp() / "mutated.txt"
    file.write_bytes("\r\n".join(lines).encode("utf-8", "surrogatepass"))
    try:
        spectrum = read_spectrum(file)
    except DatabaseError:
        return
    assert np.all(np.diff(spectrum.wavelength_nm) > 0.0)
    assert np.all((spectrum.reflectance >= 0.0) & (spectrum.reflectance <= 2.0))
