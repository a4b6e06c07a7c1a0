# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Records of a data set: the request, and the result."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from lidar_app.datasets.box_times import AT_POINTS
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lidar_app.datasets.box_times import BoxTime
    from lidar_app.datasets.class_map import ClassMap
    from lidar_app.datasets.scenes import Counts
    from lidar_app.datasets.sources import RunSource


class SetLayout(NamedTuple):
    """A layout of data sets, that is, the files that one framework reads.

    Attributes
    ----------
    writer : str
        Name of its writer class, in the module of the layout.
    classes : str
        Name of its built-in class map.
    labels_points : bool
        Whether it has labels of points, not only boxes.
    """

    writer: str
    classes: str
    labels_points: bool


LAYOUTS = {
    "nuscenes": SetLayout("NuscenesSet", "nuscenes", labels_points=True),
    "openpcdet": SetLayout("OpenpcdetSet", "openpcdet", labels_points=False),
    "kitti": SetLayout("KittiSet", "kitti", labels_points=False),
    "semantickitti": SetLayout("SemantickittiSet", "semantickitti", labels_points=True),
}
"""The layouts, by the name of their module."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetRequest:
    """Request for a data set.

    Attributes
    ----------
    form : str
        Name of the layout, one of `LAYOUTS`.
    shares : tuple of float
        Shares of the splits train, val and test; their sum is 1.
    seed : int
        Seed of the splits.
    classes : str or None
        Name or file of the class map; None: the map of the layout.
    sensors : sequence of str or None
        Names of the sensors; None: all.
    licence : str or None
        Licence of the inputs, as the user states it.
    config : str or None
        Name of the configuration for replay jobs that state none.
    replayed : tuple of str
        Names of the traces that were replayed for the data set.
    jobs : tuple of str
        Addresses from which the replay jobs were read.
    estimate : bool
        For runs without tables of ground truth: whether visibility is estimated. If False, the
        tables are written first.
    when : {'at-points', 'at-end', 'carried'}
        'at-points': a box is at the median time of its points. 'at-end': boxes are at the end of
        the scan. 'carried': as 'at-end', and points on moving objects are moved to the end, too.
    workers : int or None
        Number of processes that trace; None: one for each core.
    """

    form: str
    shares: tuple[float, ...]
    seed: int = 0
    classes: str | None = None
    sensors: Sequence[str] | None = None
    licence: str | None = None
    config: str | None = None
    replayed: tuple[str, ...] = ()
    jobs: tuple[str, ...] = ()
    estimate: bool = False
    when: BoxTime = AT_POINTS
    workers: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """The record of a data set that was written.

    Attributes
    ----------
    path : Path
        Folder of the data set.
    wanted : SetRequest
        Request for the data set.
    classes : ClassMap
        Classes of the data set.
    sources : tuple of RunSource
        Runs of the data set.
    splits : dict of str to str
        Split of each trace, by its key.
    counts : dict of str to Counts
        Counts of each split, by its name.
    estimated : tuple of str
        Names of runs whose visibility is estimated.
    digest : str
        SHA-256 over names and contents of all files but README.md and the manifest, hexadecimal.
    """

    path: Path
    wanted: SetRequest
    classes: ClassMap
    sources: tuple[RunSource, ...]
    splits: dict[str, str]
    counts: dict[str, Counts]
    estimated: tuple[str, ...]
    digest: str

    @property
    def layout(self) -> SetLayout:
        """Layout of the data set (which files it consists of), as `wanted` names it."""
        return LAYOUTS[self.wanted.form]

    @property
    def content(self) -> dict[str, object]:
        """Content of the manifest (export.json), except for the list of files."""
        counts = self.counts.values()
        return {
            "format": self.wanted.form,
            "version": __version__,
            "sha256": self.digest,
            "scenes": sum(each.scenes for each in counts),
            "scans": sum(each.scans for each in counts),
            "points": sum(each.points for each in counts),
            "splits": {name: each.scenes for name, each in self.counts.items()},
            "boxes": dict(sorted(self.total("boxes").items())),
        }

    def total(self, name: str) -> Counter[str]:
        """Return the numbers of one kind, added over all splits.

        Parameters
        ----------
        name : str
            Name of an attribute of `Counts` that is a Counter: "boxes", "points_of", "unlabelled"
            or "unboxed".

        Returns
        -------
        Counter
            Number by the name of a class; for "unlabelled" and "unboxed" by the name of a type,
            material or origin.
        """
        sums: Counter[str] = Counter()
        for each in self.counts.values():
            sums.update(getattr(each, name))
        return sums
