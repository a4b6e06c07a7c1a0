# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Decoding of foxglove.PointCloud messages of any program, by the schema in their file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessages

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

POINT_CLOUD = "foxglove.PointCloud"
"""Name of the schema."""
_TYPES = {1: "u1", 2: "i1", 3: "<u2", 4: "<i2", 5: "<u4", 6: "<i4", 7: "<f4", 8: "<f8"}
"""Numpy types, by the type numbers of foxglove.PackedElementField."""


def cloud_reader(definition: bytes) -> Callable[[bytes], NDArray[Any]]:
    """Return a function that decodes a serialised message into points, structured (n_point,).

    The points have the fields that the message states. The message's pose is not applied to them.

    Parameters
    ----------
    definition : bytes
        The schema: a serialised FileDescriptorSet that contains foxglove.PointCloud.
    """
    files = FileDescriptorSet.FromString(definition).file
    kind: Any = GetMessages(files, pool=DescriptorPool())[POINT_CLOUD]

    def read(message: bytes) -> NDArray[Any]:
        cloud = kind.FromString(message)
        row = np.dtype(
            {
                "names": [field.name for field in cloud.fields],
                "formats": [_TYPES[field.type] for field in cloud.fields],
                "offsets": [field.offset for field in cloud.fields],
                "itemsize": cloud.point_stride,
            }
        )
        return np.frombuffer(cloud.data, row)

    return read
