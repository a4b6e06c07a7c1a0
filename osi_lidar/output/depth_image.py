# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Depth images of sensors whose beams are the pixels of a camera, as PFM, EXR, NPY or PGM files."""

from __future__ import annotations

import importlib.util
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.files.whole_files import replacing
from osi_lidar.errors import OutputError
from osi_lidar.output.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from osi_lidar.config import Config, Output
    from osi_lidar.output.writer import Destination
    from osi_lidar.scan.step import Scan, Step

EXR_CHANNEL = "Z"
FARTHEST = 65_535
"""Largest grey value of a PGM file."""
NO_EXR = "OpenEXR is not installed: pip install 'osi-lidar[exr]'"


class DepthImages(Writer):
    """Writes a depth image for each scan of a sensor whose beams are the pixels of a camera.

    Parameters
    ----------
    destination : Destination
        The folder of the run.
    config : Config
        The configuration; its ``output.depth`` is the format of the images.
    """

    key = "depth"
    scan_suffixes = (".pfm", ".exr", ".npy", ".pgm")

    def __init__(self, destination: Destination, config: Config) -> None:
        super().__init__(destination, config)
        self._sizes = {sensor.name: sensor.image_size for sensor in config.sensors}

    @classmethod
    def missing_library(cls, output: Output) -> str:
        """Return how to install OpenEXR if it is needed and missing, else an empty text.

        ``output`` is the section of the configuration; ``depth: exr`` needs OpenEXR.
        """
        needs_exr = output.depth == "exr"
        return NO_EXR if needs_exr and importlib.util.find_spec("OpenEXR") is None else ""

    def write_scans(self, step: Step) -> None:
        """Write a depth image of each scan of ``step``, a `Step`, that repeats no earlier scan.

        Scans of sensors that are no cameras are left out. Raise OutputError if a file cannot be
        written.
        """
        for scan in step.scans:
            size = self._sizes[scan.sensor]
            if scan.traced and size is not None:
                self._write(scan, *size)

    def _write(self, scan: Scan, width: int, height: int) -> None:
        suffix = self.config.output.depth
        path = self.folder / scan.sensor / f"{scan.number:06d}.{suffix}"
        if scan.depth_m is not None:
            image = scan.depth_m.reshape(height, width)
            write_depth(path, image, step_m=self.config.output.depth_step_m)


def write_depth(path: Path, image: NDArray[np.float32], *, step_m: float = 0.001) -> None:
    """Write a depth image in the format given by the suffix of the file.

    Parameters
    ----------
    path : Path
        The file, ``.pfm``, ``.exr``, ``.npy`` or ``.pgm``; it is replaced if it exists.
    image : float32 (height, width)
        Top row first; infinite where the beam hit nothing. [m]
    step_m : float
        Depth of one grey value of a ``.pgm`` file. [m]

    Raises
    ------
    OutputError
        If the file cannot be written, or OpenEXR is not installed.
    """
    writers: dict[str, Callable[[Path, NDArray[np.float32]], None]] = {
        ".pfm": _write_pfm,
        ".exr": _write_exr,
        ".npy": _write_npy,
        ".pgm": partial(_write_pgm, step_m=step_m),
    }
    with replacing(path) as temporary:
        writers[path.suffix](temporary, np.ascontiguousarray(image, "<f4"))


def _write_pfm(path: Path, image: NDArray[np.float32]) -> None:
    """Write a portable float map, which stores the bottom row first.

    One channel (Pf), little endian (a scale below 0), as P. Debevec defined it.
    """
    height, width = image.shape
    with path.open("wb") as file:
        file.write(f"Pf\n{width} {height}\n-1.0\n".encode())
        file.write(image[::-1].tobytes())


def _write_pgm(path: Path, image: NDArray[np.float32], *, step_m: float) -> None:
    """Write a binary portable grey map (P5) of 16 bits, most significant byte first.

    The value 0 means that the beam hit nothing; the smallest depth is one step.
    """
    height, width = image.shape
    steps = np.clip(np.rint(image.astype(np.float64) / step_m), 1, FARTHEST)
    grey = np.where(np.isfinite(image), steps, 0).astype(">u2")
    scale = f"# depth [m] = {step_m:.9g} * value; 0: nothing, {FARTHEST}: there or farther"
    with path.open("wb") as file:
        file.write(f"P5\n{scale}\n{width} {height}\n{FARTHEST}\n".encode())
        file.write(grey.tobytes())


def _write_npy(path: Path, image: NDArray[np.float32]) -> None:
    with path.open("wb") as file:  # with a name, save would add a suffix
        np.save(file, image, allow_pickle=False)


def _write_exr(path: Path, image: NDArray[np.float32]) -> None:
    """Write the depth without loss, as the 32-bit channel Z that OpenEXR reserves for depth."""
    try:
        import OpenEXR  # noqa: PLC0415  an optional dependency
    except ImportError as error:
        raise OutputError(NO_EXR) from error
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
    try:
        with OpenEXR.File(header, {EXR_CHANNEL: image}) as file:
            file.write(str(path))
    except RuntimeError as error:  # any failure of the library, such as a full disk
        raise OSError(" ".join(str(error).split())) from error
