# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Maps from OSI types and materials to the classes of a data set."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lidar_app.exports.labels import check_name
from lidar_base.errors import YamlFileError
from lidar_base.files.yaml_files import read_yaml
from lidar_base.near_match import near_match
from lidar_scenery.classes import UNLABELED, class_of
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

READY = ("kitti", "nuscenes", "openpcdet", "semantickitti")
"""Names of the built-in maps."""
HOST = "host"
"""Name in class maps for the vehicle with the sensors; its class overrides its type's class."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ClassEntry(_Strict):
    """A class of a data set, as the file of a class map describes it.

    Attributes
    ----------
    number : int or None
        Number of the class in label files; None: its position in the map, from 1.
    box : bool
        Whether objects of the class have boxes.
    learn : int or None
        Number that replaces the class's own number in training, for the ``learning_map`` of
        SemanticKITTI. None: a number that no other class has; 0 if `number` is 0.
    color : list of int or None
        Blue, green and red, 0 to 255, for SemanticKITTI; None: a colour that follows from the name.
    of : list of str
        Names of OSI types and materials, or patterns of names, that belong to the class.
    """

    number: int | None = Field(default=None, ge=0, le=0xFFFF)
    box: bool = False
    learn: int | None = Field(default=None, ge=0)
    color: list[int] | None = Field(default=None, min_length=3, max_length=3)
    of: list[str] = []


class _File(_Strict):
    classes: dict[str, ClassEntry] = Field(min_length=1)
    unlabelled: list[str] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassMap:
    """Classes of a data set, and the OSI types and materials that belong to each class.

    A class index of 1 means the first class in `names`, and so on; 0 means unlabelled.

    Attributes
    ----------
    source : str
        Name of a built-in map, or of the file.
    digest : str
        SHA-256 of the file, hexadecimal.
    names : tuple of str
        Names of the classes.
    numbers : tuple of int
        Number of each class in label files.
    entries : tuple of ClassEntry
        Entry of each class in the file.
    indices : mapping of str to int
        Class index of each OSI type and material. Keys are names or patterns of names, in lower
        case, without TYPE_.
    """

    source: str
    digest: str
    names: tuple[str, ...]
    numbers: tuple[int, ...]
    entries: tuple[ClassEntry, ...]
    indices: Mapping[str, int]

    def index_of(self, names: Iterable[str]) -> int:
        """Return the class index of a type with these names, the most specific first.

        The first name that has a class counts; 0: unlabelled.
        """
        return class_of(*names, classes=self.indices)

    @property
    def boxed(self) -> tuple[bool, ...]:
        """Whether objects of a class have boxes, for each class in `names`."""
        return tuple(each.box for each in self.entries)

    @property
    def box_names(self) -> tuple[str, ...]:
        """The names of the classes whose objects have boxes."""
        return tuple(name for name, boxed in zip(self.names, self.boxed, strict=True) if boxed)


def read_class_map(source: str, materials: Collection[str]) -> ClassMap:
    """Read a class map.

    Parameters
    ----------
    source : str
        Name of a built-in map, or path of a file (YAML). In the file, ``classes`` has an entry for
        each class with its ``number``, ``box`` and the names ``of`` its members. ``unlabelled``
        lists names without a class, even if a more general name has one.
    materials : collection of str
        Names of the materials in the runs. In a file of the user, each name must match an OSI type
        or one of these materials.

    Raises
    ------
    InputError
        If the map cannot be read, two classes have the same number, or a name is in two classes or
        matches nothing.
    """
    is_ready = source in READY
    path = _path(source)
    content = _content(path)
    classes = content.classes
    numbers = [
        n if each.number is None else each.number for n, each in enumerate(classes.values(), 1)
    ]
    known = [*materials, HOST]
    return ClassMap(
        source=source if is_ready else path.name,
        digest=sha256(path.read_bytes()).hexdigest(),
        names=tuple(classes),
        numbers=tuple(_distinct(path, list(classes), numbers)),
        entries=tuple(classes.values()),
        indices=_indices(path, content, None if is_ready else known),
    )


def check_class_file(source: str) -> None:
    """Check that the file of a class map can be parsed, before runs are read.

    Names and numbers of the classes are not checked.

    Parameters
    ----------
    source : str
        As for `read_class_map`.

    Raises
    ------
    InputError
        If the map cannot be read.
    """
    _content(_path(source))


def _content(path: Path) -> _File:
    """Return the parsed content of the file of a map."""
    try:
        return _File.model_validate(read_yaml(path))
    except YamlFileError as error:
        raise InputError(str(error)) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ": ".join(str(each) for each in first["loc"])
        raise InputError(f"{path}: {where}: {first['msg']}") from error


def _path(source: str) -> Path:
    """Return the file of a map."""
    if source in READY:
        return Path(str(files("lidar_app.datasets") / "maps" / f"{source}.yaml"))
    path = Path(source)
    if path.suffix not in (".yaml", ".yml") and not path.exists():
        raise InputError(
            f"--classes: got {source!r}, expected a file (YAML) or one of {', '.join(READY)}"
            f"{near_match(source, READY)}"
        )
    return path


def _distinct(path: Path, names: list[str], numbers: list[int]) -> list[int]:
    """Return the numbers; raise InputError if two are equal, or a name has a space."""
    for name, number in zip(names, numbers, strict=True):
        if name.split() != [name]:
            raise InputError(f"{path}: classes: got {name!r}, expected a name without spaces")
        other = names[numbers.index(number)]
        if other != name:
            raise InputError(
                f"{path}: classes: {name}: got the number {number}, which class {other} has already"
            )
    return numbers


def _indices(path: Path, content: _File, known: Collection[str] | None) -> dict[str, int]:
    """Return the class index of each name; names are checked unless `known` is None."""
    indices: dict[str, int] = {}
    groups = [("unlabelled", UNLABELED, content.unlabelled)]
    groups += [(name, n, each.of) for n, (name, each) in enumerate(content.classes.items(), 1)]
    for name, number, members in groups:
        for member in members:
            pattern = member.lower().removeprefix("type_")
            if known is not None:
                check_name(path, f"{name}: {member}", pattern, known)
            if pattern in indices:
                raise InputError(
                    f"{path}: {name}: {member}: belongs to another class already, expected it in "
                    "one class only"
                )
            indices[pattern] = number
    return indices
