# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a survey scanner's file gives of the other keys of a sensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from osi_lidar.config.calibration import CalibrationFile, calibration_file
from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors.calibration.helios import SurveyScanner
from osi_lidar.sensors.calibration.reading import read_calibration
from osi_lidar.sensors.calibration.xml_tree import is_xml

if TYPE_CHECKING:
    from pydantic import ValidationInfo

_GIVEN: TypeAdapter[Any] = TypeAdapter(CalibrationFile)
_HEAD_BYTES = 256


def survey_figures(given: object, info: ValidationInfo) -> dict[str, object]:
    """Return ranges, wavelength and noise of the survey scanner that a calibration names.

    Nothing for any other file; and for one that cannot be used, which is told of where its beams
    are made.

    Parameters
    ----------
    given : object
        The key ``calibration`` before it is validated.
    info : ValidationInfo
        Of pydantic, with the folder that paths are relative to.
    """
    try:
        calibration = _GIVEN.validate_python(given, context=info.context)
        if calibration is None:
            return {}
        file, scanner = calibration_file(calibration)
        with file.open("rb") as stream:
            if not is_xml(stream.read(_HEAD_BYTES)):
                return {}
        found = read_calibration(file, scanner)
        return found.figures() if isinstance(found, SurveyScanner) else {}
    except (ValidationError, ConfigurationError, OSError):
        return {}
