# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Records of a scan: what each stage hands to the next.

    aim -> Shots -> trace -> Hits -> follow light -> Paths -> echoes -> the executor's echoes
        -> points -> Cloud

`Shots` and `Hits` are of `raycore.records`, `Cloud` is of `clouds.cloud`. The fused executor's
echoes are `BeamEchoes`, a row per beam; those of the physical one are `ReceivedEchoes`. `Returns`,
the light before any receiver, are made of either on request.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray  # noqa: TC002  read by get_type_hints

from lidar_base.columns import Column
from raycore.records import Hits  # noqa: TC001  read by get_type_hints
from raycore.trace.legs import NO_LEGS, LastLegs

if TYPE_CHECKING:
    from collections.abc import Callable

    from lidar_scenery.surfaces import Surfaces
    from lidar_scenery.weather.bodies import Bodies
    from lidar_scenery.weather.ground import WetGround
    from lidar_scenery.weather.state import Weather
    from material_mapping import MaterialTable
    from osi_bridge import Sun
    from osi_lidar.clouds.cloud import Cloud
    from osi_lidar.scan.media.window import WindowLook
    from osi_lidar.scan.texture import SceneTexture
    from raycore.pattern.scan_pattern import ScanPattern
    from raycore.records import RayArrays, Shots
    from raycore.scene.graph import SceneGraph

NO_MATERIAL = 0xFFFF
"""``material_id`` of a point that is on no surface: of a false alarm."""
SURFACE = 0
"""Kind of a return: light from a surface."""


class SunSeen(NamedTuple):
    """The sun as a sensor sees it.

    Attributes
    ----------
    lux : float
        Its illuminance. [lx]
    to_sun : float64 (n_pose, 3)
        Unit vectors towards it at each pose, in the sensor frame.
    """

    lux: float
    to_sun: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """The circumstances of one scan: the world, the beams, and the sensor's poses.

    Attributes
    ----------
    scene : SceneGraph
        The committed scene.
    surfaces : Surfaces
        Its look-up tables.
    table : MaterialTable
        Materials at the sensor's wavelength.
    texture : SceneTexture
        Their texture, as the sensor sees it.
    sends_on : bool
        Whether a surface of the scene may send light on: glazing or a mirror.
    pattern : ScanPattern
        The beams.
    axis : float32 (3, n_beam)
        Directions in which the beams are shot, with their errors.
    shots : Shots
        The rays of the beams without errors of direction.
    poses : float64 (n_pose, 4, 4)
        world_from_sensor. [m]
    end_ns : int
        Time of the end of the scan, which random errors depend on. [ns]
    ambient_lux : float or None
        Illuminance of the scene; None if no message states it. [lx]
    sun : Sun or None
        The sun; None if no message states it.
    weather : Weather
        What is in the air.
    window : WindowLook or None
        The sensor's window, if that is not clear.
    ground : WetGround or None
        Its materials, of which ``table`` is one; None where it is dry and bare.
    bodies : Bodies
        Dust and spray.
    time_ns : uint32 (n_beam,) or None
        When each beam fires, after the start of the scan; None if points do not state it. [ns]
    """

    scene: SceneGraph
    surfaces: Surfaces
    table: MaterialTable
    texture: SceneTexture
    sends_on: bool
    pattern: ScanPattern
    axis: NDArray[np.float32]
    shots: Shots
    poses: NDArray[np.float64]
    end_ns: int
    ambient_lux: float | None
    sun: Sun | None
    weather: Weather
    window: WindowLook | None
    ground: WetGround | None
    bodies: Bodies
    time_ns: NDArray[np.uint32] | None

    def sun_seen(self) -> SunSeen | None:
        """Return the sun as the sensor sees it; None if it is below the horizon, or not known."""
        sun = self.sun
        if sun is None or sun.direction[2] <= 0.0:
            return None
        return SunSeen(sun.lux, np.array(sun.direction) @ self.poses[:, :3, :3])


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """The surface at the end of each ray's path, and how much of its light comes back."""

    hits: Hits
    share: Annotated[
        NDArray[np.float32],
        Column("f4", ("n_share",), "1", "transmission there and back; no rows: 1 of all rays"),
    ]
    ghost: Annotated[
        NDArray[np.bool_],
        Column("?", ("n_ghost",), "", "seen in a mirror; no rows: of no ray"),
    ]
    legs: LastLegs = NO_LEGS

    def straight(self) -> NDArray[np.bool_] | None:
        """Return which rays have met no pane and no mirror, bool (n_ray,); None if all have not."""
        return (self.share == 1.0) & ~self.ghost if len(self.share) else None

    def of_beams(self, beams: NDArray[np.uint32], n_sub: int) -> Paths:
        """Return the paths of some beams of n_sub rays."""
        rays = (beams[:, None].astype(np.int64) * n_sub + np.arange(n_sub)).ravel()
        all_rows = self.ray_by_ray()
        return replace(
            all_rows,
            hits=self.hits.rows(rays),
            share=all_rows.share[rays],
            ghost=all_rows.ghost[rays],
            legs=all_rows.legs._replace(of_ray=all_rows.legs.of_ray[rays]),
        )

    def ray_by_ray(self) -> Paths:
        """Return the same paths, with a row for each ray in all columns."""
        n = len(self.hits)
        legs = self.legs._replace(of_ray=self.legs.ray_by_ray(n))
        if len(self.share):
            return replace(self, legs=legs)
        share, ghost = np.ones(n, np.float32), np.zeros(n, np.bool_)
        return replace(self, share=share, ghost=ghost, legs=legs)


