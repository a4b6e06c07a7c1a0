# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Depth images of sensors whose beams are the pixels of a camera, as PFM, EXR or NPY files."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

import numpy as np

from osi_lidar.errors import OutputError
from osi_lidar.output.files import replacing

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from osi_lidar.config.models import DepthFormat

EXR_CHANNEL = "Z"
NO_EXR = "OpenEXR is not installed: pip install 'osi-lidar[exr]'"


def missing_library(kind: DepthFormat) -> str:
    """Return what there is to install before images of a format can be written, else nothing."""
    return NO_EXR if kind == "exr" and importlib.util.find_spec("OpenEXR") is None else ""


def write_depth(path: Path, image: NDArray[np.float32]) -> None:
    """Write a depth image in the format that the file's suffix says.

    Parameters
    ----------
    path : Path
        The file, ``.pfm``, ``.exr`` or ``.npy``; it is replaced if it exists.
    image : float32 (height, width)
        The upper row first. [m]

    Raises
    ------
    OutputError
        If the file cannot be written, or OpenEXR is not installed.
    """
    write = {".pfm": _write_pfm, ".exr": _write_exr, ".npy": _write_npy}[path.suffix]
    with replacing(path) as temporary:
        write(temporary, np.ascontiguousarray(image, "<f4"))


def _write_pfm(path: Path, image: NDArray[np.float32]) -> None:
    """Write a portable float map, whose rows go from the bottom to the top.

    One channel (Pf), little endian (a scale below 0), as P. Debevec defined it.
    """
    height, width = image.shape
    with path.open("wb") as file:
        file.write(f"Pf\n{width} {height}\n-1.0\n".encode())
        file.write(image[::-1].tobytes())


def _write_npy(path: Path, image: NDArray[np.float32]) -> None:
    with path.open("wb") as file:  # save would add a suffix to a name
        np.save(file, image, allow_pickle=False)


def _write_exr(path: Path, image: NDArray[np.float32]) -> None:
    """Write the depth as the 32 bit channel Z, which OpenEXR reserves for it, without loss."""
    try:
        import OpenEXR  # noqa: PLC0415  an extra
    except ImportError as error:
        raise OutputError(NO_EXR) from error
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
    try:
        with OpenEXR.File(header, {EXR_CHANNEL: image}) as file:
            file.write(str(path))
    except RuntimeError as error:  # whatever the library stumbles over, a full disk for one
        raise OSError(" ".join(str(error).split())) from error
