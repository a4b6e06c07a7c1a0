# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The ``scene`` section of the configuration, as frozen pydantic models."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from lidar_base.sections import Section, SomePath
from osi_lidar.config.values import (
    AutoSwitch,
    Azimuth,
    DashLength,
    ForwardAxis,
    Ground,
    MeshPath,
    ObjectIds,
    Origin,
    Point,
    Positive,
    Scale,
    Seed,
    Switch,
    UpAxis,
)
from raycore.mesh.mesh_names import ASSET_SUFFIX, comes_upright, mesh_beside_asset


def _check_axes(up: str, forward: str, mesh: Path | None) -> None:
    if mesh is not None and comes_upright(mesh) and up not in ("auto", "z"):
        raise ValueError(
            f"up is {up}, expected auto: an OpenUSD file states its upAxis, and is read with z up"
        )
    if up != "auto" and forward.lstrip("-") == up:
        raise ValueError(
            f"up {up} and forward {forward} lie on the same axis, expected two different axes"
        )


class EnvironmentMesh(Section):
    """A static mesh and its pose in the world."""

    mesh: MeshPath = Field(description="Mesh file.")
    up: UpAxis = Field(default="auto", description="Axis of the mesh that points up.")
    forward: ForwardAxis = Field(
        default="auto", description="Axis of the mesh that becomes the world's x."
    )
    scale: Scale = Field(default=1.0, description="Metres per unit of the mesh.")
    position_m: Point = Field(
        default=(0.0, 0.0, 0.0), description="Position of the mesh's origin in the world."
    )
    roll_deg: Azimuth = Field(default=0.0, description="Rotation about x, applied first.")
    pitch_deg: Azimuth = Field(default=0.0, description="Rotation about y.")
    yaw_deg: Azimuth = Field(default=0.0, description="Rotation about z; positive turns left.")

    @property
    def asset_file(self) -> Path | None:
        """The OpenMATERIAL 3D asset that ``mesh`` names; None if ``mesh`` names a mesh file."""
        return self.mesh if self.mesh.suffix.lower() == ASSET_SUFFIX else None

    @property
    def mesh_file(self) -> Path:
        """The mesh file that ``mesh`` names, or that lies beside the asset that ``mesh`` names.

        If no mesh file lies beside the asset, it is the path of the asset.
        """
        return (self.asset_file and mesh_beside_asset(self.asset_file)) or self.mesh

    @model_validator(mode="after")
    def _check(self) -> "EnvironmentMesh":
        _check_axes(self.up, self.forward, self.mesh_file)
        return self


class Match(Section):
    """The objects that a rule applies to; all given criteria must match."""

    model_reference: str | None = Field(
        default=None,
        description="Glob pattern for the object's model_reference in OSI, case-sensitive.",
    )
    type: str | None = Field(default=None, description="OSI type, such as `VEHICLE`.")
    subtype: str | None = Field(default=None, description="OSI subtype, such as `CAR`.")
    id: ObjectIds | None = Field(default=None, description="OSI id, or a list of ids.")

    @model_validator(mode="after")
    def _check_given(self) -> "Match":
        if (self.model_reference, self.type, self.subtype, self.id) == (None,) * 4:
            raise ValueError(
                "is empty, expected at least one of model_reference, type, subtype, id"
            )
        return self


class ObjectRule(Section):
    """The mesh of some objects, and its pose in their boxes. The first rule that matches counts."""

    match: Match = Field(description="Objects that the rule applies to.")
    mesh: MeshPath | None = Field(
        default=None, description="Mesh file. Default: the file that model_reference names."
    )
    up: UpAxis = Field(default="auto", description="Axis of the mesh that points up.")
    forward: ForwardAxis = Field(
        default="auto", description="Axis of the mesh that points forward."
    )
    origin: Origin = Field(default="auto", description="Where the mesh's origin lies in the box.")
    scale: Scale = Field(default=1.0, description="Metres per unit of the mesh.")
    fit: Switch = Field(
        default=False,
        description="Scale the mesh to fill the OSI box exactly; `scale` and `origin` are ignored.",
    )
    materials: dict[str, str] = Field(
        default={},
        description="Infrared materials of these objects: `{visual material or glob: infrared "
        "material}`.",
    )

    @model_validator(mode="after")
    def _check(self) -> "ObjectRule":
        _check_axes(self.up, self.forward, self.mesh)
        return self


