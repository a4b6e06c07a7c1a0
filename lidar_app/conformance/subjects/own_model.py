# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The model of this package as a subject, called directly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_app.conformance.subjects.subject import SubjectError, TroubleKind
from osi_bridge import FrameDecoder, OsiInputError
from osi_lidar.config import load_config
from osi_lidar.model import LidarModel

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lidar_app.conformance.asking import Question
    from lidar_app.conformance.sheet import DataSheet
    from lidar_app.conformance.subjects.subject import Replied
    from osi_lidar.config import Config


def answer_by_model(path: Path, _sheet: DataSheet, questions: Sequence[Question]) -> Replied:
    """Answer the messages of a scene with a new model, configured by the file at `path`."""
    return answers_of(LidarModel(load_config(path)), questions)


def answers_of(model: LidarModel, questions: Sequence[Question]) -> Replied:
    """Return a model's answer to each message; None for a message that cannot be decoded."""
    decoder = FrameDecoder("SensorView", strict=True)

    def answer(index: int, data: bytes) -> bytes | None:
        try:
            frame = decoder.decode(data, index)
        except OsiInputError:
            return None
        return bytes(model.step(frame).sensor_data)

    return [answer(index, each.data) for index, each in enumerate(questions)]


class ModelSubject:
    """A model of this package in this process, for tests: its crash ends the bench, too.

    Parameters
    ----------
    config : Config
        Configuration of the model.
    """

    is_live = True

    def __init__(self, config: Config) -> None:
        self._model = LidarModel(config)

    def ask(self, _scene: str, questions: Sequence[Question], /) -> Replied:
        """Restart the model, and return its answers; raise its exceptions as SubjectError."""
        self._model.restart()
        try:
            return answers_of(self._model, questions)
        except Exception as error:
            raise SubjectError(TroubleKind.ERROR, f"{type(error).__name__}: {error}") from error

    def close(self) -> None:
        """Do nothing."""
