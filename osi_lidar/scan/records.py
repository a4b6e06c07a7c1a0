# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Records of a scan: what each stage hands to the next.

    aim -> Shots -> trace -> Hits -> follow light -> Paths -> echoes -> the executor's echoes
        -> points -> Cloud

`Shots` and `Hits` are in `raycore.records`, `Cloud` is in `clouds.cloud`. The echoes of the fused
executor are `BeamEchoes`, a row per beam; the echoes of the physical executor are `ReceivedEchoes`.
`Returns`, the light before any receiver, are made from either on request.
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
    from osi_lidar.scan.media.window import SensorWindow
    from osi_lidar.scan.texture import SceneTexture
    from raycore.pattern.scan_pattern import ScanPattern
    from raycore.records import RayArrays, Shots
    from raycore.scene.graph import SceneGraph

NO_MATERIAL = 0xFFFF
"""``material_id`` of a point that is on no surface, such as a false alarm."""
SURFACE = 0
"""Value of `Returns.kind` for light from a surface; there is no other kind."""


class SunInSensorFrame(NamedTuple):
    """The sun as a sensor sees it.

    Attributes
    ----------
    lux : float
        Illuminance by the sun. [lx]
    to_sun : float64 (n_pose, 3)
        Unit vectors towards the sun at each pose, in the sensor frame.
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
        Look-up tables of the scene's surfaces.
    table : MaterialTable
        Materials at the sensor's wavelength.
    texture : SceneTexture
        Texture of the surfaces, as the sensor sees it.
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
        End of the scan; random errors depend on it. [ns]
    ambient_lux : float or None
        Illuminance of the scene; None if no message states it. [lx]
    sun : Sun or None
        The sun; None if no message states it.
    weather : Weather
        The weather.
    window : SensorWindow or None
        The sensor's window, if it is not clear.
    ground : WetGround or None
        Material tables of wet or snowy ground (``table`` is one of them); None if dry and bare.
    bodies : Bodies
        Dust and spray.
    time_ns : uint32 (n_beam,) or None
        Firing time of each beam after the start of the scan; None if points have no time. [ns]
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
    window: SensorWindow | None
    ground: WetGround | None
    bodies: Bodies
    time_ns: NDArray[np.uint32] | None

    def sun_in_sensor_frame(self) -> SunInSensorFrame | None:
        """Return the sun as the sensor sees it; None if the sun is unknown or below the horizon."""
        sun = self.sun
        if sun is None or sun.direction[2] <= 0.0:
            return None
        return SunInSensorFrame(sun.lux, np.array(sun.direction) @ self.poses[:, :3, :3])


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """The surface at the end of each ray's path, and how much of the ray's light comes back.

    A path may pass panes and bounce off mirrors. ``hits`` has a row for each ray. ``share`` is the
    fraction of the ray's light that panes and mirrors let pass there and back, ``ghost`` whether
    the surface is seen in a mirror: a row for each ray, or no rows if no ray met a pane or a
    mirror. ``legs`` has the last part of the path of each ray that met a mirror.
    """

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
        """Return which rays met neither pane nor mirror, bool (n_ray,); None: all of them."""
        return (self.share == 1.0) & ~self.ghost if len(self.share) else None

    def of_beams(self, beams: NDArray[np.uint32], n_sub: int) -> Paths:
        """Return the paths of some beams, with ``share``, ``ghost`` and ``legs`` for every ray.

        ``beams``, uint32 (n,), are indices of beams; each beam has ``n_sub`` rays. The result has
        n * n_sub rays, in the order of ``beams``.
        """
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
        """Return the same paths, with ``share``, ``ghost`` and ``legs`` filled in for every ray.

        Where they had no rows, because no ray met a pane or a mirror, they get default values.
        """
        n = len(self.hits)
        legs = self.legs._replace(of_ray=self.legs.ray_by_ray(n))
        if len(self.share):
            return replace(self, legs=legs)
        share, ghost = np.ones(n, np.float32), np.zeros(n, np.bool_)
        return replace(self, share=share, ghost=ghost, legs=legs)


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedRays:
    """The rays of some beams, and the surfaces that they have met.

    Attributes
    ----------
    rays : RayArrays
        The rays.
    range_m : float32 (n_ray,)
        Range of the whole path, as the receiver sees it. [m]
    instance : uint32 (n_ray,)
        Mesh instance that each ray has met; NOTHING if it has met none.
    legs : LastLegs
        Last legs of the rays that have met mirrors.
    n_sub : int
        Number of rays in a beam.
    beams : uint32 (n,) or None
        Indices of the beams, ascending; None: all beams.
    power_of : callable or None
        Takes indices of rays (n,), and returns the power of the light that comes back on them,
        float64 (n,) in any unit. It may be None if beams are single rays.
    """

    rays: RayArrays
    range_m: NDArray[np.float32]
    instance: NDArray[np.uint32]
    legs: LastLegs
    n_sub: int
    beams: NDArray[np.uint32] | None = None
    power_of: Callable[[NDArray[np.int64]], NDArray[np.float64]] | None = None


class ScanHits(NamedTuple):
    """The hits of all beams of a scan, and of the beams that were traced again with more rays.

    Attributes
    ----------
    first : TracedRays
        Rays and hits of all beams, from the first look.
    again : TracedRays or None
        Rays and hits of the beams that were traced again, the second look; None if none was.
    several : bool (n_beam,) or None
        Whether the rays of each beam in the first look did not all meet the same mesh instance. It
        may be None if beams are single rays.
    """

    first: TracedRays
    again: TracedRays | None = None
    several: NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Returns:
    """Light that comes back to the sensor, before any receiver: a row for each return.

    Rows are in the order of beams, and within a beam in the order of its rays, not of ranges.

    Attributes
    ----------
    beam : uint32 (n_return,)
        Index of the beam in the pattern, ascending.
    range_m : float32 (n_return,)
        Range of the whole path of the light. [m]
    strength : float64 (n_return,)
        Power relative to a white target that fills the beam at that range. [1]
    shot : uint32 (n_return,)
        Index of the ray that met the surface: the row in the scan's hits.
    kind : uint8 (n_return,)
        Always `SURFACE`.
    first_of_block : int64 (n_block + 1,)
        First row of each block of 1024 beams, then the number of rows.
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

    All records except the cloud are valid only until the sensor's next scan.

    Attributes
    ----------
    exposure : Exposure
        The circumstances of the scan.
    shots : Shots
        The rays as they were shot.
    paths : Paths
        The surfaces that the rays met: for depth images.
    echoes : object
        The executor's record of echoes; ``executor.returns_of`` turns it into `Returns`.
    cloud : Cloud
        The points that the sensor reports: for PCD files and SensorData.
    """

    exposure: Exposure
    shots: Shots
    paths: Paths
    echoes: object
    cloud: Cloud
