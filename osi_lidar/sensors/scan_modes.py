# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Columns and rates of known sensors: what a device offers, and what a configuration chose."""

from typing import Literal

from pydantic import Field

from osi_lidar.sensors.physical import Strict

_MAX_COLUMNS = 36_000  # the encoder of a Velodyne counts hundredths of a degree


class ScanMode(Strict):
    """Columns in a full turn of a sensor's beams, and its scans per second.

    Attributes
    ----------
    columns : int
        Columns (firings of all lasers) in a full turn.
    rotation_rate_hz : float
        Scans per second. [Hz]
    turns_per_scan : float
        Turns of the beams during a scan: 1 for a rotating head; less for a mirror with several
        faces, because each face makes a scan.
    """

    columns: int
    rotation_rate_hz: float
    turns_per_scan: float = 1.0

    @property
    def turn_s(self) -> float:
        """Duration of a full turn of the beams [s]."""
        return 1.0 / (self.rotation_rate_hz * self.turns_per_scan)

    @property
    def column_s(self) -> float:
        """Time from one column to the next [s]."""
        return self.turn_s / self.columns


class FreeRunning(Strict):
    """A firing clock independent of the rotation: a faster turn has fewer, wider columns.

    Attributes
    ----------
    kind : "free_running"
        Marks this class in a file of a known sensor.
    firing_cycle_us : float
        Time from one firing of all lasers, a column, to the next. [us]
    min_rotation_rate_hz, max_rotation_rate_hz, default_rotation_rate_hz : float
        Lowest and highest allowed turns per second, and those without a user's choice. [Hz]
    source : str
        Where the figures were read.
    """

    kind: Literal["free_running"]
    firing_cycle_us: float = Field(gt=0)
    min_rotation_rate_hz: float = Field(gt=0)
    max_rotation_rate_hz: float = Field(gt=0)
    default_rotation_rate_hz: float = Field(gt=0)
    source: str

    def sweep(self, columns: int | None, rotation_rate_hz: float | None) -> ScanMode:
        """Return the scan mode with a number of columns per turn and a rate in turns per second.

        None for ``rotation_rate_hz`` means the default rate. None for ``columns`` means as many as
        the firing clock makes in a turn. Raise ValueError, with the allowed values, if a value is
        out of bounds.
        """
        rate_hz = self.default_rotation_rate_hz if rotation_rate_hz is None else rotation_rate_hz
        if not self.min_rotation_rate_hz <= rate_hz <= self.max_rotation_rate_hz:
            raise ValueError(
                f"rotation_rate_hz: got {rate_hz:g}, expected "
                f"{self.min_rotation_rate_hz:g} to {self.max_rotation_rate_hz:g}"
            )
        if columns is None:
            columns = round(1e6 / (rate_hz * self.firing_cycle_us))
        if not 1 <= columns <= _MAX_COLUMNS:
            raise ValueError(f"columns: got {columns}, expected 1 to {_MAX_COLUMNS}")
        return ScanMode(columns=columns, rotation_rate_hz=rate_hz)

    def sweeps(self) -> tuple[ScanMode, ...]:
        """Return the scan modes at the default, the lowest and the highest rate, in this order."""
        low_hz, high_hz = self.min_rotation_rate_hz, self.max_rotation_rate_hz
        return tuple(self.sweep(None, rate) for rate in (None, low_hz, high_hz))


class ColumnModes(Strict):
    """A fixed set of scan modes, each with its columns per turn and its rate.

    Attributes
    ----------
    kind : "column_modes"
        Marks this class in a file of a known sensor.
    modes : tuple of ScanMode
        The modes; the first one is the default.
    source : str
        Where the figures were read.
    """

    kind: Literal["column_modes"]
    modes: tuple[ScanMode, ...] = Field(min_length=1)
    source: str

    def sweep(self, columns: int | None, rotation_rate_hz: float | None) -> ScanMode:
        """Return the mode with these ``columns`` and ``rotation_rate_hz`` [Hz]; None means any.

        If several modes fit, one with the columns of the default is preferred, then one with the
        rate of the default. Raise ValueError, which lists the modes, if none fits.
        """
        fitting = [
            mode
            for mode in self.modes
            if columns in (None, mode.columns) and rotation_rate_hz in (None, mode.rotation_rate_hz)
        ]
        if not fitting:
            got = [
                f"{name} {value:g}"
                for name, value in (("columns", columns), ("rotation_rate_hz", rotation_rate_hz))
                if value is not None
            ]
            allowed = sorted((mode.columns, mode.rotation_rate_hz) for mode in self.modes)
            raise ValueError(
                f"got {' and '.join(got)}, expected columns x rotation_rate_hz of "
                + ", ".join(f"{n_column}x{rate_hz:g}" for n_column, rate_hz in allowed)
            )
        default = self.modes[0]
        return min(
            fitting,
            key=lambda mode: (
                mode.columns != default.columns,
                mode.rotation_rate_hz != default.rotation_rate_hz,
            ),
        )

    def sweeps(self) -> tuple[ScanMode, ...]:
        """Return all modes that the device offers, the default first."""
        return self.modes


class StepMode(Strict):
    """A rate that a sensor offers, and the azimuth step between its columns at this rate.

    Attributes
    ----------
    rotation_rate_hz : float
        Scans per second. [Hz]
    azimuth_step_deg : float
        Angle from one column to the next. [deg]
    """

    rotation_rate_hz: float
    azimuth_step_deg: float = Field(gt=0)


class StepModes(Strict):
    """A fixed set of scan rates, each with its azimuth step.

    Attributes
    ----------
    kind : "step_modes"
        Marks this class in a file of a known sensor.
    modes : tuple of StepMode
        Scans per second, with the azimuth step; the first one is the default.
    turns_per_scan : float
        Turns of the beams during a scan; less than 1 for a mirror with several faces.
    source : str
        Where the figures were read.
    """

    kind: Literal["step_modes"]
    modes: tuple[StepMode, ...] = Field(min_length=1)
    turns_per_scan: float = Field(default=1.0, gt=0, le=1)
    source: str

    def sweep(self, columns: int | None, rotation_rate_hz: float | None) -> ScanMode:
        """Return the scan mode with the rate ``rotation_rate_hz`` [Hz]; None: the first mode.

        ``columns`` must be None, because the rate decides the columns. Raise ValueError, with the
        allowed rates, if there is no such mode.
        """
        allowed = ", ".join(f"{mode.rotation_rate_hz:g}" for mode in self.modes)
        if columns is not None:
            raise ValueError(
                f"columns: got {columns}, leave it out: columns follow from rotation_rate_hz, "
                f"which is one of {allowed}"
            )
        for sweep in self.sweeps():
            if rotation_rate_hz in (None, sweep.rotation_rate_hz):
                return sweep
        raise ValueError(f"rotation_rate_hz: got {rotation_rate_hz:g}, expected one of {allowed}")

    def sweeps(self) -> tuple[ScanMode, ...]:
        """Return all modes that the device offers as scan modes, the default first."""
        return tuple(
            ScanMode(
                columns=round(360 / mode.azimuth_step_deg),
                rotation_rate_hz=mode.rotation_rate_hz,
                turns_per_scan=self.turns_per_scan,
            )
            for mode in self.modes
        )
