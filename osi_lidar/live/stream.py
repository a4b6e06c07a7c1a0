# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Live stream: answers the OSI messages of a source and passes them to subscribers and files.

source ──► backlog ──► model ──► publisher ──► subscribers
                     (a thread)      └──► run folder, viewers
"""

from __future__ import annotations

import asyncio
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, suppress
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from lidar_base.given import given
from lidar_base.process.interrupts import without_interrupts
from osi_lidar.errors import InputError, OsiLidarError
from osi_lidar.live.backlog import make_backlog
from osi_lidar.live.control import Control
from osi_lidar.live.metrics import serving_metrics
from osi_lidar.live.operator import Operator
from osi_lidar.live.outside_requests import Reread, Stop
from osi_lidar.live.ports.guard import NOT_GUARDED
from osi_lidar.live.publisher import Publisher
from osi_lidar.live.sources import ConnectingSource, DatagramSource, ListeningSource
from osi_lidar.live.state import StreamState
from osi_lidar.live.stream_model import StreamModel, warm_up
from osi_lidar.live.unexpected import warner
from osi_lidar.live.viewers import Moment, serving_viewers
from osi_lidar.output.run_folder import RunFolder
from osi_lidar.run.report import Report, run_record, warn_of_few_points
from osi_lidar.run.viewer_file import write_viewer_file

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from pathlib import Path

    from osi_bridge import MessageType
    from osi_lidar.config import Config
    from osi_lidar.live.backlog import Backlog
    from osi_lidar.live.counters import Counters
    from osi_lidar.live.endpoint import Endpoint
    from osi_lidar.live.ports.guard import Guard
    from osi_lidar.live.sources import MessageSource
    from osi_lidar.live.viewers import MomentServer, ShowsMoments

logger = logging.getLogger(__name__)

MEBIBYTE = 2**20
_STATUS_S = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamSettings:
    """Input and output of a stream.

    Attributes
    ----------
    source : Endpoint
        Address of the source of messages.
    connect : bool
        Whether to connect to the source; otherwise the stream listens for it.
    publish, metrics, control : Endpoint, optional
        Addresses: subscribers get SensorData at the first one, Prometheus gets the counters at the
        second one, and commands change the sensors at the third one.
    foxglove : Endpoint, optional
        Address at which Lichtblick and Foxglove get messages, transforms and clouds.
    page, ros2 : callable, optional
        Open a server for a page in the browser, or a ROS 2 node; see `viewers.MomentServer`.
    guard : Guard
        Decides who is let in at metrics, control and foxglove.
    reread : callable, optional
        Returns the configuration anew; default: it is read from its file.
    message_type : str, optional
        "SensorView" or "GroundTruth"; default: recognised from the first message of each source.
    host_id : int, optional
        OSI id of the vehicle that carries the sensors; default: as declared in the messages.
    answer : str
        "usable": subscribers get an answer to each message that can be used. "every": subscribers
        and the source itself get an answer to every message, empty if there is no SensorData.
    backlog : str, optional
        ``latest``, ``queue`` or ``queue:N``; default: ``queue`` to answer "every", else ``latest``.
    max_bytes : int
        Longest message that is accepted.
    duration_s : float, optional
        Duration of the stream; default: no limit. [s]
    once : bool
        Whether to end when the first source has disconnected and its messages are answered.
    out : Path, optional
        Folder for point clouds and SensorData, with the same content as ``replay`` writes.
    overwrite : bool
        Whether to replace an earlier run in that folder.
    """

    source: Endpoint
    connect: bool = False
    publish: Endpoint | None = None
    metrics: Endpoint | None = None
    control: Endpoint | None = None
    foxglove: Endpoint | None = None
    page: MomentServer | None = None
    ros2: MomentServer | None = None
    guard: Guard = NOT_GUARDED
    reread: Callable[[], Config] | None = None
    message_type: MessageType | None = None
    host_id: int | None = None
    answer: Literal["usable", "every"] = "usable"
    backlog: str | None = None
    max_bytes: int = 64 * MEBIBYTE
    duration_s: float | None = None
    once: bool = False
    out: Path | None = None
    overwrite: bool = False

    @property
    def answers_every(self) -> bool:
        """Whether every message gets an answer, which the source itself receives, too."""
        return self.answer == "every"


def stream(
    settings: StreamSettings,
    config: Config,
    *,
    stop: Stop | None = None,
    reread: Reread | None = None,
    on_status: Callable[[StreamState], object] = lambda _: None,
) -> Report:
    """Answer the messages of a live source until the stream ends; return its report.

    Parameters
    ----------
    settings : StreamSettings
        Input and output of the stream.
    config : Config
        Sensors, scene, materials, output.
    stop : Stop, optional
        Ends the stream after the message being answered; all files are then complete.
    reread : Reread, optional
        Lets the sensors take their patterns and switches from the configuration file again.
    on_status : callable
        Called twice a second in the event loop; it must return at once.

    Raises
    ------
    OsiLidarError, OsiError, RayCoreError, MaterialError
        The configuration or an address cannot be used. Received messages never raise.
    """
    running = _Stream(settings, config, stop or Stop(), reread or Reread(), on_status)
    try:
        asyncio.run(running.run())
    except BaseException as error:
        with suppress(OsiLidarError):  # must not hide what ended the stream
            running.finish("interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
        raise
    report = given(running.finish("complete"))  # run() has made the model
    if settings.out is not None and report.record.frames_read:
        write_viewer_file(settings.out, config, report.status)
    return report


class _Stream:
    """A stream: owns the stages and connects them."""

    def __init__(
        self,
        settings: StreamSettings,
        config: Config,
        stop: Stop,
        reread: Reread,
        on_status: Callable[[StreamState], object],
    ) -> None:
        self._settings = settings
        self._config = config
        self._folder = None
        if settings.out is not None:
            self._folder = RunFolder(
                settings.out, config, custom_name="stream", overwrite=settings.overwrite
            )
        self._stop, self._reread = stop, reread
        self._on_status = on_status
        self._state = StreamState()
        self._ready = asyncio.Event()

    async def run(self) -> None:
        """Answer messages until the end is requested; the current message is still answered."""
        settings, state = self._settings, self._state
        asyncio.get_running_loop().set_exception_handler(warner())
        backlog = state.backlog = _backlog(settings, state.counters)
        source = _source(settings, backlog, state.counters)
        async with AsyncExitStack() as stack:
            thread = stack.enter_context(ThreadPoolExecutor(1, "lidar"))
            if settings.metrics is not None:
                await settings.metrics.resolve()
                stack.enter_context(serving_metrics(settings.metrics, state, settings.guard))
            viewers = await self._open_viewers(stack)
            publisher = None
            if settings.publish is not None:
                publisher = Publisher(settings.publish, state.counters)
                await publisher.open()
                stack.push_async_callback(publisher.close)
                state.publish = str(publisher.endpoint)
                logger.info("SensorData at %s", publisher.endpoint)
            operator = Operator(state, self._ready, thread, settings.reread)
            requests = asyncio.create_task(operator.follow_requests(self._reread))
            stack.push_async_callback(_cancel, requests)
            if settings.control is not None:
                control = Control(settings.control, operator.follow, settings.guard)
                await control.open()
                stack.push_async_callback(control.close)
                state.control = str(control.endpoint)
                logger.info("control at %s", control.endpoint)
            await source.open()
            state.source = str(source.endpoint)
            logger.info(
                "%s %s", "connecting to" if settings.connect else "listening at", source.endpoint
            )
            answers = self._answer_all(backlog, publisher, viewers, thread)
            await self._until_the_end(source, backlog, answers)

    async def _open_viewers(self, stack: AsyncExitStack) -> list[ShowsMoments]:
        settings, state = self._settings, self._state
        shown: list[ShowsMoments] = []
        if settings.foxglove is not None:
            await settings.foxglove.resolve()
            serving = serving_viewers(settings.foxglove, self._config, settings.guard)
            viewers, actual = await stack.enter_async_context(serving)
            state.foxglove = str(actual)
            shown.append(viewers)
        if settings.page is not None:
            page, state.page = stack.enter_context(settings.page(self._config))
            shown.append(page)
            logger.info("clouds in the browser at http://%s", state.page)
        if settings.ros2 is not None:
            node, state.ros2 = stack.enter_context(settings.ros2(self._config))
            shown.append(node)
            logger.info("clouds in ROS 2 at %s", state.ros2)
        return shown

    async def _until_the_end(
        self, source: MessageSource, backlog: Backlog, answers: Coroutine[None, None, None]
    ) -> None:
        """Run the source and the model until one of them ends or a stop is requested."""
        reading = asyncio.create_task(self._read(source))
        answering = asyncio.create_task(answers)
        looking_on = asyncio.create_task(self._show_status())
        stopping = asyncio.create_task(self._until_stop())
        try:
            await _first_of(reading, answering, stopping)
            if reading.done():  # the only source has disconnected
                backlog.finish()
                await _first_of(answering, stopping)
        finally:
            try:
                await _cancel(reading, looking_on, stopping)
            finally:
                backlog.close()
                await answering

    async def _answer_all(
        self,
        backlog: Backlog,
        publisher: Publisher | None,
        viewers: Sequence[ShowsMoments],
        thread: ThreadPoolExecutor,
    ) -> None:
        """Answer one message after another, and pass the answers to all that want them."""
        loop, latencies = asyncio.get_running_loop(), self._state.latencies
        stream_model = self._state.stream_model = await loop.run_in_executor(thread, self._prepare)
        self._ready.set()
        if self._folder is not None:
            await loop.run_in_executor(thread, self._folder.open)
        while (message := await backlog.get()) is not None:
            step = None
            if message.data:
                step = await loop.run_in_executor(thread, stream_model.answer, message)
            answer = b"" if step is None else step.sensor_data
            if publisher is not None and (answer or self._settings.answers_every):
                publisher.publish(answer)
            if message.way_back is not None:
                await message.way_back.send(answer)
            if step is not None:
                latencies.note(time.perf_counter() - message.arrived_s)
                await loop.run_in_executor(thread, stream_model.write, step)
                if viewers and stream_model.frame is not None:
                    moment = Moment(message.data, stream_model.frame, step)
                    for viewer in viewers:
                        await loop.run_in_executor(thread, stream_model.show, viewer, moment)
        await loop.run_in_executor(thread, stream_model.flush)

    def _prepare(self) -> StreamModel:
        """Return the `StreamModel`, with kernels compiled and meshes loaded."""
        stream_model = StreamModel(
            self._config,
            message_type=self._settings.message_type,
            host_id=self._settings.host_id,
            folder=self._folder,
            counters=self._state.counters,
        )
        warm_up(self._config)
        return stream_model

    async def _read(self, source: MessageSource) -> None:
        """Run the source; if the stream has to connect to it, wait for the model before."""
        if self._settings.connect:
            await self._ready.wait()
        await source.run()

    async def _until_stop(self) -> None:
        """Return once the end is requested or the duration has passed."""
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._stop.wait(), self._settings.duration_s)

    async def _show_status(self) -> None:
        while True:
            self._on_status(self._state)
            await asyncio.sleep(_STATUS_S)

    def finish(self, status: str) -> Report | None:
        """Complete the files and return the report; None if the stream never started."""
        state, stream_model = self._state, self._state.stream_model
        if stream_model is None:
            return None
        progress = stream_model.progress
        progress.status = status if stream_model.write_error is None else "failed"
        model = stream_model.model
        record = run_record(model, progress, self._described())
        record = replace(record, stream=stream_content(state))
        if self._folder is not None:
            with without_interrupts():
                record = replace(record, files=self._folder.finish(record.content()))
        warn_of_few_points(record)
        return Report(record=record, damage=None, fallbacks=model.fallbacks, model=model)

    def _described(self) -> dict[str, object]:
        stream_model = self._state.stream_model
        return {
            "connect" if self._settings.connect else "listen": self._state.source,
            "publish": self._state.publish,
            "message_type": (stream_model and stream_model.taken_type) or "",
        }


def stream_content(state: StreamState) -> dict[str, Any]:
    """Return counters, changes, latencies and mean rates of a stream, for its record run.json.

    ``state`` is the stream's state. The dict has each counter but ``subscribers`` by its name,
    ``last_changes``, ``latency_ms`` [ms], and ``per_second``: rates since the model was made.
    """
    seconds = state.stage_seconds.get("total", 0.0)
    counters = state.counters
    numbers = asdict(counters)
    del numbers["subscribers"]  # only the number at this moment
    return {
        **numbers,
        "last_changes": list(state.changes),
        "latency_ms": state.latencies.as_dict(),
        "per_second": {
            "received": round(counters.received / seconds, 3) if seconds else 0.0,
            "answered": round(counters.answered / seconds, 3) if seconds else 0.0,
            "traced": round(state.traced / seconds, 3) if seconds else 0.0,
        },
    }


def _backlog(settings: StreamSettings, counters: Counters) -> Backlog:
    kind = settings.backlog or ("queue" if settings.answers_every else "latest")
    if settings.answers_every and kind == "latest":
        raise InputError("--answer every: got --backlog latest, which skips, expected queue[:N]")
    return make_backlog(kind, counters)


def _source(settings: StreamSettings, backlog: Backlog, counters: Counters) -> MessageSource:
    kind: type[MessageSource] = ConnectingSource if settings.connect else ListeningSource
    if settings.source.transport == "udp":
        kind = DatagramSource
        if settings.answers_every:
            raise InputError("--answer every: UDP has no way back to the source, use TCP")
    source = kind(
        settings.source, backlog, counters, max_bytes=settings.max_bytes, once=settings.once
    )
    source.answers = settings.answers_every
    return source


async def _first_of(*tasks: asyncio.Task[None]) -> None:
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)


async def _cancel(*tasks: asyncio.Task[None]) -> None:
    """Cancel tasks; raise the first exception with which one of them failed."""
    for task in tasks:
        task.cancel()
    for outcome in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(outcome, Exception):
            raise outcome
