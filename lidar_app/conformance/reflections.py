# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reflections (`lidar_sensor_view` in SensorView) for subjects that take rays, not objects."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from pydantic import ValidationError

from lidar_app.conformance.oracle import beam_grid, firing_times_s
from lidar_base.sections import first_problem
from osi_bridge import FrameDecoder, OsiInputError, encode_sensor_view
from osi_lidar.config import Config
from osi_lidar.errors import ConfigurationError, InputError
from osi_lidar.model import LidarModel
from osi_lidar.output.sensor_view import SPEED_OF_LIGHT_M_S, lidar_views

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from lidar_app.conformance.asking import Question
    from lidar_app.conformance.sheet import DataSheet
    from lidar_app.conformance.subjects.subject import BenchSubject, Replied
    from osi_bridge import LidarView

WAVELENGTH_NM = 905.0
EMITTER_HZ = SPEED_OF_LIGHT_M_S / (1e-9 * WAVELENGTH_NM)
"""Frequency of the light, for Doppler shifts. [Hz]"""
FARTHER = 3.0
"""Greatest range at which reflections are traced, divided by the subject's maximum range.

The subject must drop the reflections beyond its own range.
"""


class ReflectionTracer:
    """Traces the reflections of a data sheet's beams, with the ideal model of this package.

    Parameters
    ----------
    sheet : DataSheet
        Data sheet of the subject.

    Raises
    ------
    InputError
        If the sheet does not state the beams, or states several echoes.
    ConfigurationError
        If beams, range or mounting are outside of what the model can trace.
    """

    def __init__(self, sheet: DataSheet) -> None:
        grid = beam_grid(sheet)
        if grid is None or sheet.beams is None:
            raise InputError("--reflections: the data sheet has no beams, expected its key beams")
        if sheet.echoes > 1:
            told = f"--reflections: the sheet has echoes {sheet.echoes}, expected 1"
            raise InputError(f"{told}, because one ray is sent for each beam")
        azimuth, elevation = (each[_by_rows(*grid)] for each in grid)
        fired = np.argsort(firing_times_s(sheet, azimuth)[-1], kind="stable")
        self._ray_of_beam = fired.astype(np.uint32)
        beams = azimuth[fired], elevation[fired]
        self._in_order, self._alone = _model(sheet, *beams), _model(sheet, *beams)

    @property
    def description(self) -> str:
        """Description of the reflections, for the report."""
        return f"lidar_sensor_view of {len(self._ray_of_beam)} rays at {EMITTER_HZ:.4g} Hz"

    def filled(self, questions: Iterable[Question]) -> Iterator[Question]:
        """Yield the messages of a scene with reflections added, one for each message.

        Reflections are the hits of rays, in OSI's `lidar_sensor_view`; there is one ray for each
        beam.

        Parameters
        ----------
        questions : iterable of Question
            The messages of one scene, in order; they are not changed. A late or damaged message
            (`may_be_silent`) is traced on its own, without earlier messages. A message that cannot
            be decoded is yielded as it is.
        """
        self._in_order.restart()
        in_order = FrameDecoder("SensorView", strict=True)
        for index, question in enumerate(questions):
            model, decoder = self._in_order, in_order
            if question.may_be_silent:
                model, decoder = self._alone, FrameDecoder("SensorView", strict=True)
                model.restart()
            try:
                model.step(decoder.decode(question.data, index))
                views = [self._view(model)]
                data = encode_sensor_view(question.data, "SensorView", views)
            except OsiInputError:
                yield question
            else:
                yield question._replace(data=data)

    def _view(self, model: LidarModel) -> LidarView:
        """Return the last scan of a model as a view, with rays in rows from top to bottom."""
        (view,) = lidar_views(model)
        found, ray = view.reflections, self._ray_of_beam
        direction = np.empty_like(view.direction)
        direction[ray] = view.direction
        nearing_m_s = np.zeros(len(ray))
        for scan in model.last_scans.values():
            if scan.cloud.velocity_m_s is not None:
                nearing_m_s[scan.cloud.beam] = scan.cloud.velocity_m_s
        doppler_hz = 2.0 * EMITTER_HZ / SPEED_OF_LIGHT_M_S * nearing_m_s[found.beam_index]
        found = replace(found, beam_index=ray[found.beam_index], doppler_hz=doppler_hz)
        return replace(view, direction=direction, reflections=found, emitter_hz=EMITTER_HZ)