class Teleport(Section):
    """Limits above which a motion is a jump: the object rests, and then appears elsewhere."""

    speed_m_s: Positive = Field(
        default=400.0,
        description="Largest speed from pose to pose above the object's stated velocity; a "
        "velocity that is not stated counts as 0.",
    )
    turn_deg_s: Positive = Field(
        default=720.0,
        description="Largest rate of rotation from pose to pose. Half a turn from one message to "
        "the next is always a jump.",
    )


class Markings(Section):
    """Dashes of broken road markings, where the trace does not describe the dashes."""

    dash_m: DashLength | None = Field(
        default=None, description="Length of a dash. Default: by country and kind of road."
    )
    gap_m: DashLength | None = Field(
        default=None, description="Gap between dashes. Default: by country and kind of road."
    )


class SurroundingsSection(Section):
    """Trees, hedges, lamp posts, fences and houses that are made up beside the roads."""

    seed: Seed | None = Field(
        default=None,
        description="Seed that decides what stands where. Default: `seed` of the configuration.",
    )


def _surroundings_tag(value: object) -> str:
    return "section" if isinstance(value, (Mapping, Section)) else "switch"


class SceneSection(Section):
    """The scene that the sensors see."""

    search: tuple[SomePath, ...] = Field(
        default=(), description="Folders, with sub-folders, in which meshes are looked for."
    )
    environment: tuple[EnvironmentMesh, ...] = Field(default=(), description="Static meshes.")
    objects: tuple[ObjectRule, ...] = Field(
        default=(), description="Rules for the meshes of objects; the first match wins."
    )
    map: SomePath | None = Field(
        default=None,
        description="OpenDRIVE map, drawn in place of the lanes of the trace. Default: the file "
        "that the trace's map_reference names, beside the trace or in `search`.",
    )
    roads: AutoSwitch = Field(
        default="auto",
        description="Whether lanes of the trace or the map are drawn: road surfaces, markings, "
        "kerbs, rails, signs. `auto`: if there is no environment mesh.",
    )
    markings: Markings = Field(
        default=Markings.unstated(),
        description="Dashes of broken road markings that the trace does not describe.",
    )
    surroundings: Annotated[
        Annotated[Switch, Tag("switch")] | Annotated[SurroundingsSection, Tag("section")],
        Discriminator(_surroundings_tag),
    ] = Field(
        default=False,
        description="Whether trees, hedges, lamp posts, fences and houses are made up beside the "
        "roads; `{seed: N}` makes up others "
        "([surroundings](../explanation/roads.md#surroundings)).",
    )
    shapes: Literal["auto", "box"] = Field(
        default="auto",
        description="Shape of objects without a mesh. `auto`: a built-in shape of the OSI type if "
        "the type is specific enough, else a box; `box`: always a box.",
    )
    articulation: Literal["auto", "none"] = Field(
        default="auto",
        description="Whether parts of objects move: `auto` lets wheels roll and steer "
        "and people walk ([moving parts](../explanation/articulation.md)); `none` leaves shapes "
        "stiff.",
    )
    ground: Ground = Field(
        default="auto",
        description="The ground: `auto` (below the roads, else a plane below the lowest object; "
        "none with an environment mesh alone), `none`, or the height of a plane.",
    )
    host_visible: Switch = Field(
        default=False, description="Whether a sensor sees the vehicle that carries it."
    )
    teleport: Teleport = Field(
        default=Teleport.unstated(), description="Limits above which a motion is a jump."
    )
    images: Literal["none", "base_color"] = Field(
        default="none",
        description="Whether the image of a glTF material's base colour gives its surface a "
        "pattern, scaled to the reflectivity of its infrared material. Only sensors with `texture` "
        "see the pattern.",
    )
    mesh_cache: Switch = Field(
        default=True,
        description="Whether parsed meshes are stored in the user's cache folder for later runs; "
        "results are the same either way.",
    )

    def surroundings_seed(self, general: int) -> int | None:
        """Return the seed of the surroundings: their own, or ``general``, the configuration's seed.

        None: the configuration asks for no surroundings.
        """
        if isinstance(self.surroundings, SurroundingsSection):
            return general if self.surroundings.seed is None else self.surroundings.seed
        return general if self.surroundings else None
