# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Types of configuration values: numbers with bounds, angles, paths, names, formulas.

See `lidar_base.formula` for what formulas may contain.
Numbers are strict (``"5"`` and ``true`` are refused) and finite. Relative paths are resolved
against ``context["folder"]``, meshes also in ``context["search"]`` (see ``load_config``).
"""

import keyword
import os
import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, Strict, ValidationInfo, WithJsonSchema

from lidar_base.errors import FormulaError
from lidar_base.formula import CONSTANTS, FUNCTIONS, Formula
from lidar_base.sections import problem_at, resolved_path, text_path
from material_mapping.bands import WAVELENGTHS_NM
from raycore.mesh.mesh_names import REFERENCE_SUFFIXES, is_file, names_mesh

# Values beyond these bounds are typing errors; coordinates there would lose digits or overflow.
MAX_POSITION_M = 1e9
MAX_SCALE = 1e6
MIN_STEP_DEG = 1e-6
MIN_DASH_M = 0.1  # shorter ones would be millions of strips
MIN_DEPTH_STEP_M, MAX_DEPTH_STEP_M = 1e-6, 1.0
MAX_BOUNCES = 64
RATES_HZ = (1e-3, 1e6)


def check_percent(key: str, percent: Iterable[float]) -> None:
    """Check that reflectivities are given in percent, not as fractions.

    Parameters
    ----------
    key : str
        Key of the configuration that has the values, for the error.
    percent : iterable of float
        The values, at least one. [%]

    Raises
    ------
    ValidationError
        If the largest value is above 0 and at most 1 %, and the smallest below 1 %; the error names
        the key.
    """
    values = sorted(set(percent))
    if 0.0 < values[-1] <= 1.0 and values[0] < 1.0:
        got, meant = (" and ".join(f"{scale * value:g}" for value in values) for scale in (1, 100))
        message = f"got reflectivities of {got} %, expected percent: did you mean {meant}?"
        raise problem_at(key, message=message)


def _resolve_mesh(value: object, info: ValidationInfo) -> Path:
    mesh = text_path(value)
    if not names_mesh(mesh.name):
        raise ValueError(f"not a mesh file: '{mesh.name}', allowed: {' '.join(REFERENCE_SUFFIXES)}")
    beside, search = resolved_path(mesh, info), (info.context or {}).get("search", ())
    places = [beside, *(Path(os.path.abspath(place / mesh)) for place in search)]  # noqa: PTH100
    return next((place for place in places if is_file(place)), beside)


def _folder_name(value: object) -> object:
    if isinstance(value, str) and _NOT_A_FOLDER_NAME.search(value):
        raise ValueError(
            f"got '{value}', expected the name of a folder: letters and digits, with _ - . between "
            "them"
        )
    return value


def _one_or_more(value: object) -> object:
    return (value,) if isinstance(value, int) and not isinstance(value, bool) else value


def _ground(value: object) -> object:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        allowed = abs(value) <= MAX_POSITION_M
    else:
        allowed = value in ("auto", "none")
    if not allowed:
        bounds = f"-{MAX_POSITION_M:g} to {MAX_POSITION_M:g} m"
        raise ValueError(f"expected auto, none or a height of {bounds}, got {value!r:.60}")
    return value


def _auto_or_switch(value: object) -> object:
    if value != "auto" and not isinstance(value, bool):
        raise ValueError(f"expected auto, true or false, got {value!r:.60}")
    return value


def _formula_text(value: object) -> object:
    """Return a number as text, because a plain number is a valid formula."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return repr(value) if is_number else value


def formula_at(key: str, text: str, variables: Collection[str]) -> Formula:
    """Return a text of the configuration as a formula.

    Parameters
    ----------
    key : str
        Key of the configuration that has the text, for the error.
    text : str
        The formula, such as "0.01 + 0.002 * d".
    variables : collection of str
        Names of the variables that the formula may contain.

    Raises
    ------
    ValidationError
        If the text is not a formula of these variables; the error names the key.
    """
    try:
        return Formula(text, variables)
    except FormulaError as error:
        raise problem_at(key, message=str(error)) from None


