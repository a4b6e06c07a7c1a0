# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Changes of sensors while a stream runs: scan pattern, rolling shutter, motion blur."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from lidar_base.near_match import near_match
from osi_lidar.config import load_config
from osi_lidar.config.patterns.texts import pattern_within, source_of
from osi_lidar.errors import InputError
from osi_lidar.live.ports.policy import MOST_BEAMS
from osi_lidar.scan.from_config import pattern_source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from osi_lidar.config import Config, Sensor
    from osi_lidar.model import LidarModel
    from osi_lidar.scan.lidar import Lidar
    from raycore.pattern.source import PatternSource

SWITCHES = ("rolling_shutter", "motion_blur")
_CHANGED = ("pattern", *SWITCHES)
_KEYS = ("sensor", *_CHANGED)
_LONGEST_TEXT = 2000


class Changes:
    """Changes the sensors of a model; each change is made completely, or not at all.

    Parameters
    ----------
    model : LidarModel
        The model; a change takes effect with the next scan of a sensor.
    reread : callable or None
        Returns the configuration to reload; None: it is read from its file again.
    """

    def __init__(self, model: LidarModel, reread: Callable[[], Config] | None) -> None:
        self._model = model
        self._reread = reread or self._from_file
        self._configured = {sensor.name: sensor for sensor in model.config.sensors}
        self._n_beams = {lidar.name: lidar.pattern.n_beams for lidar in model.lidars}
        self._most_beams = max(MOST_BEAMS, sum(self._n_beams.values()))
        file = model.config.file
        self._folder = Path.cwd() if file is None else file.parent

    def apply(self, command: object) -> list[dict[str, object]]:
        """Make the change that a command asks for; return its new values.

        The result has a dict for each changed sensor: its name (``sensor``), and the new values by
        key. After a reload, ``needs_restart`` lists changed keys that have no effect yet.

        Parameters
        ----------
        command : object
            ``{"reload": True}``, to take the patterns and switches of all sensors from the
            configuration; or a dict with at least one of ``pattern`` (None: the configured one),
            ``rolling_shutter`` and ``motion_blur``. If the model has several sensors, the dict also
            has the name of one, ``sensor``.

        Raises
        ------
        OsiLidarError, RayCoreError
            The command cannot be executed, and nothing is changed; one line says why.
        """
        if not isinstance(command, dict):
            raise InputError(f'expected an object such as {{"pattern": ..}}, got {_json(command)}')
        if "reload" in command:
            if len(command) > 1 or command["reload"] is not True:
                raise InputError('reload: expected {"reload": true} and nothing else')
            return self._reload()
        for key in command:
            if key not in _KEYS:
                hint = near_match(key, _KEYS)
                raise InputError(f"{key[:60]!r}: unknown key{hint} (allowed: {', '.join(_KEYS)})")
        return [self._change(command)]

    def _change(self, command: Mapping[str, object]) -> dict[str, object]:
        lidar = self._lidar(command.get("sensor"))
        asked = {key: value for key, value in command.items() if key != "sensor"}
        if not asked:
            raise InputError(
                f"got a command without a change, expected one of {', '.join(_CHANGED)}, reload"
            )
        switches: dict[str, bool] = {}
        for name in SWITCHES:
            value = asked.get(name)
            if isinstance(value, bool):
                switches[name] = value
            elif name in asked:
                raise InputError(f"{name}: expected true or false, got {_json(value)}")
        source = self._pattern(lidar, asked["pattern"]) if "pattern" in asked else None
        lidar.timing.check(source, **switches)
        self._use(lidar, source, switches)
        return {"sensor": lidar.name} | {key: _bounded(value) for key, value in asked.items()}

    def _pattern(self, lidar: Lidar, value: object) -> PatternSource:
        """Return the pattern that keys or a file describe; for None, the configured pattern."""
        self._check_images(lidar)
        if value is None:
            return pattern_source(self._configured[lidar.name])
        section = pattern_within(value, self._folder)
        others = sum(self._n_beams.values()) - self._n_beams[lidar.name]
        most_beams = max(self._most_beams - others, 0)
        period_s = lidar.pattern.period_s
        return source_of(section, period_s=period_s, name="pattern", most_beams=most_beams)

    def _reload(self) -> list[dict[str, object]]:
        """Read the configuration again; apply the patterns and motion switches of all sensors."""
        anew = {sensor.name: sensor for sensor in self._reread().sensors}
        if anew.keys() != self._configured.keys():
            names = ", ".join(anew), ", ".join(self._configured)
            raise InputError("the file now has the sensors {}, expected {}".format(*names))
        plans = []
        for lidar in self._model.lidars:
            old, new = self._configured[lidar.name], anew[lidar.name]
            if (new.pattern is None) != (old.pattern is None):
                raise InputError(
                    f"sensor {lidar.name}: cannot change from a preset to a pattern, or back, "
                    "without a restart of the stream"
                )
            if new.pattern != old.pattern:
                self._check_images(lidar)
            taken = old.model_copy(update={key: getattr(new, key) for key in _CHANGED})
            source, switches = pattern_source(taken), {key: getattr(new, key) for key in SWITCHES}
            lidar.timing.check(source, **switches)
            plans.append((lidar, taken, source, switches))
        for lidar, taken, source, switches in plans:
            self._use(lidar, source, switches)
            self._configured[lidar.name] = taken
        return [_reloaded(taken, anew[lidar.name]) for lidar, taken, *_ in plans]

    def _use(
        self, lidar: Lidar, source: PatternSource | None, switches: Mapping[str, bool]
    ) -> None:
        if source is not None:
            lidar.timing.use_pattern(source)
            self._n_beams[lidar.name] = source.at(0.0).n_beams
        lidar.timing.use_motion(**switches)

    def _from_file(self) -> Config:
        file = self._model.config.file
        if file is None:
            raise InputError(
                "reload: the stream was started without a configuration file, so none can be read "
                "again"
            )
        return load_config(file)

    def _lidar(self, name: object) -> Lidar:
        lidars = {lidar.name: lidar for lidar in self._model.lidars}
        if name is None and len(lidars) == 1:
            return self._model.lidars[0]
        if not isinstance(name, str) or name not in lidars:
            hint = near_match(name, lidars)
            names = ", ".join(lidars)
            raise InputError(f"sensor: got {_json(name)}{hint}, expected one of: {names}")
        return lidars[name]

    def _check_images(self, lidar: Lidar) -> None:
        if lidar.is_camera and self._model.config.output.depth != "none":
            raise InputError(
                f"sensor {lidar.name}: the pattern of a camera cannot change while its depth "
                "images are written (output.depth)"
            )


def _reloaded(taken: Sensor, new: Sensor) -> dict[str, object]:
    """Return the reloaded values of a sensor, and the changed keys that need a restart."""
    pattern = None if taken.pattern is None else taken.pattern.model_dump(mode="json")
    change: dict[str, object] = {"sensor": taken.name, "pattern": _bounded(pattern)}
    change |= {name: getattr(taken, name) for name in SWITCHES}
    waiting = [key for key, value in taken if value != getattr(new, key)]
    return change | ({"needs_restart": waiting} if waiting else {})


def _json(value: object) -> str:
    return json.dumps(value)[:60]


def _bounded(value: object) -> object:
    """Return a JSON value; if its text is long, only the beginning of the text."""
    text = json.dumps(value)
    return value if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]} .."
