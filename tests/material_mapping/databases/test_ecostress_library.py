# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Real files of ECOSTRESS and of the older layout, and what `spectral` makes of them."""

import re
from pathlib import Path

import numpy as np
import pytest

from material_mapping.databases.ecostress import Spectrum, read_spectrum
from material_mapping.errors import DatabaseError, WavelengthError


def plain_rows(file):
    """Return the rows of a real file by the number of values that it states, sorted."""
    lines = file.read_text(encoding="latin-1").splitlines()
    stated = next(line for line in lines if line.startswith("Number of X Values"))
    rows = [line.split() for line in lines if line.strip()][-int(stated.split(":")[1]) :]
    table = np.array(rows, np.float64)
    return table[np.argsort(table[:, 0])]


def assert_equals_plain_rows(spectrum: Spectrum):
    table = plain_rows(spectrum.file)
    np.testing.assert_allclose(spectrum.wavelength_nm, table[:, 0] * 1000.0, rtol=1e-12)
    np.testing.assert_array_equal(spectrum.reflectance, np.maximum(table[:, 1], 0.0) / 100.0)
    assert np.all(np.diff(spectrum.wavelength_nm) > 0.0)


@pytest.fixture
def library(real_data) -> Path:
    folder = real_data / "ecostress"
    if not folder.is_dir():
        pytest.skip(f"ECOSTRESS files not found at {folder}")
    return folder


def real_file(library, pattern):
    found = sorted(library.glob(pattern))
    if not found:
        pytest.skip(f"no {pattern} in {library}")
    return found[0]


def library_files(library, unit="Reflect"):
    """Return the files of the library whose unit begins so."""
    pattern = re.compile(rf"^Y Units: *{unit}".encode(), re.MULTILINE)
    return [
        file for file in sorted(library.glob("*.spectrum.txt")) if pattern.search(file.read_bytes())
    ]


def test_every_file_of_the_library_is_read_with_the_values_that_stand_in_it(library):
    files = library_files(library)
    assert files
    for file in files:
        spectrum = read_spectrum(file)
        assert_equals_plain_rows(spectrum)
        assert len(spectrum.header) == 20
        assert spectrum.name + ".spectrum.txt" == file.name


def test_every_file_of_transmittance_is_refused(library):
    files = library_files(library, "Transmittance")
    if not files:
        pytest.skip(f"no transmittance in {library}")
    for file in files:
        with pytest.raises(DatabaseError, match=r"Y Units: got 'Transmittance \(percent\)'"):
            read_spectrum(file)


def test_every_file_of_the_older_layout_is_read_with_the_values_that_stand_in_it(library):
    files = sorted((library / "helios").glob("*.txt"))
    if not files:
        pytest.skip("no files of the older layout")
    for file in files:
        spectrum = read_spectrum(file)
        assert_equals_plain_rows(spectrum)
        assert len(spectrum.header) == 19  # all but the collection date
        assert spectrum.name + ".txt" == file.name


# as published in the files, linear between neighbours, rounded to 0.1 percent points
CHECK_VALUES = {
    "*pavingasphalt*.0095uuuasp.*": (11.4, 11.7, 15.0),
    "*pavingasphalt*.0674uuuasp.*": (8.6, 8.4, 8.4),
    "*concrete*.0092uuu_cnc.*": (36.1, 36.2, 38.7),
    "*brick*.0097uuubrk.*": (27.9, 28.9, 34.1),
    "*glas*.0796uuugls.*": (8.3, 7.8, 8.7),
    "*paint*.0402uuupnt.*": (3.8, 3.8, 4.3),
    "*paint*.0407uuupnt.*": (63.0, 64.4, 59.9),
    "*metal*.0384uuualm.*": (59.6, 63.2, 81.3),
    "*metal*.0525uuustla.*": (6.5, 6.2, 16.5),
    "*rubber*.0833uuurbr.*": (6.7, 6.4, 6.4),
    "*grass*.vswir.vh352.*": (56.3, 55.5, 31.1),
    "*snow*.fine_snw_.*": (91.1, 89.7, 11.0),
    "*tapwater.jhu*": (2.5, 2.4, 2.1),
}


@pytest.mark.parametrize(("pattern", "percent"), CHECK_VALUES.items(), ids=list(CHECK_VALUES))
def test_real_spectra_have_the_published_values_at_lidar_wavelengths(library, pattern, percent):
    spectrum = read_spectrum(real_file(library, pattern))
    at_lidars = [100.0 * spectrum.at(wavelength_nm) for wavelength_nm in (905, 945, 1550)]
    assert at_lidars == pytest.approx(percent, abs=0.0501)


