# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Presets of known sensors: their figures and their scan patterns.

A preset is a file in ``data/`` that gives every figure with its source::

    wavelength_nm:
      value: 905
      source: where it was read

A figure that was fitted to recordings has, besides its source, a ``fit`` (:class:`Fit`).
:func:`load_preset` gives the values as attributes and keeps the sources in ``sources``.
"""

import functools
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError, model_validator

from lidar_base.errors import YamlFileError
from lidar_base.files.natural_order import natural_key
from lidar_base.files.yaml_files import read_yaml
from lidar_base.near_match import nearest
from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors.channels import Channels, UnitSpread
from osi_lidar.sensors.configured_sensors import plain, ready_names
from osi_lidar.sensors.physical import Fit, PhysicalFigures
from osi_lidar.sensors.reports import PER_CENT, Reports
from osi_lidar.sensors.scan_modes import ColumnModes, FreeRunning, ScanMode, StepModes
from raycore.pattern.scan_pattern import ScanPattern, rotating
from raycore.pattern.source import part_of

_FOLDER = Path(__file__).with_name("data")

# Names in use elsewhere, including the tags of LiMOX.
_ALIASES = {
    "Puck": "VLP-16",
    "VLP-16-HiRes": "Puck-HiRes",
    "HDL-32": "HDL-32E",
    "HDL-64": "HDL-64E",
    "HDL-64E-S2": "HDL-64E",
    "Ibeo-4L": "Ibeo-LUX-4L",
    "Ibeo-LUX": "Ibeo-LUX-4L",
    "Ultra-Puck": "VLP-32C",
    "Alpha-Prime": "VLS-128",
    "Pandar128E3X": "Pandar128",
    "PandarXT": "XT32",
    "PandarXT-32": "XT32",
    "PandarXT-16": "XT16",
    "PandarXT32M": "XT32M",
    "PandarXT-32M2X": "XT32M",
    "XT32M2X": "XT32M",
    "PandarQT": "QT64",
    "PandarQT128": "QT128",
    "QT128C2X": "QT128",
    "PandarAT128": "AT128",
    "OS0": "OS0-128",
    "OS2": "OS2-128",
}


class SensorPreset(PhysicalFigures):
    """A known sensor. Figures for which no source was found are None or empty.

    The figures of its signal are described in ``PhysicalFigures``.

    Attributes
    ----------
    channels : Channels
        The lasers, with nominal angles; with the angles of one unit if the design is not known.
    calibrated_example : Channels or None
        The lasers of one real unit, in addition to the nominal ones.
    scan : FreeRunning, ColumnModes or StepModes
        The columns in a turn and the rates that the device offers.
    wavelength_nm : float
        Wavelength of its light. [nm]
    min_range_m, max_range_m : float
        Smallest and largest range that the device measures. [m]
    range_pairs : tuple of (percent, metres)
        Reflectivities of targets and their detection ranges, through which ``range_fit`` lays a
        curve; without pairs, ``max_range_m`` holds for every reflectivity.
    range_pairs_basis : {"data sheet", "recordings", "estimate"} or None
        Source of the pairs: the maker, recordings, or an estimate of this or another project.
    units : UnitSpread or None
        How much the angles of units differ; None if at most one unit is known.
    unit_noise, unit_signal : float or None
        Standard deviations, from unit to unit, of the logarithm of the range noise and of the
        received signal; None if at most one unit was measured. [1]
    reports : Reports
        How the device reports the strength of an echo, in bytes and photons.
    sources : dict
        Source of each figure, by name.
    fits : dict
        How each figure that comes from recordings was fitted, by name of the figure.
    """

    channels: Channels
    calibrated_example: Channels | None = None
    scan: Annotated[FreeRunning | ColumnModes | StepModes, Field(discriminator="kind")]
    wavelength_nm: float = Field(gt=0)
    min_range_m: float = Field(ge=0)
    max_range_m: float = Field(gt=0)
    range_pairs: tuple[tuple[float, float], ...] = ()
    range_pairs_basis: Literal["data sheet", "recordings", "estimate"] | None = None
    range_fit: Literal["root2"] = "root2"
    units: UnitSpread | None = None
    unit_noise: float | None = Field(default=None, ge=0)
    unit_signal: float | None = Field(default=None, ge=0)
    reports: Reports = PER_CENT
    sources: dict[str, str]
    fits: dict[str, Fit] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _pairs_have_a_basis(self) -> "SensorPreset":
        if bool(self.range_pairs) != (self.range_pairs_basis is not None):
            raise ValueError(
                "got only one of range_pairs and range_pairs_basis, expected both or neither"
            )
        return self

    @property
    def unit_channels(self) -> Channels | None:
        """The lasers with the angles of one real unit; None if only nominal angles are known."""
        return self.channels if self.channels.angles == "unit" else self.calibrated_example

    @property
    def angles(self) -> str:
        """The known sets of laser angles as text, such as "nominal, one unit's"; default first."""
        words = {"nominal": "nominal", "unit": "one unit's"}
        known = (self.channels, self.calibrated_example)
        return ", ".join(words[each.angles] for each in known if each is not None)

    @property
    def n_channels(self) -> int:
        """Number of lasers."""
        return len(self.channels.elevation_deg)

    def sweep(
        self, *, columns: int | None = None, rotation_rate_hz: float | None = None
    ) -> ScanMode:
        """Return the scan mode (columns in a full turn, rotation rate) that a user's choice means.

        ``columns`` is the number of columns, ``rotation_rate_hz`` the number of scans per second
        [Hz]. A value that is None is derived from the other value, or is the device's default.

        Raises
        ------
        ConfigurationError
            If the device does not offer this choice; the message lists what it offers.
        """
        try:
            return self.scan.sweep(columns, rotation_rate_hz)
        except ValueError as error:
            raise ConfigurationError(f"sensor {self.name}: {error}") from None

    def pattern(
        self,
        *,
        columns: int | None = None,
        rotation_rate_hz: float | None = None,
        lasers: Channels | None = None,
    ) -> ScanPattern:
        """Return the scan pattern of the sensor.

        Parameters
        ----------
        columns : int, optional
            Columns in a full turn, one of the numbers that the device offers. A free-running sensor
            (Velodyne) takes any number; its default follows from firing clock and rotation rate.
        rotation_rate_hz : float, optional
            Full turns per second; default: the device's. [Hz]
        lasers : Channels, optional
            Lasers of a unit, such as the calibrated example, in place of `channels`.

        Raises
        ------
        ConfigurationError
            If the device does not offer this choice.
        """
        channels = lasers or self.channels
        sweep = self.sweep(columns=columns, rotation_rate_hz=rotation_rate_hz)
        elevation_rad = np.radians(channels.elevation_deg)
        turn = rotating(
            elevation_rad=elevation_rad,
            azimuth_offset_rad=channels.azimuth_offset_rad(),
            beam_origin_m=channels.beam_origin_m(),
            firing_phase=self.firing_phase(sweep),
            azimuth_window_rad=self.channels.windows_rad(),
            n_columns=sweep.columns,
            period_s=sweep.turn_s,
        )
        return self.scan_of(turn, sweep, elevation_rad)

    def scan_of(
        self, turn: ScanPattern, sweep: ScanMode, elevation_rad: NDArray[np.float64]
    ) -> ScanPattern:
        """Return the pattern of one scan: the beams of a full turn, without those that never fire.

        Directions and firing times of the beams stay. The pattern lasts as long as the scan,
        which is shorter than the turn if a mirror has several faces.

        Parameters
        ----------
        turn : ScanPattern
            Beams of a full turn, within the azimuth windows of their lasers.
        sweep : ScanMode
            Columns of the turn, and scans per second.
        elevation_rad : float64 (n_laser,)
            Elevation of each laser, as used to make the turn; from it follows which laser has which
            row. [rad]

        Raises
        ------
        PatternError
            If no beam is left, or one fires after the end of the scan.
        """
        top_down = np.argsort(-elevation_rad, kind="stable")
        fires = self.channels.fires(top_down[turn.ring], turn.column)
        period_s = 1.0 / sweep.rotation_rate_hz
        if fires is None and turn.period_s == period_s:
            return turn
        return part_of(turn, fires, period_s=period_s)

    def firing_phase(self, sweep: ScanMode) -> NDArray[np.float64]:
        """Return when each laser fires, as a fraction of its column's duration, float64 (n_laser,).

        ``sweep`` is the chosen scan mode, with the duration of a column. In a free-running sensor
        (Velodyne), a column lasts one firing cycle, for any number of columns.
        """
        time_us = np.arange(self.n_channels, dtype=np.float64) * self.channels.firing_step_us
        if self.channels.firing_time_us:
            time_us = np.array(self.channels.firing_time_us, np.float64)
        if isinstance(self.scan, FreeRunning):  # any number of columns, fixed clock
            return time_us / self.scan.firing_cycle_us
        return time_us * 1e-6 / sweep.column_s


def preset_names() -> list[str]:
    """Return the names of all presets, sorted so that numbers in them count as numbers."""
    return sorted((file.stem for file in _FOLDER.glob("*.yaml")), key=natural_key)


def preset_aliases() -> list[str]:
    """Return the other names by which presets are known."""
    return sorted(_ALIASES)


def load_preset(name: str) -> SensorPreset:
    """Return the preset of this name.

    Parameters
    ----------
    name : str
        One of :func:`preset_names` or :func:`preset_aliases`; case and punctuation are ignored.

    Raises
    ------
    ConfigurationError
        If there is no such preset; the message names the nearest.
    """
    known = {plain(alias): target for alias, target in _ALIASES.items()}
    known |= {plain(preset): preset for preset in preset_names()}
    if plain(name) not in known:
        known |= {plain(ready): ready for ready in ready_names()}
        near = nearest(plain(name), known)
        hint = f"did you mean {known[near]}? " if near else ""
        raise ConfigurationError(
            f"unknown sensor {name!r}: {hint}known are "
            + ", ".join([*preset_names(), *ready_names()])
        )
    return read_preset(_FOLDER / f"{known[plain(name)]}.yaml")


@functools.cache
def read_preset(path: Path) -> SensorPreset:
    """Return the preset in the file ``path``, which is read only once.

    Raises
    ------
    ConfigurationError
        The file cannot be read, or a value is missing or wrong; the message names file and value.
    """
    try:
        figures = read_yaml(path, own=True)
        sourced = {key: entry for key, entry in figures.items() if _is_sourced(entry)}
        sources = {key: entry["source"] for key, entry in sourced.items()}
        fits = {key: entry.pop("fit") for key, entry in sourced.items() if "fit" in entry}
        values = {
            key: entry["value"] if key in sourced and "value" in entry else entry
            for key, entry in figures.items()
        }
        return SensorPreset.model_validate({**values, "sources": sources, "fits": fits})
    except YamlFileError as error:
        raise ConfigurationError(f"{path}: cannot be read as a sensor preset: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ConfigurationError(f"{path}: {where}: {first['msg']}") from None


def _is_sourced(entry: object) -> bool:
    return isinstance(entry, dict) and "source" in entry
