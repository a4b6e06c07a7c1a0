# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators applied to the clouds of whole runs; the results are files for detectors.

``operators`` defines the operators. This module applies them to pairs of frames, and writes the
results.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lidar_base.files.own_files import check_names, claimed, remove_own
from lidar_base.files.whole_files import make_folder, replacing
from lidar_gap.operators import applied, chosen
from lidar_gap.records import NO_POINT, Pair, RangeImage, ScanCloud
from osi_lidar.clouds.pcd import write_pcd
from osi_lidar.errors import InputError
from osi_lidar.output.folder_check import check_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_gap.pairing import FramePair

CloudFormat = Literal["pcd", "bin", "npy"]
FORMATS: tuple[CloudFormat, ...] = ("pcd", "bin", "npy")
"""File formats of the results: PCD; KITTI's binary format, with rows of x, y, z and intensity in
float32; and the same rows as a numpy file.
"""
MANIFEST = "manifest.json"
BY = "gap apply"
"""Name under which this command lists the files that it writes in a folder.

A later run of the command may replace only the files listed under this name.
"""
_PCD_COLUMNS: dict[str, tuple[str, str]] = {
    "intensity": ("intensity", "<f4"),
    "range_m": ("range", "<f4"),
    "ring": ("ring", "<i4"),
    "column": ("column", "<i4"),
    "echo": ("echo", "u1"),
    "n_echoes": ("n_echoes", "u1"),
}
"""PCD field and type of each column of a cloud, the same as in clouds of a simulation run."""
_COUNTED = {
    "drop": "dropped",
    "add": "added",
    "echoes": "echoes",
    "modify": "modified",
    "modify-range": "modified",
}
"""Key in the manifest for the number of points that each operator chooses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedFrame:
    """Effect of the operators on one frame, as the manifest states it.

    Attributes
    ----------
    file : str
        Name of the file with the resulting cloud.
    real, sim : str
        Names of the real and the simulated frame that the cloud was made from.
    n_real, n_sim, n_points : int
        Number of points of the real frame, the simulated frame, and the result.
    counts : dict of str to int
        Number of points that each applied operator chose, by key: ``dropped``, ``added``,
        ``echoes`` and ``modified``. A point that two operators choose counts for both.
    """

    file: str
    real: str
    sim: str
    n_real: int
    n_sim: int
    n_points: int
    counts: dict[str, int]


def operators_of(text: str, by: Literal["difference", "range"] = "difference") -> list[str]:
    """Split and check a list of operators, such as ``drop,add,echoes,modify=0:200``.

    The result has one name for each operator, with its limits, as `apply_operators` takes them.

    Parameters
    ----------
    text : str
        Operators with commas between them.
    by : {"difference", "range"}
        Quantity that the limits of ``modify`` apply to: absolute difference between simulated and
        real range, or simulated range. With "range", ``modify`` is returned as ``modify-range``.

    Raises
    ------
    InputError
        If the text has no operator, names one twice, or names one that cannot be used.
    """
    names = [word.strip() for word in text.split(",")]
    if by == "range":
        names = [re.sub(r"^modify(?==|$)", "modify-range", name) for name in names]
    kinds = [name.partition("=")[0] for name in names]
    twice = next((kind for kind in kinds if kinds.count(kind) > 1), None)
    if twice:
        raise InputError(f"{text!r}: got operator {twice!r} twice, expected each operator once")
    applied(names, _empty_pair())
    return names


def apply_operators(
    names: Sequence[str],
    pairs: Sequence[FramePair],
    image: Callable[[ScanCloud], RangeImage],
    write: Callable[[str, ScanCloud], str],
) -> Iterator[AppliedFrame]:
    """Apply operators to pairs of frames; yield each pair's result after its cloud is written.

    Parameters
    ----------
    names : sequence of str
        Operators, from `operators_of`.
    pairs : sequence of (ScanCloud, ScanCloud)
        Real and simulated frames.
    image : callable
        Returns the range image of a cloud, with the same pixels for all clouds.
    write : callable
        Writes a cloud under a name without a suffix, and returns the name of its file. It is given
        the name of the real frame, or a number if real frames share a name.

    Raises
    ------
    InputError
        If ``echoes`` is applied and a real frame lacks ``n_echoes``, its beams' numbers of echoes.
    OutputError
        If a cloud cannot be written.
    """
    stems = _stems([real.name for real, _ in pairs])
    for stem, (real, sim) in zip(stems, pairs, strict=True):
        pair = Pair(real=real, sim=sim, real_image=image(real), sim_image=image(sim))
        cloud = applied(names, pair)
        yield AppliedFrame(
            file=write(stem, cloud),
            real=real.name,
            sim=sim.name,
            n_real=len(real),
            n_sim=len(sim),
            n_points=len(cloud),
            counts=_counts(names, pair),
        )


def _counts(names: Sequence[str], pair: Pair) -> dict[str, int]:
    """Return how many points each operator removes, adds or replaces."""
    counts = {}
    for name in names:
        choice = chosen(name, pair)
        points = choice.removed if name == "drop" or "modify" in name else choice.added
        counts[_COUNTED[name.partition("=")[0]]] = int(points.sum())
    return counts


def _stems(names: Sequence[str]) -> list[str]:
    """Return file names without suffix: names of real frames, or numbers if these are unusable."""
    stems = [re.sub(r"[^\w.+-]", "_", name) for name in names]
    if len({stem.lower() for stem in stems}) < len(stems) or not all(stems):
        return [f"{number:06d}" for number in range(len(stems))]
    return stems


def cloud_writer(folder: Path, file_format: CloudFormat) -> Callable[[str, ScanCloud], str]:
    """Return a function that writes clouds into a folder.

    The call itself first removes the files that an earlier run of the command wrote there.

    Parameters
    ----------
    folder : Path
        Existing folder for the clouds.
    file_format : {"pcd", "bin", "npy"}
        Format of the files, see `FORMATS`.

    Returns
    -------
    callable
        Takes a name without suffix and a cloud, writes the cloud as a file, and returns the name of
        the file with its suffix.

    Raises
    ------
    OutputError
        If an earlier file cannot be removed.
    """
    remove_own(folder, BY)

    def write(stem: str, cloud: ScanCloud) -> str:
        name = f"{stem}.{file_format}"
        if file_format == "pcd":
            write_pcd(folder / name, _pcd_points(cloud))
            return name
        rows = _plain_points(cloud)
        with replacing(folder / name) as temporary, temporary.open("wb") as file:
            if file_format == "npy":
                np.save(file, rows)
            else:
                file.write(rows.data)
        return name

    return write


def _plain_points(cloud: ScanCloud) -> NDArray[np.float32]:
    """Return rows of x, y, z [m] and intensity, 0 where a cloud has none, (n_point, 4)."""
    rows = np.zeros((len(cloud), 4), "<f4")
    rows[:, :3] = cloud.points_m
    if cloud.intensity is not None:
        rows[:, 3] = cloud.intensity
    return rows


def _pcd_points(cloud: ScanCloud) -> NDArray[Any]:
    """Return the points as PCD rows, with the known fields out of those in clouds of a run."""
    known = {
        field: (kind, values)
        for column, (field, kind) in _PCD_COLUMNS.items()
        if (values := getattr(cloud, column)) is not None
        and (column != "range_m" or cloud.states_range)
    }
    axes = [("x", "<f4"), ("y", "<f4"), ("z", "<f4")]
    points = np.zeros(
        len(cloud), np.dtype(axes + [(field, kind) for field, (kind, _) in known.items()])
    )
    for axis, (name, _) in enumerate(axes):
        points[name] = cloud.points_m[:, axis]
    for field, (_, values) in known.items():
        points[field] = values
    return points


def make_output_folder(folder: Path, file_format: CloudFormat = "pcd", *, overwrite: bool) -> None:
    """Create the output folder; an existing folder must be empty unless ``overwrite`` is set.

    No file is removed here. Even with ``overwrite``, files of others are protected.

    Raises
    ------
    OutputError
        If the folder cannot be used, or is not empty and ``overwrite`` is not set. Also if it
        contains a manifest, or a cloud of the format ``file_format``, that this command did not
        write.
    """
    check_folder(folder, overwrite=overwrite)
    check_names(folder, re.compile(rf"[^/]*\.{file_format}|{re.escape(MANIFEST)}"), BY)
    make_folder(folder)


def write_manifest(
    folder: Path, settings: Mapping[str, object], frames: Sequence[AppliedFrame]
) -> Path:
    """Write settings, totals and all frames as `MANIFEST` (JSON) into a folder; return its path.

    Raises
    ------
    OutputError
        If the manifest cannot be written.
    """
    content = {**settings, "totals": totals(frames), "frames": [asdict(each) for each in frames]}
    with claimed(BY), replacing(folder / MANIFEST) as temporary:
        temporary.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return folder / MANIFEST


def totals(frames: Sequence[AppliedFrame]) -> dict[str, int]:
    """Return the number of frames, and sums of numbers of points over all frames.

    Returns
    -------
    dict of str to int
        ``frames``: number of frames. ``n_real``, ``n_sim``, ``n_points``, and each key of
        `AppliedFrame.counts`, such as ``dropped``: sum over the frames.
    """
    summed: dict[str, int] = {"frames": len(frames)}
    for frame in frames:
        for name, value in (
            ("n_real", frame.n_real),
            ("n_sim", frame.n_sim),
            ("n_points", frame.n_points),
            *frame.counts.items(),
        ):
            summed[name] = summed.get(name, 0) + value
    return summed


def _empty_pair() -> Pair:
    """Return a pair of clouds without points, to check operators before anything is read."""
    cloud = ScanCloud(
        name="", points_m=np.zeros((0, 3)), range_m=np.zeros(0), n_echoes=np.zeros(0, np.uint8)
    )
    image = RangeImage(
        range_m=np.full((1, 1), np.nan),
        point=np.full((1, 1), NO_POINT, np.int64),
        n_points=np.zeros((1, 1), np.int32),
        pixel_of_point=np.zeros(0, np.int64),
        elevation_deg=np.zeros(1),
        azimuth_deg=np.zeros(1),
    )
    return Pair(real=cloud, sim=cloud, real_image=image, sim_image=image)
