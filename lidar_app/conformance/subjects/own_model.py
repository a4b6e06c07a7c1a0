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
    """Return the answers of a new model of this package to the messages of a scene.

    Parameters
    ----------
    path : Path
        Configuration file of the model.
    _sheet : DataSheet
        Not used.
    questions : sequence of Question
        The messages of the scene.

    Returns
    -------
    list of (bytes or None)
        The encoded SensorData message for each message; None if the message cannot be decoded.
    """
    return answers_of(LidarModel(load_config(path)), questions)


def answers_of(model: LidarModel, questions: Sequence[Question]) -> Replied:
    """Return a model's answers to the messages of a scene, one step of the model for each.

    Parameters
    ----------
    model : LidarModel
        The model, whose state the steps change.
    questions : sequence of Question
        The messages of the scene.

    Returns
    -------
    list of (bytes or None)
        The encoded SensorData message for each message; None if the message cannot be decoded.
    """
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
        """Restart the model, and return its answers to a scene.

        `questions` are the messages of the scene (a sequence of Question), and `_scene` is not
        used. The result is a list with the encoded SensorData message for each of them; None if the
        message cannot be decoded. An exception of the model is raised as SubjectError.
        """
        self._model.restart()
        try:
            return answers_of(self._model, questions)
        except Exception as error:
            raise SubjectError(TroubleKind.ERROR, f"{type(error).__name__}: {error}") from error

    def close(self) -> None:
        """Do nothing."""
