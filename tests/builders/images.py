# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""glTF files of upright walls with an image of their base colour."""

import base64
import io
import json

import numpy as np
from PIL import Image

from tests.builders.files import written


def png(red):
    """Return an image file whose red channel is given, uint8 (n_row, n_column); green is not it."""
    red = np.asarray(red, np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(np.stack([red, 255 - red, np.full_like(red, 7)], axis=2)).save(buffer, "PNG")
    return buffer.getvalue()


def grey_png(grey):
    """Return an image file of grey values, uint8 (n_row, n_column)."""
    buffer = io.BytesIO()
    Image.fromarray(np.asarray(grey, np.uint8)).save(buffer, "PNG")
    return buffer.getvalue()


def data_uri(content, kind="image/png"):
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def wall(corners, uv, uri, sampler=None, name="Wall"):
    """Return the JSON of a quadrilateral of four corners with an image; x is forward, z is up."""
    points, places = np.asarray(corners, "<f4"), np.asarray(uv, "<f4")
    faces = np.array([0, 1, 2, 0, 2, 3], "<u2")
    binary = points.tobytes() + places.tobytes() + faces.tobytes()
    texture = {"source": 0} if sampler is None else {"source": 0, "sampler": 0}
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "materials": [
            {"name": name, "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}},
        ],
        "textures": [texture],
        "samplers": [sampler or {}],
        "images": [{"uri": uri}],
        "meshes": [
            {
                "primitives": [
                    {
                        "attributes": {"POSITION": 0, "TEXCOORD_0": 1},
                        "indices": 2,
                        "material": 0,
                    }
                ]
            }
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5126, "count": 4, "type": "VEC2"},
            {"bufferView": 2, "componentType": 5123, "count": 6, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 32},
            {"buffer": 0, "byteOffset": 80, "byteLength": 12},
        ],
        "buffers": [
            {"uri": data_uri(binary, "application/octet-stream"), "byteLength": len(binary)}
        ],
    }


UPRIGHT = [[0, 0], [1, 0], [1, 1], [0, 1]]
"""Places in the image of the corners top left, top right, bottom right and bottom left."""


def upright(x_m=10.0, half_m=4.0):
    """Return the corners of a square wall before the sensor, from the top left on as it sees it."""
    return [(x_m, half_m, half_m), (x_m, -half_m, half_m), (x_m, -half_m, -half_m),
            (x_m, half_m, -half_m)]  # fmt: skip


def write_wall(path, red, *, corners=None, uv=UPRIGHT, sampler=None):
    """Write a wall that shows an image, the image in the file."""
    corners = upright() if corners is None else corners
    return written(path, json.dumps(wall(corners, uv, data_uri(png(red)), sampler)))