@pytest.mark.parametrize("sample", ["distilledwater", "seawater.none.liquid.tir.sea"])
def test_thermal_spectra_have_no_value_at_lidar_wavelengths(library, sample):
    real_file(library, f"water.{sample}*")
    for file in library.glob(f"water.{sample}*"):
        spectrum = read_spectrum(file)
        with pytest.raises(WavelengthError) as caught:
            spectrum.at(905.0)
        assert str(caught.value) == (
            f"{spectrum.name}: no value at 905 nm, its data cover 2079.5 to 14011.2 nm"
        )


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("aluminum", "*0384uuualm*"),
        ("copper", "*0682uuucop*"),
        ("wood", "*0404uuuwod*"),
        ("asphalt", "*0425uuuasp*"),
        ("shingle_gray", "*0680uuusto*"),
    ],
)
def test_one_sample_has_the_same_spectrum_in_both_layouts(library, older, newer):
    first = read_spectrum(real_file(library, f"helios/{older}.txt"))
    second = read_spectrum(real_file(library, newer))
    np.testing.assert_array_equal(first.wavelength_nm, second.wavelength_nm)
    np.testing.assert_allclose(first.reflectance, second.reflectance, atol=1e-6)


def test_lines_of_one_value_are_joined(library):
    header = read_spectrum(real_file(library, "helios/conifer.txt")).header
    assert header["Origin"] == (
        "Spectral data from measurements by Barry Rock (VNIR/SWIR) and Jack Salisbury (MWIR/TIR)"
        "---see file vegetata.doc for details."
    )
    assert header["Description"].endswith("to simulate a conifer canopy.")
    assert header["Additional Information"] == "None."


# spectral leaves its files open
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.slow
class TestSpectralPackage:
    """What the readers of the PyPI package `spectral` do with the same files."""

    @pytest.fixture
    def read_aster_file(self):
        return pytest.importorskip("spectral.database.aster").read_aster_file

    @pytest.fixture
    def read_ecostress_file(self):
        return pytest.importorskip("spectral.database.ecostress").read_ecostress_file

    @staticmethod
    def assert_same(signature, spectrum):
        np.testing.assert_allclose(np.array(signature.x) * 1000.0, spectrum.wavelength_nm)
        percent = np.maximum(signature.y, 0.0)  # noise, which spectral gives as it is
        np.testing.assert_array_equal(percent / 100.0, spectrum.reflectance)

    def test_one_reader_gives_our_values_for_the_library(self, library, read_ecostress_file):
        for file in library_files(library):
            self.assert_same(read_ecostress_file(str(file)), read_spectrum(file))

    def test_another_gives_our_values_for_the_older_layout(self, library, read_aster_file):
        for file in sorted((library / "helios").glob("*.txt")):
            self.assert_same(read_aster_file(str(file)), read_spectrum(file))

    def test_neither_reads_both(self, library, read_ecostress_file, read_aster_file):
        for file in sorted((library / "helios").glob("*.txt")):
            with pytest.raises(IndexError):
                read_ecostress_file(str(file))
        for file in sorted(library.glob("*.spectrum.txt")):
            with pytest.raises(IndexError):
                read_aster_file(str(file))

    @pytest.mark.parametrize("layout", ["*.0425uuuasp.*", "helios/asphalt.txt"])
    @pytest.mark.parametrize(
        ("pattern", "replacement", "problem"),
        [
            (r"Reflectance \(percent\)", "Reflectance (fraction)", "Y Units: got"),
            (r"Reflectance \(percent\)", "Transmittance (percent)", "Y Units: got"),
            (r"\(micrometers\)", "(nanometers)", "X Units: got"),
            (r"(0\.9[^\n]*\n)[^$]*", r"\1", "is the file complete"),
            (r"13\.1735", "", "1 column, expected two"),
            (r"13\.1735", "13.1735 1", "3 columns, expected two"),
            (r"13\.1735", "nan", "got 'nan', expected a number"),
            (r"13\.1735", "-50", "reflectance -50 %"),
            (r"0\.4240?(?=\s)", "0.422", "0.422 um is given twice"),
        ],
    )
    def test_bad_files_are_read_without_a_word(  # noqa: PLR0917  pytest's fixtures
        self, library, tmp_path, request, layout, pattern, replacement, problem
    ):
        text = real_file(library, layout).read_bytes().decode()
        bad = tmp_path / "bad.txt"
        bad.write_bytes(re.sub(pattern, replacement, text).encode())
        reader = "read_aster_file" if "helios" in layout else "read_ecostress_file"
        assert request.getfixturevalue(reader)(str(bad)).y
        with pytest.raises(DatabaseError, match=re.escape(problem)):
            read_spectrum(bad)