class ReflectionSubject:
    """A tested model (subject) that receives reflections in addition to ground truth.

    Parameters
    ----------
    subject : BenchSubject
        The subject that receives the messages.
    tracer : ReflectionTracer
        Adds the reflections to the messages.
    """

    def __init__(self, subject: BenchSubject, tracer: ReflectionTracer) -> None:
        self._subject, self._tracer = subject, tracer
        self.is_live = subject.is_live

    def ask(self, scene: str, questions: Sequence[Question], /) -> Replied:
        """Add reflections to the messages of a scene, and return the answers of the tested model.

        Parameters
        ----------
        scene : str
            Name of the scene.
        questions : sequence of Question
            The messages, without reflections.

        Returns
        -------
        list of (bytes or None)
            Encoded SensorData for each message; None: no answer.
        """
        return self._subject.ask(scene, list(self._tracer.filled(questions)))

    def close(self) -> None:
        """End the subject that receives the messages."""
        self._subject.close()


def _by_rows(azimuth: NDArray[np.float64], elevation: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return indices that sort rays as OSI does: rows from top to bottom, each left to right."""
    return np.lexsort((-azimuth, -elevation))


def _model(
    sheet: DataSheet, azimuth: NDArray[np.float64], elevation: NDArray[np.float64]
) -> LidarModel:
    """Return a model with these beams, in the given order."""
    time_s = firing_times_s(sheet, azimuth)[-1] + 1.0 / sheet.rate_hz
    rows = np.stack([time_s, np.degrees(azimuth), np.degrees(elevation)], axis=1)
    with tempfile.TemporaryDirectory(prefix="osi_lidar_bench_") as folder:
        beams, mapping = Path(folder) / "beams.csv", Path(folder) / "materials.yaml"
        np.savetxt(beams, rows, fmt="%.17g", delimiter=",")
        mapping.write_text(json.dumps(_materials(sheet)), encoding="utf-8")
        data = {
            "sensors": [_sensor(sheet, beams)],
            "scene": {"ground": "auto" if sheet.ground else "none"},
            "materials": {"mapping": str(mapping), "guess": True},
        }
        try:
            return LidarModel(Config.model_validate(data))
        except ValidationError as error:
            raise ConfigurationError(f"--reflections: {first_problem(error, data)}") from None


def _materials(sheet: DataSheet) -> dict[str, dict[str, object]]:
    """Return a mapping table: targets have the reflectivity of the sheet, all else the default."""
    define: dict[str, object] = {}
    names: dict[str, object] = {}
    for target in sheet.targets:
        own = f"target_{target.material}"
        define[own] = {"reflectance": target.reflectivity}
        names[f"Object_{target.material.capitalize()}*"] = own
    return {"define": define, "materials": names}


def _sensor(sheet: DataSheet, beams: Path) -> dict[str, object]:
    """Return the configuration of an ideal sensor with a longer range than the subject."""
    takes_time = sheet.scan.kind == "rotating"
    return {
        "name": "reflections",
        "pattern": {"kind": "table", "file": str(beams)},
        "rotation_rate_hz": sheet.rate_hz,
        "rolling_shutter": takes_time,
        "motion_blur": takes_time,
        "wavelength_nm": WAVELENGTH_NM,
        "mounting": sheet.mounting.model_dump(),
        "min_range_m": 0.0,
        "max_range_m": FARTHER * sheet.range_m[1],
        "velocity": True,
    }
