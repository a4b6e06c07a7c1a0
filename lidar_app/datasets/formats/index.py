# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Parts that layouts share: table of samples, lists of splits, images of virtual cameras."""

from __future__ import annotations

import csv
import struct
import zlib
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from typing import TypeAlias

    from lidar_app.datasets.scenes import DataScene, Sample
    from osi_lidar.output.stored import StoredScan

    Counted: TypeAlias = Callable[[Sequence[StoredScan]], Iterable[StoredScan]]

TABLE = "samples.csv"
"""Name of the table of samples."""


class SampleRow(NamedTuple):
    """A row of the table of samples (samples.csv); a sample is a scan in a data set.

    Attributes
    ----------
    sample, split, scene, sensor : str
        Names of the sample, its split, its run and its sensor.
    frame, end_ns : int
        Frame number of the scan in the run, and time of the end of the scan [ns].
    points, boxes : int
        Number of points, and of boxes that were written.
    """

    sample: str
    split: str
    scene: str
    sensor: str
    frame: int
    end_ns: int
    points: int
    boxes: int

    @classmethod
    def of(
        cls, name: str, split: str, scene: DataScene, sample: Sample, n_boxes: int = 0
    ) -> SampleRow:
        """Return the row of a sample.

        Parameters
        ----------
        name : str
            Name of the sample in the data set.
        split : str
            Split of the sample: "train", "val" or "test".
        scene : DataScene
            The run that the sample is from.
        sample : Sample
            The scan with its points.
        n_boxes : int
            Number of boxes that were written for the sample.
        """
        row = sample.scan.row
        return cls(
            sample=name,
            split=split,
            scene=scene.source.name,
            sensor=row.sensor,
            frame=row.frame,
            end_ns=row.end_ns,
            points=len(sample.points),
            boxes=n_boxes,
        )


def write_samples(folder: Path, rows: Iterable[SampleRow]) -> None:
    """Write the table of samples, samples.csv, into a folder; an older table is replaced.

    Parameters
    ----------
    folder : Path
        An existing folder.
    rows : iterable of SampleRow
        A row for each sample, in the order of the table.
    """
    with (folder / TABLE).open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(SampleRow._fields)
        table.writerows(rows)


def write_lists(folder: Path, names: dict[str, list[str]]) -> None:
    """Make a folder with a file SPLIT.txt for each split, which lists samples, one a line.

    Parameters
    ----------
    folder : Path
        The new folder; FileExistsError if it exists.
    names : dict of str to list of str
        Names of the samples (ASCII), by split.
    """
    folder.mkdir()
    for split, listed in names.items():
        (folder / f"{split}.txt").write_text("".join(f"{name}\n" for name in listed), "ascii")


def black_image(width: int, height: int) -> bytes:
    """Return the bytes of a black PNG file (8 bit grey), the picture of a virtual camera.

    `width` and `height` are its size in pixels.
    """
    row, packer = bytes(width + 1), zlib.compressobj(9)  # a row begins with its filter, 0
    data = b"".join([*(packer.compress(row) for _ in range(height)), packer.flush()])
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, part) for kind, part in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
