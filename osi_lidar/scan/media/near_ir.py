# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ambient light in the pixels of a sensor: the sunlight that surfaces send to it.

    L = (albedo / pi) (E_sun max(0, n s) + E_sky)

is the radiance of a matt surface with the normal n, on the side that the sensor sees, under a sun
in the direction s [1]_. It does not depend on the range: a pixel sees a larger area of a farther
surface. `lidar_scenery.weather.sunlight` has the two irradiances. The albedo is pi times the
material's BRDF at 45 degrees, as colour is measured without gloss [2]_: R(45) / cos 45, at most 1.

No further ray is traced. So nothing casts a shadow; texture, panes, mirrors, the window and the
air between change nothing; and if a beam meets two surfaces, each point has the full radiance of
its surface. Points that are on no surface have 0.

References
----------
.. [1] M. Pharr, W. Jakob, G. Humphreys, Physically Based Rendering, 4th edition, MIT Press, 2023,
   sections 4.2 and 9.2, https://pbr-book.org
.. [2] CIE 015:2018, Colorimetry, geometry 45:0, doi:10.25039/TR.015.2018
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.weather.sunlight import FULL_SUN_LUX, irradiance
from osi_lidar.clouds.cloud import NEAR_IR, with_columns, with_near_ir

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_lidar.clouds.cloud import Cloud
    from osi_lidar.scan.records import Exposure

_BESIDE_GLOSS_DEG = 45


def with_ambient_light(cloud: Cloud, exposure: Exposure) -> Cloud:
    """Return a cloud with the ambient light that comes from its points.

    Parameters
    ----------
    cloud : Cloud
        The points of a scan.
    exposure : Exposure
        The scan.

    Returns
    -------
    Cloud
        The cloud with the additional last column ``near_ir``. [W/(m^2 sr nm)]
    """
    points = with_near_ir(cloud.points)
    points[NEAR_IR] = _radiance(points, cloud.beam, exposure)
    return with_columns(cloud, points=points)


def _radiance(
    points: NDArray[np.void], beam: NDArray[np.uint32], exposure: Exposure
) -> NDArray[np.float64]:
    """Return the radiance of the surfaces of points, float64 (n_point,) [W/(m^2 sr nm)]."""
    lux = FULL_SUN_LUX if exposure.ambient_lux is None else exposure.ambient_lux
    nm, sun = exposure.table.wavelength_nm, exposure.sun_in_sensor_frame()
    light = irradiance(lux, 0.0 if sun is None else sun.lux, wavelength_nm=nm)
    received = np.full(len(points), light.sky)
    if sun is not None:
        to_sun, moment = sun.to_sun, exposure.shots.moment
        of_point = to_sun[moment[beam]] if len(moment) > 1 else to_sun[moment]
        cosine = sum(points[f"normal_{axis}"] * of_point[:, k] for k, axis in enumerate("xyz"))
        received += light.sun * np.maximum(cosine, 0.0)
    radiance: NDArray[np.float64] = _albedo(points["material_id"], exposure) / math.pi * received
    return radiance


def _albedo(material_id: NDArray[np.uint16], exposure: Exposure) -> NDArray[np.float64]:
    """Return the albedo of materials, float64 (n_point,) [1]."""
    reflectance = exposure.table.reflectance[:, _BESIDE_GLOSS_DEG].astype(np.float64)
    matt = np.minimum(reflectance / math.cos(math.radians(_BESIDE_GLOSS_DEG)), 1.0)
    of_nothing = len(matt)  # also for points on no surface
    albedo: NDArray[np.float64] = np.append(matt, 0.0)[np.minimum(material_id, of_nothing)]
    return albedo
