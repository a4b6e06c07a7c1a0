# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration of a sensor that is read from its maker's files."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, TypeAdapter, ValidationError, ValidationInfo

from lidar_base.sections import Section, SomePath, problem_at
from lidar_base.xml_tree import is_xml
from osi_lidar.config.values import Finite, NotNegative, Positive
from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors import calibration as files

if TYPE_CHECKING:
    from osi_lidar.sensors.calibration import SurveyScanner


class ScannerFile(Section):
    """A maker's file that may describe several scanners, and which scanner and rates to use."""

    file: SomePath = Field(description="HELIOS++ scanners (XML), or any other maker's file.")
    scanner: str | None = Field(
        default=None, description="Id of a scanner in the file. Default: the only one."
    )
    pulse_hz: Positive | None = Field(
        default=None,
        description="Pulses per second of each channel, within the file's bounds. Default: the "
        "highest.",
    )
    scan_hz: NotNegative | None = Field(
        default=None,
        description="Lines per second of the mirror (oscillations, turns of a cone), within the "
        "file's bounds. Default: the highest.",
    )
    head_hz: Finite | None = Field(
        default=None,
        description="Turns of the head per second, counter-clockwise, within the file's bounds. "
        "Default: the fastest.",
    )

    def choices(self) -> dict[str, float]:
        """Return the rates that are set, by key: ``pulse_hz``, ``scan_hz`` and ``head_hz`` [Hz]."""
        rates = ("pulse_hz", "scan_hz", "head_hz")
        return {key: getattr(self, key) for key in rates if getattr(self, key) is not None}


def _tag(value: object) -> str:
    return "section" if isinstance(value, Mapping | ScannerFile) else "path"


CalibrationFile = Annotated[
    Annotated[
        Annotated[SomePath, Tag("path")] | Annotated[ScannerFile, Tag("section")],
        Discriminator(_tag),
    ]
    | None,
    Field(
        description="The maker's file of this unit, with a preset (for ranges, rates and firing "
        "times) or alone: Ouster metadata (JSON), Velodyne calibration (YAML), Hesai angle "
        "correction (CSV, .dat), Livox scan pattern (CSV, NPY), HELIOS++ scanners (XML)."
    ),
]
FireTimeFile = Annotated[
    SomePath | None,
    Field(description="Hesai firetime correction (CSV) that goes with `calibration`."),
]
Intrinsics = Annotated[
    Literal["nominal", "calibrated", "naive"] | None,
    Field(
        description="Angles of the lasers. `nominal`: as the preset is designed. `calibrated`: as "
        "measured on one real unit, by `calibration` or else by the preset; `osi-lidar "
        "sensors` shows "
        "which presets have such angles, the others keep their own. `naive`: elevations evenly "
        "spaced "
        "between the lowest and the highest, no azimuth offsets, all beams from the origin. "
        "Default: as `calibration` has them, else the preset's first ones."
    ),
]


def calibration_file(given: Path | ScannerFile) -> tuple[Path, str | None]:
    """Return the file that the key ``calibration`` names, and the id of a scanner in it.

    Parameters
    ----------
    given : Path or ScannerFile
        Value of the key, validated: the path of a maker's file, or a section with such a path.

    Returns
    -------
    (Path, str or None)
        The file, and the id; None if the key is a path, or a section that states no id.
    """
    return (given.file, given.scanner) if isinstance(given, ScannerFile) else (given, None)


def check_calibration(
    *, has_pattern: bool, has_calibration: bool, has_firetime: bool, intrinsics: str | None
) -> None:
    """Check the calibration keys of a sensor against its pattern and against each other.

    A pattern excludes ``calibration``, and the values "nominal" and "naive" of ``intrinsics``: they
    are for presets. ``calibration`` excludes "nominal", and ``firetime`` needs ``calibration``.

    Parameters
    ----------
    has_pattern, has_calibration, has_firetime : bool
        Whether the sensor has this key.
    intrinsics : str or None
        Value of the key ``intrinsics``; None if it is not set.

    Raises
    ------
    ValidationError
        If one of these rules is broken; the error names the key.
    """
    if has_pattern and has_calibration:
        raise problem_at("calibration", message="is for presets; a pattern has its own angles")
    if has_pattern and intrinsics in ("nominal", "naive"):
        raise problem_at("intrinsics", message="is for presets; a pattern has its own angles")
    if has_calibration and intrinsics == "nominal":
        message = "got 'nominal', expected calibrated or naive: calibration has the unit's angles"
        raise problem_at("intrinsics", message=message)
    if has_firetime and not has_calibration:
        raise problem_at("firetime", message="needs a calibration, got none")


_GIVEN: TypeAdapter[Any] = TypeAdapter(CalibrationFile)
_HEAD_BYTES = 256


def survey_figures(given: object, info: ValidationInfo) -> dict[str, object]:
    """Return the ranges, the wavelength and the range noise that a survey scanner's file states.

    The result has keys and values as in an entry of ``sensors``. It is empty if ``calibration``
    does not name a survey scanner (`SurveyScanner`), or if its file cannot be used. An unusable
    file is reported later, when the sensor's beams are made.

    Parameters
    ----------
    given : object
        The key ``calibration`` before it is validated.
    info : ValidationInfo
        Validation info of pydantic, with the folder that paths are relative to.
    """
    try:
        found = survey_scanner(given, info.context)
        return {} if found is None else found.figures()
    except ConfigurationError:
        return {}


def survey_physical(given: object, info: ValidationInfo) -> dict[str, dict[str, Any]]:
    """Return the values that a survey scanner's file gives a sensor with ``fidelity: physical``.

    A survey scanner is a scanner of a HELIOS++ file.

    Parameters
    ----------
    given : object
        The key ``calibration`` of a sensor before it is validated.
    info : ValidationInfo
        Validation info of pydantic; its context has the folder that paths are relative to.

    Returns
    -------
    dict of str to dict
        Keys and values for each section of an entry of ``sensors``, such as ``beam``. It is empty
        if ``calibration`` does not name a survey scanner, or if its file cannot be used.

    Raises
    ------
    ValidationError
        If a value of the scanner is impossible; the error names the key ``calibration``.
    """
    found = survey_scanner(given, info.context)
    try:
        return {} if found is None else found.physical()
    except ConfigurationError as error:
        raise problem_at("calibration", message=str(error)) from None


def survey_scanner(given: object, context: Any) -> "SurveyScanner | None":  # noqa: ANN401
    """Return the survey scanner in the file that the key ``calibration`` names.

    Return None if the key is not set, or its file is of another kind or cannot be used.

    Parameters
    ----------
    given : object
        The key ``calibration``, validated or not.
    context : Any
        Context of the validation, with the folder that paths are relative to.
    """
    try:
        calibration = _GIVEN.validate_python(given, context=context)
        if calibration is None:
            return None
        file, scanner = calibration_file(calibration)
        if not file.is_file():  # opening a pipe waits for a writer
            return None
        with file.open("rb") as stream:
            if not is_xml(stream.read(_HEAD_BYTES)):
                return None
        found = files.read_calibration(file, scanner)
    except (ValidationError, ConfigurationError, OSError):
        return None
    return found if isinstance(found, files.SurveyScanner) else None
