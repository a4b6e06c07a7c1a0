# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The targets by name: each is a kind of input that the product takes from others."""

from tests.fuzz.targets import documents, materials, meshes, tables

_PARTS = (documents, materials, meshes, tables)
TARGETS = {each.name: each for part in _PARTS for each in part.TARGETS}
