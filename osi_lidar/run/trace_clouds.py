# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The clouds of a trace, in one call."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from pathlib import Path
from sys import maxsize
from typing import TYPE_CHECKING

from osi_lidar.config import Config, default_config, load_config
from osi_lidar.config.models import DEFAULT_SENSOR
from osi_lidar.errors import InputError
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import frame_to_answer, model_of

if TYPE_CHECKING:
    import os

    from osi_lidar.clouds.cloud import Cloud
    from osi_lidar.config.fidelity import Fidelity
    from osi_lidar.model import LidarModel
    from osi_lidar.scan.step import Step


def scan_trace(  # noqa: PLR0913  the options of `osi-lidar replay`
    trace: str | os.PathLike[str],
    *,
    sensor: str | None = None,
    config: Config | str | os.PathLike[str] | None = None,
    fidelity: Fidelity | None = None,
    frames: slice | range = slice(None),
    host_id: int | None = None,
    map_file: str | os.PathLike[str] | None = None,
    source: str | None = None,
) -> TraceClouds:
    """Scan a recorded OSI trace, and yield its clouds one after another.

    Each frame gives one cloud per sensor, in the order of the configuration; with
    ``timing: sensor_rate``, the clouds of the scans that it completes. The attributes ``sensor``,
    ``time_ns``, ``world_from_sensor`` and ``materials`` of the clouds are set.

    Parameters
    ----------
    trace : path
        An OSI trace: ``.osi .mcap .txth``, also ``.gz .xz``.
    sensor : str, optional
        Name of a known sensor; it replaces the sensors of a configuration file. Default: as
        configured; without a configuration, OS1-128. Do not combine it with a `Config`.
    config : Config or path, optional
        The configuration, or its file.
    fidelity : {"ideal", "physical"}, optional
        Replaces the fidelity of all sensors. Do not combine it with a `Config`; set it there.
        Default: as configured; without a configuration, "ideal".
    frames : slice or range
        The frames to scan, such as ``range(10, 20)``; default: all.
    host_id : int, optional
        OSI id of the vehicle that carries the sensors; default: the host in the trace.
    map_file : path, optional
        OpenDRIVE map, drawn as the road.
    source : str, optional
        Topic of an MCAP file that has several channels of messages.

    Returns
    -------
    TraceClouds
        An iterator of `Cloud`; its ``model.fallbacks`` lists the substitutions.

    Raises
    ------
    InputError, ConfigurationError, TraceError
        If an option, the configuration or the trace cannot be used.

    Examples
    --------
    >>> for cloud in osi_lidar.scan_trace("drive.osi", sensor="VLP-16", frames=range(2)):
    ...     print(cloud.time_ns, cloud.points["range"].max() < 100.0)
    100000000 True
    200000000 True
    """
    chosen = _configuration(config, sensor, fidelity)
    if map_file is not None:
        chosen = chosen.with_map(Path(map_file))
    read = FrameSource(trace, host_id=host_id, frames=_slice(frames), source=source)
    return TraceClouds(read, chosen)


def _configuration(
    config: Config | str | os.PathLike[str] | None, sensor: str | None, fidelity: Fidelity | None
) -> Config:
    if config is None:
        return default_config(sensor or DEFAULT_SENSOR, fidelity=fidelity or "ideal")
    if not isinstance(config, Config):
        return load_config(config, sensor=sensor, fidelity=fidelity)
    for name, value in (("sensor", sensor), ("fidelity", fidelity)):
        if value is not None:
            raise InputError(f"{name}: got {value!r} and a Config, expected it in the Config only")
    return config


def _slice(frames: slice | range) -> slice:
    """Return the frames as a slice that counts upwards from the first frame of the trace."""
    if not isinstance(frames, (slice, range)):
        expected = "a range or a slice, such as range(5) for the first five"
        raise InputError(f"frames: got {frames!r}, expected {expected}")
    start, stop, step = frames.start or 0, frames.stop, frames.step or 1
    numbers = [start, step] if stop is None else [start, step, stop]
    whole = all(isinstance(each, Integral) and each <= maxsize for each in numbers)
    if not whole or start < 0 or step < 1 or (stop is not None and stop <= start):
        raise InputError(f"frames: got {frames}, expected numbers that grow, such as range(10, 20)")
    return slice(start, stop, step)


def _steps(source: FrameSource, model: LidarModel) -> Iterator[Step]:
    """Yield the answers to the frames of a trace."""
    is_first = True
    for message in source.messages():
        frame = frame_to_answer(message, model, {})
        if frame is not None:
            if is_first:
                model.begin_run()
            is_first = False
            yield model.step(frame)


class TraceClouds(Iterator["Cloud"]):
    """The clouds of a trace, one after another.

    Parameters
    ----------
    source : FrameSource
        The trace.
    config : Config
        The configuration of sensors, scene and materials.

    Attributes
    ----------
    model : LidarModel
        The model that scans; ``model.fallbacks`` lists its substitutions so far.
    """

    def __init__(self, source: FrameSource, config: Config) -> None:
        self.model = model_of(config, source)
        self._source = source
        self._clouds = (scan.cloud for step in _steps(source, self.model) for scan in step.scans)

    def __next__(self) -> Cloud:
        """Return the next cloud; errors as for `FrameSource.messages`."""
        return next(self._clouds)

    def __repr__(self) -> str:
        return f"TraceClouds({self._source!r}, {self.model.config!r})"
