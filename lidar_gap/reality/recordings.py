# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Descriptions of public recordings: where they are, what they are, and what was tuned to them."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from typing_extensions import Self

from lidar_base.errors import YamlFileError
from lidar_base.files.natural_order import in_natural_order
from lidar_base.files.yaml_files import read_yaml
from osi_lidar.errors import InputError
from osi_lidar.sensors.presets import preset_names

OWN = Path(__file__).parent / "descriptions"
"""Folder of the descriptions that come with the product."""
MOST_COLUMNS = 20_000
"""Columns per turn that a description may ask of a sensor."""
Kind = Literal[
    "noise",
    "returns",
    "repeats",
    "second returns",
    "mixed",
    "signal",
    "strength",
    "beams",
    "targets",
]
"""What rows of figures are about."""


def _inside(path: str) -> str:
    """Return a path within a repository; raise ValueError if it leaves it."""
    plain = str(PurePosixPath(path)) == path and path.isprintable()
    parts = PurePosixPath(path).parts
    if not plain or path in {"", ".", "/"} or path.startswith("/") or ".." in parts:
        raise ValueError("expected a path within the repository")
    if "\\" in path or ":" in path:
        raise ValueError("expected a path within the repository")
    return path


def _known(sensor: str) -> str:
    """Return the name of a known sensor; raise ValueError if no turning head has it."""
    if sensor not in preset_names():
        raise ValueError(f"got {sensor!r}, expected a known sensor with a turning head")
    return sensor


_Path = Annotated[str, AfterValidator(_inside)]


class PublicRecording(BaseModel):
    """A public recording.

    Attributes
    ----------
    name : str
        What commands call it: the name of its description.
    title, unit, place, note : str
        In words; units of one sensor have different names.
    sensor : str
        The known sensor that it is a unit of.
    repository, commit : str
        OWNER/NAME at GitHub, and the commit that has the files.
    licence, terms : str
        SPDX identifier, and what forbids more than that.
    files : dict of str to str
        SHA-256 of each file by its path in the repository.
    clouds : tuple of str
        Files or folders of these that are clouds, in the order of the frames.
    metadata : str or None
        The file that packets need beside them.
    source : str or None
        Which source of a recording with several, see ``read_clouds``.
    strength : str
        What an intensity counts: ``intensity`` as the maker scales it, or ``photons``.
    labels, calibration : str or None
        Files with boxes of the objects and with the pose of the lidar, in KITTI's format, which
        the scene ``targets`` needs.
    scene : str
        Where a simulator stands in for the place: ``office``; ``walls`` at the ranges and of the
        reflectivities of the recording; or ``targets``, the labelled objects.
    columns : int or None
        Columns of the simulated sensor per turn, where they are not the usual ones.
    returns : str
        The simulated sensor's ``returns.mode``.
    tuned : tuple of str
        Kinds of rows to which figures of the sensor were fitted; the others are predictions.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    title: str
    sensor: Annotated[str, AfterValidator(_known)]
    unit: str
    place: str
    repository: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9][A-Za-z0-9._-]*$")
    commit: str = Field(pattern=r"^[0-9a-f]{40}$")
    licence: str
    terms: str = ""
    note: str = ""
    files: dict[_Path, Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]] = Field(min_length=1)
    clouds: tuple[_Path, ...] = Field(min_length=1)
    metadata: _Path | None = None
    source: str | None = None
    strength: Literal["intensity", "photons"] = "intensity"
    labels: _Path | None = None
    calibration: _Path | None = None
    scene: Literal["office", "walls", "targets"] = Field(default="walls", validate_default=True)
    columns: int | None = Field(default=None, ge=1, le=MOST_COLUMNS)
    returns: Literal["strongest", "last_strongest"] = "strongest"
    tuned: tuple[Kind, ...] = ()

    @field_validator("scene")
    @classmethod
    def _has_labels(cls, scene: str, others: ValidationInfo) -> str:
        """Return the scene; raise ValueError if labels are there without it, or not with it."""
        given = [others.data.get(key) is not None for key in ("labels", "calibration")]
        if given != [scene == "targets"] * 2:
            raise ValueError("targets needs labels and calibration, and they need it")
        return scene

    @model_validator(mode="after")
    def _is_described(self) -> Self:
        """Return the recording; raise ValueError if it needs files without a digest."""
        for path in (*self.clouds, self.metadata, self.labels, self.calibration):
            if path is not None and not any(
                file == path or file.startswith(f"{path}/") for file in self.files
            ):
                raise ValueError(f"{path} is not among its files")
        return self

    def paths(self, pack: Path) -> list[Path]:
        """Return where its files lie below the folder of all recordings."""
        return [self.folder(pack) / path for path in self.files]

    def folder(self, pack: Path) -> Path:
        """Return the folder of its files below the folder of all recordings."""
        return pack / self.repository.replace("/", "+") / self.commit[:12]


def catalogue(only: str | None = None, folder: Path | None = None) -> list[PublicRecording]:
    """Return descriptions of recordings.

    Parameters
    ----------
    only : str, optional
        Names with commas between them. Default: all.
    folder : Path, optional
        Folder of other descriptions (YAML). Default: `OWN`.

    Raises
    ------
    InputError
        If a description cannot be used, or a name is not known.
    """
    place = OWN if folder is None else folder
    found = {file.stem: file for file in in_natural_order(place.glob("*.yaml"))}
    if not found:
        raise InputError(f"{place}: no descriptions of recordings (*.yaml)")
    names = list(found) if only is None else [name.strip() for name in only.split(",")]
    for name in names:
        if name not in found:
            raise InputError(f"--only: got {name!r}, expected names of {', '.join(found)}")
    return [_described(found[name]) for name in names]


def _described(file: Path) -> PublicRecording:
    """Return the description in a file."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", file.stem):
        raise InputError(f"{file}: expected a name of small letters, digits and hyphens")
    try:
        return PublicRecording.model_validate({**read_yaml(file), "name": file.stem})
    except YamlFileError as error:
        raise InputError(str(error)) from None
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise InputError(f"{file}: {key}: {first['msg']}") from None
