# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The mesh of an object, with its axes as far as they are known."""

from dataclasses import dataclass
from pathlib import Path

from material_mapping import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """The mesh of an object and its axes, or the reason why it has none.

    Attributes
    ----------
    path : Path or None
        Mesh file; None: the object becomes a built-in shape or a box of its OSI dimension.
    up, forward : str
        Axis of the mesh that points up or forward: ``x -x y -y z -z``; ``forward`` may be ``auto``.
    origin : str
        Where the mesh lies in the box: ``auto center ground rear_axle as_is``, see `placement`.
    scale : float
        Metres per unit of the mesh. [m]
    fit : bool
        Whether the mesh fills the OSI box exactly; then ``origin`` and ``scale`` do not count.
    reason : str
        Why this mesh was chosen, or why there is none.
    roots : tuple of Path or None
        Folders that the mesh may read files from; None (any) if the configuration names the mesh.
    rules : tuple of Rule
        Material rules of the object rule of the configuration that matches the object.
    asset_file : Path or None
        OpenMATERIAL 3D asset that was named, and beside which the mesh lies; None without one.
    """

    path: Path | None
    up: str = "z"
    forward: str = "auto"
    origin: str = "auto"
    scale: float = 1.0
    fit: bool = False
    reason: str
    roots: tuple[Path, ...] | None = None
    rules: tuple[Rule, ...] = ()
    asset_file: Path | None = None

    @property
    def from_rule(self) -> bool:
        """Whether a rule of the configuration names the mesh; an unusable mesh is then an error."""
        return self.path is not None and self.roots is None