def check_parameters(key: str, names: Collection[str], variables: Collection[str]) -> None:
    """Check the names that a user gives to the parameters of a formula.

    Parameters
    ----------
    key : str
        Key of the configuration that has the parameters, for the error.
    names : collection of str
        Names of the parameters.
    variables : collection of str
        Names of the formula's variables, which parameters must not have.

    Raises
    ------
    ValidationError
        If a name is not an ASCII identifier of Python, is a keyword of Python, or is already the
        name of a variable, or of a constant or function of all formulas.
    """
    for name in names:
        if not (name.isascii() and name.isidentifier()) or keyword.iskeyword(name):
            message = "not a name, expected letters, digits and _ that begin with a letter"
            raise problem_at(key, name, message=message)
        if name in {*variables, *CONSTANTS, *FUNCTIONS}:
            raise problem_at(
                key, name, message="already has a meaning in formulas; choose another name"
            )


_NOT_A_FOLDER_NAME = re.compile(
    r"^(?![A-Za-z0-9_])|[^A-Za-z0-9_.-]|\.$|^.{65}|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)"
    r"|^(frames\.csv|run\.json)$|\.part$",  # files of a run beside it, and partial files
    re.IGNORECASE,
)

Finite = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Wavelength = Annotated[Finite, Field(ge=WAVELENGTHS_NM[0], le=WAVELENGTHS_NM[1])]
Positive = Annotated[Finite, Field(gt=0)]
DashLength = Annotated[Finite, Field(ge=MIN_DASH_M)]
NotNegative = Annotated[Finite, Field(ge=0)]
Reach = Annotated[Finite, Field(gt=0, le=MAX_POSITION_M)]
Azimuth = Annotated[Finite, Field(ge=-360, le=360)]
Elevation = Annotated[Finite, Field(ge=-90, le=90)]
Step = Annotated[Finite, Field(ge=MIN_STEP_DEG)]
Rate = Annotated[Finite, Field(ge=RATES_HZ[0], le=RATES_HZ[1])]
Scale = Annotated[Finite, Field(ge=1 / MAX_SCALE, le=MAX_SCALE)]
DepthStep = Annotated[Finite, Field(ge=MIN_DEPTH_STEP_M, le=MAX_DEPTH_STEP_M)]
Position = Annotated[Finite, Field(ge=-MAX_POSITION_M, le=MAX_POSITION_M)]
Count = Annotated[int, Field(strict=True, gt=0)]
Bounces = Annotated[int, Field(strict=True, ge=0, le=MAX_BOUNCES)]
Seed = Annotated[int, Field(strict=True, ge=0, lt=2**64)]
ObjectId = Annotated[int, Field(strict=True, ge=0, lt=2**64)]
ObjectIds = Annotated[tuple[ObjectId, ...], BeforeValidator(_one_or_more), Field(min_length=1)]
Switch = Annotated[bool, Strict()]
Timing = Literal["per_message", "sensor_rate"]
AutoSwitch = Annotated[Literal["auto"] | Switch, BeforeValidator(_auto_or_switch)]
Point = tuple[Position, Position, Position]
FolderName = Annotated[str, BeforeValidator(_folder_name)]
MeshPath = Annotated[Path, BeforeValidator(_resolve_mesh)]
Ground = Annotated[Literal["auto", "none"] | Finite, BeforeValidator(_ground)]
UpAxis = Literal["auto", "x", "y", "z"]
ForwardAxis = Literal["auto", "x", "-x", "y", "-y", "z", "-z"]
Origin = Literal["auto", "center", "ground", "rear_axle", "as_is"]
_FORMULA_SCHEMA = {"anyOf": [{"type": "number"}, {"type": "string"}]}
FormulaText = Annotated[str, BeforeValidator(_formula_text), WithJsonSchema(_FORMULA_SCHEMA)]