@dataclass(frozen=True, slots=True, kw_only=True)
class RaysMet:
    """What the rays of some beams have met.

    Attributes
    ----------
    rays : RayArrays
        The rays.
    range_m : float32 (n_ray,)
        Of the whole path, as the receiver sees it. [m]
    instance : uint32 (n_ray,)
        What the rays have met, NOTHING where they met nothing.
    legs : LastLegs
        Their last legs, where these begin at mirrors.
    n_sub : int
        Rays of a beam.
    beams : uint32 (n,) or None
        The beams, ascending; None: all.
    power_of : callable or None
        Returns the power of the light that comes back on rays (n,), float64 (n,) in any unit; not
        needed where a beam is a single ray.
    """

    rays: RayArrays
    range_m: NDArray[np.float32]
    instance: NDArray[np.uint32]
    legs: LastLegs
    n_sub: int
    beams: NDArray[np.uint32] | None = None
    power_of: Callable[[NDArray[np.int64]], NDArray[np.float64]] | None = None


class BeamsSeen(NamedTuple):
    """What all beams of a scan have met, and some of them when they were looked at again.

    Attributes
    ----------
    first, again : RaysMet and RaysMet or None
    several : bool (n_beam,) or None
        Whether the first look met several instances with a beam; None if beams are single rays.
    """

    first: RaysMet
    again: RaysMet | None = None
    several: NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Returns:
    """Light that comes back to the sensor, before any receiver.

    Rows are in the order of their beams, and of their ranges within a beam.
    """

    beam: Annotated[NDArray[np.uint32], Column("u4", ("n_return",), "", "index of the beam")]
    range_m: Annotated[NDArray[np.float32], Column("f4", ("n_return",), "m", "of the whole path")]
    strength: Annotated[
        NDArray[np.float64],
        Column(
            "f8", ("n_return",), "1", "relative to a white target that fills the beam at that range"
        ),
    ]
    shot: Annotated[
        NDArray[np.uint32], Column("u4", ("n_return",), "", "row of the hit, or NOTHING")
    ]
    kind: Annotated[NDArray[np.uint8], Column("u1", ("n_return",), "", "SURFACE")]
    first_of_block: Annotated[
        NDArray[np.int64], Column("i8", ("n_row",), "", "first row of each block of beams, and n")
    ]

    def __len__(self) -> int:
        return len(self.beam)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanned:
    """The records of one scan from which outputs are made.

    All but the cloud stay valid until the sensor's next scan only.

    Attributes
    ----------
    exposure : Exposure
        The circumstances.
    shots : Shots
        The rays as they were shot.
    paths : Paths
        What they met: for depth images.
    echoes : object
        The executor's record of what came back; ``Lidar.returns_of`` gives it as `Returns`.
    cloud : Cloud
        What the sensor reports: for PCD files and SensorData.
    """

    exposure: Exposure
    shots: Shots
    paths: Paths
    echoes: object
    cloud: Cloud
