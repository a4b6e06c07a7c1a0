# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Responder: answers one message at a time with the model, whatever the message contains."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from material_mapping import MaterialError
from osi_bridge import (
    FrameDecoder,
    LateMessage,
    OsiError,
    OsiInputError,
    Place,
    empty_frame,
    guess_message_type,
)
from osi_lidar.config import SceneSection
from osi_lidar.errors import OsiLidarError
from osi_lidar.live.first_times import FirstTimes
from osi_lidar.live.unexpected import unexpected
from osi_lidar.model import LidarModel
from osi_lidar.output.run_folder import RunFolder
from osi_lidar.run.replay import at_each_message
from osi_lidar.run.report import Progress
from raycore.errors import RayCoreError

if TYPE_CHECKING:
    from collections.abc import Callable

    from osi_bridge import Frame, MessageType
    from osi_lidar.config import Config
    from osi_lidar.live.backlog import Message
    from osi_lidar.live.counters import Counters
    from osi_lidar.live.viewers import Moment, ShowsMoments
    from osi_lidar.scan.step import Step

logger = logging.getLogger(__name__)

EXPECTED_ERRORS = (OsiLidarError, OsiError, RayCoreError, MaterialError)
_TYPES = ("SensorView", "GroundTruth")


class StreamModel:
    """Answers the messages of live sources in order, and never raises for their content.

    Parameters
    ----------
    config : Config
        Sensors, scene, materials, output.
    message_type : str or None
        "SensorView" or "GroundTruth"; None: recognised from the first message of each source.
    host_id : int or None
        OSI id of the vehicle that carries the sensors; None: as declared in the messages.
    folder : RunFolder or None
        Output folder for point clouds and SensorData; None: nothing is written.
    counters : Counters
        Counters of the outcomes of messages.

    Attributes
    ----------
    model : LidarModel
        The model that answers.
    progress : Progress
        Numbers of messages and points so far, for the report.
    taken_type : str or None
        Type of the messages of the last source; None until a message could be used.
    last_number, frame : int or None, Frame or None
        Number of the last message that was answered, and this message, decoded; None at first.
    write_error : Exception or None
        The failure after which no more files are written; None: there was none.

    Raises
    ------
    OsiLidarError, MaterialError, RayCoreError
        If the configuration cannot be used.
    """

    def __init__(
        self,
        config: Config,
        *,
        message_type: MessageType | None,
        host_id: int | None,
        folder: RunFolder | None,
        counters: Counters,
    ) -> None:
        self.progress = Progress()
        self.model = LidarModel(config)
        self.taken_type: MessageType | None = None
        self.write_error: Exception | None = None
        self.last_number: int | None = None
        self.frame: Frame | None = None
        self._message_type = message_type
        self._host_id = host_id
        self._folder = folder
        self._counters = counters
        self._used = False
        self._connection: int | None = None
        self._decoder: FrameDecoder | None = None
        self._logged = FirstTimes()

    def answer(self, message: Message) -> Step | None:
        """Return the answer to a message of a live source.

        A message with another ``connection`` than the one before is the first of a new source: the
        model starts anew.

        Parameters
        ----------
        message : Message
            The message, not empty.

        Returns
        -------
        Step or None
            The answer; None if the message is late or unusable, which is counted and logged.
        """
        try:
            if message.connection != self._connection:
                self._begin(message.connection)
            with self.model.clock.measure("read"):
                frame = self._frame(message)
            if frame is None:
                return None
            step = self.model.step(frame)
        except EXPECTED_ERRORS as error:
            self._counters.rejected += 1
            self._tell(f"message {message.number}: {error}; skipped", str(error))
            return None
        except Exception as error:  # noqa: BLE001  the stream goes on after any message
            self._counters.rejected += 1
            problem = unexpected(error)
            self._tell(f"message {message.number}: {problem}; skipped", problem)
            self._connection = None  # the step may be half done: reset before the next message
            return None
        self._counters.answered += 1
        self.last_number, self.frame = message.number, frame
        self.progress.count(frame, step)
        return step

    def show(self, viewer: ShowsMoments, moment: Moment) -> None:
        """Pass a message and its answer to a viewer.

        An error in the viewer is logged, not raised.

        Parameters
        ----------
        viewer : ShowsMoments
            The viewer, whose method ``show`` is called.
        moment : Moment
            The message and its answer.
        """
        try:
            viewer.show(moment)
        except Exception as error:  # noqa: BLE001  the stream goes on without this picture
            self._tell(f"a message is not shown: {unexpected(error)}", f"shown: {error}")

    def write(self, step: Step) -> None:
        """Queue an answer for writing into the output folder, if there is one.

        ``step`` is a `Step` that `answer` has returned. A failure is logged, and nothing more is
        written.
        """
        self._write(lambda folder: folder.write(step))

    def flush(self) -> None:
        """Wait until all answers are written; a failure is logged, not raised."""
        self._write(RunFolder.flush)

    def _write(self, act: Callable[[RunFolder], None]) -> None:
        if self._folder is None or self.write_error is not None:
            return
        try:
            with self.model.clock.measure("write"):
                act(self._folder)
        except EXPECTED_ERRORS as error:
            self.write_error = error
            logger.error("%s; no more files are written", error)  # noqa: TRY400  one line

    def _begin(self, connection: int) -> None:
        """Reset the state for a new source."""
        if self._used:
            self.model.restart()
        self._used, self._connection = True, connection
        self._decoder = None

    def _frame(self, message: Message) -> Frame | None:
        """Decode a message; return None if it is late."""
        decoder = self._decoder or self._new_decoder(message.data)
        try:
            frame = decoder.decode(message.data, message.number)
        except LateMessage:
            self._counters.late += 1
            self._tell(f"message {message.number}: older than the last one; skipped", "late")
            self.model.leave_out_late()
            return None
        if frame.place is Place.RESTART:
            logger.info("message %d: time restarts", message.number)
        if self._decoder is None:  # only a message that can be used determines the type
            self._decoder, self.taken_type = decoder, decoder.message_type
            logger.info("messages are %s", decoder.message_type)
        return frame

    def _new_decoder(self, data: bytes) -> FrameDecoder:
        """Return a decoder of the requested type, else of the type recognised in the data."""
        taken = self._message_type
        if taken is None:
            guessed = guess_message_type([data])
            if guessed not in _TYPES:
                problem = "its type is not recognised"
                if guessed is not None:
                    problem = f"it looks like a {guessed}"
                raise OsiInputError(f"{problem}, expected SensorView or GroundTruth")
            taken = guessed
        return FrameDecoder(taken, self._host_id, strict=True)

    def _tell(self, text: str, problem: str) -> None:
        """Log a problem with a message; each problem once, and only a limited number in all."""
        if self._logged.is_first(problem):
            logger.warning("%s", text)
            if self._logged.is_full:
                logger.warning("further problems with messages are counted, but not logged")


def warm_up(config: Config) -> None:
    """Compile the kernels that a configuration needs, so that no message waits for them.

    The sensors of ``config``, a `Config`, scan an empty scene once for that. The scan is discarded.
    """
    at_once = at_each_message(config.model_copy(update={"scene": SceneSection()}))
    LidarModel(at_once).step(empty_frame())
