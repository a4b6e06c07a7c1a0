# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What the page does with a chunk, written again with numpy."""

import base64
import gzip
import json
import re
import struct

import numpy as np


def chunk_of(data):
    """Return the header of a chunk, and its columns by name: codes, and what they mean."""
    plain = gzip.decompress(data)
    (size,) = struct.unpack("<I", plain[:4])
    header = json.loads(plain[4 : 4 + size])
    start, columns = 4 + size, {}
    for column in header["columns"]:
        n_row = column.get("rows", header["rows"])
        codes = np.zeros(n_row, np.int64)
        for place in range(column["bytes"]):
            plane = np.frombuffer(plain, np.uint8, n_row, start)
            codes += plane.astype(np.int64) << (8 * place)
            start += n_row
        if "table" not in column:
            codes = np.cumsum(np.where(codes & 1, -(codes >> 1) - 1, codes >> 1)) % 2**32
        columns[column["name"]] = {**column, "codes": codes}
    assert start == len(plain)
    return header, columns


def values_of(column):
    """Return the values of a column: text of tables, else numbers."""
    if "table" in column:
        return np.array(column["table"], object)[column["codes"]]
    if isinstance(column["offset"], str):
        return np.array([int(column["offset"]) + int(code) for code in column["codes"]], object)
    numbers = column["offset"] + (column["codes"] - column["none"]) * column["step"]
    return np.where((column["codes"] == 0) & (column["none"] == 1), np.nan, numbers)


def places_of(columns):
    """Return x, y and z of the points, float64 (n, 3)."""
    if "@range" not in columns:
        return np.stack([values_of(columns[axis]) for axis in "xyz"], axis=1)
    r, a, e = (values_of(columns[name]) for name in ("@range", "@azimuth", "@elevation"))
    return np.stack([r * np.cos(e) * np.cos(a), r * np.cos(e) * np.sin(a), r * np.sin(e)], axis=1)


def page_of(text):
    """Return the manifest of a page and its chunks."""
    (manifest,) = re.findall(
        r'<script type="application/json" id="manifest">(.*?)</script>', text, re.DOTALL
    )
    chunks = re.findall(r'<script type="text/plain" id="chunk-\d+">(.*?)</script>', text)
    return json.loads(manifest), [base64.b64decode(chunk) for chunk in chunks]
