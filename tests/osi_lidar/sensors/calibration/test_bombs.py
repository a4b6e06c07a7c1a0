# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Calibrations that state much in few bytes end in one line."""

import io

import numpy as np

from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors.calibration.livox import read_livox_npy
from tests.builders.refusals import one_line


def test_beams_have_the_bytes_of_their_shape(tmp_path):
    file = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": (2**40, 2)}
    np.lib.format.write_array_header_1_0(file, header)
    with one_line(ConfigurationError, "bytes of an array: got 17592186044416, expected at most"):
        read_livox_npy(tmp_path / "mid360.npy", file.getvalue())
