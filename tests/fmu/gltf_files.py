# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Write a small glTF file."""

import json
import struct

import numpy as np

QUAD_M = np.array([[0, -1, -1], [0, 1, -1], [0, 1, 1], [0, -1, 1]], np.float32)


def gltf_header(uri):
    indices = np.array([0, 1, 2, 0, 2, 3], np.uint32)
    data = QUAD_M.tobytes() + indices.tobytes()
    views = [{"buffer": 0, "byteOffset": 0, "byteLength": 48}]
    views.append({"buffer": 0, "byteOffset": 48, "byteLength": 24})
    corners = {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"}
    primitive = {"attributes": {"POSITION": 0}, "indices": 1, "material": 0}
    bounds = {"min": QUAD_M.min(axis=0).tolist(), "max": QUAD_M.max(axis=0).tolist()}
    header = {
        "asset": {"version": "2.0"},
        "buffers": [{"uri": uri, "byteLength": len(data)}],
        "bufferViews": views,
        "accessors": [
            corners | bounds,
            {"bufferView": 1, "componentType": 5125, "count": 6, "type": "SCALAR"},
        ],
        "materials": [{"name": "Paint"}],
        "meshes": [{"primitives": [primitive]}],
        "nodes": [{"mesh": 0}],
        "scenes": [{"nodes": [0]}],
    }
    return json.dumps(header).encode(), data


def write_gltf(path, uri):
    """Write a square with its buffer in a file of its own, as JSON or, by the suffix, binary."""
    header, data = gltf_header(uri)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".glb":
        header += b" " * (-len(header) % 4)
        chunk = struct.pack("<II", len(header), 0x4E4F534A) + header
        header = struct.pack("<4sII", b"glTF", 2, 12 + len(chunk)) + chunk
    path.write_bytes(header)
    return data
