# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The targets by name: each is a kind of input that the product takes from others."""

from tests.fuzz.targets import (
    archives,
    documents,
    live,
    materials,
    meshes,
    messages,
    recordings,
    runs,
    sensors,
    tables,
)

_PARTS = (
    *(messages, documents, meshes, materials, sensors, recordings, tables, runs, live),
    archives,
)
TARGETS = {each.name: each for part in _PARTS for each in part.TARGETS}
