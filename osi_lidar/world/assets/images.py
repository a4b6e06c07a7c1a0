# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Base-colour images of the meshes of a run, which vary the reflectivity of surfaces."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from osi_lidar.errors import ConfigurationError
from raycore.images.faces import NO_IMAGES, images_on_faces, joined
from raycore.images.pixels import NO_PILLOW
from raycore.images.reading import base_color_images

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from osi_lidar.world.fallbacks import Fallbacks
    from raycore.images.image_kernels import ImageArrays
    from raycore.images.reading import ColorImage
    from raycore.mesh.mesh import Mesh
    from raycore.scene.records import SceneTables


class MeshImages:
    """Base-colour images of all meshes, in the order of the meshes' indices.

    Call `add` for each mesh in this order. Until `switch_on` is called, meshes have no images.
    """

    def __init__(self) -> None:
        self._unread: Fallbacks | None = None
        self._of_mesh: dict[Mesh, dict[str, ColorImage]] = {}
        self._parts: list[ImageArrays] = []
        self._joined: tuple[int, ImageArrays] = 0, NO_IMAGES

    def switch_on(self, unread: Fallbacks) -> None:
        """Let `read` read images from now on; it lists unreadable images in ``unread``.

        Raises
        ------
        ConfigurationError
            If Pillow is not installed.
        """
        if find_spec("PIL") is None:
            raise ConfigurationError(f"scene.images: {NO_PILLOW}")
        self._unread = unread

    def read(
        self, path: Path, mesh: Mesh, roots: Sequence[Path] | None, digests: dict[Path, str]
    ) -> None:
        """Read the images of a mesh, and keep them for `add`; do nothing if they were read before.

        ``path`` is the file of the mesh, and ``roots`` are the folders that images may lie in;
        None: any. The hash of each file that is read is added to ``digests``. Nothing is read
        before `switch_on`, or for a mesh without texture coordinates.

        Raises
        ------
        MeshError
            If the file is not readable any more.
        """
        if self._unread is None or not len(mesh.uv) or mesh in self._of_mesh:
            return
        self._of_mesh[mesh], problems = base_color_images(path, roots=roots, digests=digests)
        for material, reason in problems.items():
            name = f"of {material or 'a material without a name'} in {path.name}"
            self._unread.note("image", name, used="no pattern", reason=reason)

    def share(self, mesh: Mesh, part: Mesh) -> None:
        """Give ``part``, a mesh cut from ``mesh``, the images that were read for ``mesh``."""
        self._of_mesh[part] = self._of_mesh.get(mesh, {})

    def add(self, mesh: Mesh, transparent: Collection[int]) -> None:
        """Add the images of ``mesh``, which has the next index; ``transparent`` slots get none."""
        images = self._of_mesh.get(mesh)
        rows = mesh.faces_of(transparent, inverse=True) if images else None
        self._parts.append(NO_IMAGES if rows is None else images_on_faces(mesh, rows, images or {}))

    def of_rows(self, tables: SceneTables, n_row: int) -> ImageArrays:
        """Return the images of the ``n_row`` rows of the scene's look-up tables of surfaces.

        First there is a row for each primitive (triangle that rays can meet) of each mesh. Rows of
        material variants follow; they have no images.
        """
        if n_row != self._joined[0]:
            n_primitive = len(tables.slot_of_primitive)
            each = np.diff(tables.first_row, append=n_primitive).tolist()
            parts = [*zip(each, self._parts, strict=True), (n_row - n_primitive, NO_IMAGES)]
            self._joined = n_row, joined(parts)
        return self._joined[1]
