# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration of a sensor's scan pattern: grids, lists, files, cameras and plugins.

Every kind of pattern has two methods: ``source`` makes the beams, and ``check`` cheaply checks
what depends on the scan rate. Curves are in ``curves``, a head of lasers in ``spinning``.
"""

import math
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, Discriminator, Field, WithJsonSchema, model_validator

from lidar_base.sections import Section, SomePath, problem_at
from osi_lidar.config.patterns.curves import (
    FormulaPattern,
    LinePattern,
    LissajousPattern,
    RasterPattern,
    RisleyPattern,
    RosettePattern,
    SpiralPattern,
)
from osi_lidar.config.patterns.section import PatternSection
from osi_lidar.config.patterns.spinning import SpinningPattern
from osi_lidar.config.values import Azimuth, Count, Elevation, Positive, Step
from osi_lidar.sensors.pattern_files import read_angle_pairs, read_pulses
from osi_lidar.sensors.pattern_plugins import PluginSource, load_function, load_plugin
from raycore.errors import PatternError
from raycore.pattern.optics import camera
from raycore.pattern.scan_pattern import (
    ANGLE_TOLERANCE_RAD,
    MAX_BEAMS,
    MAX_ROWS,
    STEP_TOLERANCE,
    from_pairs,
    grid,
    grid_from_angles,
    repeated,
    wrapped,
)
from raycore.pattern.source import PatternSource
from raycore.pattern.table import from_table

DEFAULT_RATE_HZ = 10.0
"""Default scan rate of a sensor without a preset. [Hz]"""

FieldOfView = Annotated[Positive, Field(lt=180)]


class AngleRange(Section):
    """Evenly spaced angles from ``min_deg`` on, up to ``max_deg`` at most."""

    min_deg: Azimuth = Field(description="First angle; always included.")
    max_deg: Azimuth = Field(
        description="Upper end, at least `min_deg`; included if a whole number of steps reaches it."
    )
    step_deg: Step = Field(description="Step from one angle to the next.")

    @model_validator(mode="after")
    def _check_order(self) -> "AngleRange":
        if self.max_deg < self.min_deg:
            raise ValueError(f"max_deg {self.max_deg:g} is less than min_deg {self.min_deg:g}")
        return self

    @property
    def count(self) -> int:
        """Number of angles; the last one is below ``max_deg`` if no whole number of steps fits."""
        return int((self.max_deg - self.min_deg) / self.step_deg + STEP_TOLERANCE) + 1

    def radians(self) -> tuple[float, float, float]:
        """Return ``min_deg``, ``max_deg`` and ``step_deg`` as three floats in radians."""
        return math.radians(self.min_deg), math.radians(self.max_deg), math.radians(self.step_deg)


class GridPattern(PatternSection):
    """A grid that covers a field of view at given resolutions."""

    kind: Literal["grid"] = Field(
        description="A grid that covers a field of view at given resolutions."
    )
    horizontal: AngleRange = Field(description="Azimuths, counter-clockwise from forward.")
    vertical: AngleRange = Field(description="Elevations, positive upwards, within -90 to 90.")

    @model_validator(mode="after")
    def _check_extent(self) -> "GridPattern":
        if self.horizontal.max_deg - self.horizontal.min_deg > 360:
            raise problem_at(
                "horizontal", message="covers more than 360 degrees, expected a full turn at most"
            )
        if not -90 <= self.vertical.min_deg <= self.vertical.max_deg <= 90:
            raise problem_at("vertical", message="is not within -90 to 90 degrees")
        _check_size(self._n_column, self.vertical.count)
        return self

    @property
    def _n_column(self) -> int:
        """Number of azimuths; the two ends of a full turn are one."""
        azimuth = self.horizontal
        reached_rad = math.radians(azimuth.step_deg * (azimuth.count - 1 + STEP_TOLERANCE))
        is_turn = azimuth.count > 1 and reached_rad >= 2.0 * math.pi - ANGLE_TOLERANCE_RAD
        return azimuth.count - is_turn

    def most_beams(self, _period_s: float, /) -> int:
        """Return the number of beams of a scan: azimuths times elevations.

        The two ends of a full turn are one azimuth. The result does not depend on ``_period_s``,
        the duration of a scan [s].
        """
        return self._n_column * self.vertical.count

    def source(self, period_s: float) -> PatternSource:
        """Return a `PatternSource`, which gives the beams of each scan of ``period_s`` seconds."""
        return grid(
            horizontal_rad=self.horizontal.radians(),
            vertical_rad=self.vertical.radians(),
            period_s=period_s,
        )


class AnglesPattern(PatternSection):
    """Two lists of angles that form a grid."""

    kind: Literal["angles"] = Field(description="Two lists of angles that form a grid.")
    horizontal_deg: tuple[Azimuth, ...] = Field(min_length=1, description="Azimuths.")
    vertical_deg: tuple[Elevation, ...] = Field(min_length=1, description="Elevations.")

    @model_validator(mode="after")
    def _check_angles(self) -> "AnglesPattern":
        _check_size(len(self.horizontal_deg), len(self.vertical_deg))
        _check_distinct("horizontal_deg", self.horizontal_deg)
        _check_distinct("vertical_deg", self.vertical_deg)
        return self

    def most_beams(self, _period_s: float, /) -> int:
        """Return the number of beams of a scan: azimuths times elevations.

        It does not depend on ``_period_s``, the duration of a scan [s].
        """
        return len(self.horizontal_deg) * len(self.vertical_deg)

    def source(self, period_s: float) -> PatternSource:
        """Return a `PatternSource`, which gives the beams of each scan of ``period_s`` seconds."""
        return grid_from_angles(
            horizontal_rad=np.radians(self.horizontal_deg),
            vertical_rad=np.radians(self.vertical_deg),
            period_s=period_s,
        )


class PairsPattern(PatternSection):
    """Single beams in the given order, all fired at once."""

    kind: Literal["pairs"] = Field(
        description="Single beams in the given order, all fired at once."
    )
    azimuth_elevation_deg: tuple[tuple[Azimuth, Elevation], ...] | None = Field(
        default=None, min_length=1, description="Azimuth and elevation of each beam."
    )
    file: SomePath | None = Field(
        default=None,
        description="CSV file of two columns, azimuth and elevation; a header is skipped.",
    )

    @model_validator(mode="after")
    def _check_source(self) -> "PairsPattern":
        if (self.azimuth_elevation_deg is None) == (self.file is None):
            raise ValueError("needs exactly one of azimuth_elevation_deg and file")
        return self

    def source(self, period_s: float) -> PatternSource:
        """Return a `PatternSource`, which gives the beams of each scan of ``period_s`` seconds."""
        pairs_deg = self.azimuth_elevation_deg
        if self.file is not None:
            pairs_deg = read_angle_pairs(self.file)
        azimuth_rad, elevation_rad = np.radians(np.array(pairs_deg, np.float64)).T
        return from_pairs(azimuth_rad=azimuth_rad, elevation_rad=elevation_rad, period_s=period_s)


class TablePattern(PatternSection):
    """A file of times and angles."""

    kind: Literal["table"] = Field(description="A file of times and angles, one pulse per line.")
    file: SomePath = Field(
        description="CSV file of three columns, time [s], azimuth and elevation [deg]; a header is "
        "skipped."
    )
    repeats_after_s: Positive | None = Field(
        default=None,
        description="Time after which the table repeats. A table longer than a scan continues in "
        "the next scan. Default: the time of its last line plus one mean step.",
    )

    def source(self, period_s: float) -> PatternSource:
        """Return a `PatternSource`, which gives the beams of each scan of ``period_s`` seconds."""
        time_s, azimuth_deg, elevation_deg = read_pulses(self.file)
        try:
            return from_table(
                time_s=time_s,
                azimuth_rad=np.radians(azimuth_deg),
                elevation_rad=np.radians(elevation_deg),
                period_s=period_s,
                repeats_after_s=self.repeats_after_s,
            )
        except PatternError as error:
            raise PatternError(f"{self.file}: {error}") from None


class CameraPattern(PatternSection):
    """The pixels of a camera without distortion, all fired at once."""

    kind: Literal["camera"] = Field(
        description="The pixels of a pinhole camera, all fired at once."
    )
    width: Count = Field(description="Pixels per row.")
    height: Count = Field(description="Number of rows.")
    horizontal_fov_deg: FieldOfView = Field(
        description="Field of view from the left edge of the image to the right edge; below 180."
    )
    vertical_fov_deg: FieldOfView | None = Field(
        default=None,
        description="Field of view from the top edge to the bottom edge; below 180. Default: so "
        "that pixels are square.",
    )
    principal_point_px: tuple[Positive, Positive] | None = Field(
        default=None,
        description="Where the optical axis meets the image, in pixels from its left and its top "
        "edge; inside the image. Default: its centre, half of `width` and `height`.",
    )

    @model_validator(mode="after")
    def _check_pixels(self) -> "CameraPattern":
        if self.height > MAX_ROWS or self.width * self.height > MAX_BEAMS:
            raise ValueError(
                f"got {self.width} x {self.height} pixels, expected at most {MAX_ROWS} rows and "
                f"{MAX_BEAMS} pixels"
            )
        u_px, v_px = self.principal_point_px or (0.0, 0.0)
        if u_px >= self.width or v_px >= self.height:
            raise problem_at(
                "principal_point_px",
                message=f"got [{u_px:g}, {v_px:g}], expected a point inside the image of "
                f"{self.width} x {self.height} pixels",
            )
        return self

    def most_beams(self, _period_s: float, /) -> int:
        """Return the number of beams of a scan, one for each pixel.

        It does not depend on ``_period_s``, the duration of a scan [s].
        """
        return self.width * self.height

    def source(self, period_s: float) -> PatternSource:
        """Return a `PatternSource`, which gives the beams of each scan of ``period_s`` seconds."""
        vertical_deg = self.vertical_fov_deg
        return camera(
            width=self.width,
            height=self.height,
            horizontal_fov_rad=math.radians(self.horizontal_fov_deg),
            vertical_fov_rad=None if vertical_deg is None else math.radians(vertical_deg),
            principal_point_px=self.principal_point_px,
            period_s=period_s,
        )


def _option(value: object) -> object:
    single = value if isinstance(value, list | tuple) else [value]
    if not all(isinstance(one, str | int) or _is_finite(one) for one in single):
        raise ValueError(f"expected a number, text, true, false or a list, got {value!r:.60}")
    return value


def _is_finite(value: object) -> bool:
    return isinstance(value, float) and math.isfinite(value)


_SCALARS = [{"type": "number"}, {"type": "string"}, {"type": "boolean"}]
_LIST = {"type": "array", "items": {"anyOf": _SCALARS}}
Option = Annotated[Any, AfterValidator(_option), WithJsonSchema({"anyOf": [*_SCALARS, _LIST]})]


class PythonPattern(PatternSection):
    """A pattern made by a function of a Python file."""

    kind: Literal["python"] = Field(description="A Python function of a file.")
    file: SomePath = Field(
        description="Python file. Its code is run, so use only a file that you trust; it may "
        "import installed packages."
    )
    function: str = Field(description="Name of the function in the file.")
    options: dict[str, Option] = Field(
        default={}, description="Keyword arguments of the function, besides start and duration."
    )

    def source(self, period_s: float) -> PatternSource:
        """Return a `PatternSource`, which gives the beams of each scan of ``period_s`` seconds."""
        return PluginSource(
            name=f"{self.file}: {self.function}",
            function=load_function(self.file, self.function),
            period_s=period_s,
            options=self.options,
        )


class PluginPattern(PatternSection):
    """A pattern made by a function of another Python package."""

    kind: Literal["plugin"] = Field(description="A Python function of an installed package.")
    name: str = Field(
        description="Name of the function's entry point in the group `osi_lidar.patterns`."
    )
    options: dict[str, Option] = Field(
        default={}, description="Keyword arguments of the function, besides start and duration."
    )

    def source(self, period_s: float) -> PatternSource:
        """Return a `PatternSource`, which gives the beams of each scan of ``period_s`` seconds."""
        return PluginSource(
            name=self.name,
            function=load_plugin(self.name),
            period_s=period_s,
            options=self.options,
        )


def _check_size(n_column: int, n_row: int) -> None:
    if n_row > MAX_ROWS:
        raise ValueError(f"got {n_row} elevations, expected at most {MAX_ROWS}")
    if n_column * n_row > MAX_BEAMS:
        raise ValueError(f"got {n_column * n_row} beams, expected at most {MAX_BEAMS}")


def _check_distinct(key: str, angles_deg: tuple[float, ...]) -> None:
    """Check that no direction is given twice; as in the grid itself, -180 equals 180."""
    for angle in repeated(wrapped(np.radians(angles_deg))):
        told = f"contains {math.degrees(angle):.9g} deg twice, expected each angle once"
        raise problem_at(key, message=told)


Pattern = Annotated[
    GridPattern
    | AnglesPattern
    | PairsPattern
    | SpinningPattern
    | LissajousPattern
    | RosettePattern
    | SpiralPattern
    | LinePattern
    | RasterPattern
    | RisleyPattern
    | FormulaPattern
    | TablePattern
    | CameraPattern
    | PythonPattern
    | PluginPattern,
    Discriminator("kind"),
]
