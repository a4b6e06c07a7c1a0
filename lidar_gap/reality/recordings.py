# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Descriptions of public recordings: repository, files, sensor, scene, and tuned figures."""

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
"""Largest number of columns per turn that a description may set."""
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
"""Kinds of the figures that are compared between recorded and simulated clouds."""


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
        Name in commands; the file name of the description.
    title, unit, place, note : str
        Descriptions in words. ``unit`` names the individual device of the sensor model.
    sensor : str
        The known sensor (preset) that was recorded.
    repository, commit : str
        OWNER/NAME at GitHub, and the commit that contains the files.
    licence, terms : str
        SPDX identifier, and additional restrictions.
    files : dict of str to str
        SHA-256 of each file, by path in the repository.
    clouds : tuple of str
        Files of clouds, or folders of them, in the order of the frames.
    metadata : str or None
        File that packets need for decoding, such as a calibration.
    source : str or None
        Source (sender, topic or sensor) to read if the recording has several; None for the only
        source.
    strength : str
        Meaning of the intensity: ``intensity`` in the maker's scale, or ``photons``.
    labels, calibration : str or None
        Files in KITTI's format with the boxes of objects, and with the pose of the lidar. The scene
        ``targets`` needs them.
    scene : str
        Simulated scene: ``office``; ``walls`` with ranges and reflectivities of the recording; or
        ``targets``, the labelled objects.
    columns : int or None
        Columns per turn of the simulated sensor; None for the default of the preset.
    returns : str
        The simulated sensor's ``returns.mode``.
    tuned : tuple of str
        Kinds of figures to which parameters of the sensor model were fitted. Figures of the other
        kinds are predictions.
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
        """Return the scene; raise ValueError unless exactly the scene targets has labels."""
        given = [others.data.get(key) is not None for key in ("labels", "calibration")]
        if given != [scene == "targets"] * 2:
            raise ValueError(
                "expected labels and calibration with scene: targets, and neither of them with "
                "another scene"
            )
        return scene

    @model_validator(mode="after")
    def _is_described(self) -> Self:
        """Return the recording; raise ValueError if a file that it uses has no SHA-256."""
        for path in (*self.clouds, self.metadata, self.labels, self.calibration):
            if path is not None and not any(
                file == path or file.startswith(f"{path}/") for file in self.files
            ):
                raise ValueError(
                    f"{path}: is not among the files of the recording, expected its SHA-256 under "
                    "files"
                )
        return self

    def paths(self, pack: Path) -> list[Path]:
        """Return the paths of the recording's files; ``pack`` is the folder of all recordings."""
        return [self.folder(pack) / path for path in self.files]

    def folder(self, pack: Path) -> Path:
        """Return the folder of the recording's files; ``pack`` is the folder of all recordings."""
        return pack / self.repository.replace("/", "+") / self.commit[:12]


def catalogue(only: str | None = None, folder: Path | None = None) -> list[PublicRecording]:
    """Return descriptions of recordings.

    Parameters
    ----------
    only : str, optional
        Names of recordings, separated by commas. Default: all.
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
            raise InputError(f"--only: got {name!r}, expected one of {', '.join(found)}")
    return [_described(found[name]) for name in names]


def _described(file: Path) -> PublicRecording:
    """Return the description of a recording in a file."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", file.stem):
        raise InputError(f"{file}: expected a file name of small letters, digits and hyphens")
    try:
        return PublicRecording.model_validate({**read_yaml(file), "name": file.stem})
    except YamlFileError as error:
        raise InputError(str(error)) from None
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise InputError(f"{file}: {key}: {first['msg']}") from None
