# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages foxglove.PointCloud of any program, decoded by the schema that their file holds."""

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
"""The name of the schema."""
_TYPES = {1: "u1", 2: "i1", 3: "<u2", 4: "<i2", 5: "<u4", 6: "<i4", 7: "<f4", 8: "<f8"}
"""Of numpy, by the numbers of foxglove.PackedElementField."""


def cloud_reader(definition: bytes) -> Callable[[bytes], NDArray[Any]]:
    """Return what decodes messages into points, structured (n_point,).

    The points are as the message has them: its pose, which places them in a frame, is not applied.

    Parameters
    ----------
    definition : bytes
        The schema's FileDescriptorSet.
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
