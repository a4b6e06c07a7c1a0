# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands ``stream`` and ``play``."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from lidar_app.cli.parts.compiling import compilation_message
from lidar_app.cli.parts.completion import one_of
from lidar_app.cli.parts.console import EXIT_UNUSABLE, err, fail, say, tell
from lidar_app.cli.parts.options import (
    HostOption,
    OverwriteOption,
    Setup,
    TimedSetup,
    TraceArgument,
    TraceSourceOption,
    TypeOption,
)
from lidar_app.cli.parts.parameters import INPUT, OUT, option, switch
from lidar_app.cli.parts.ros2 import NodeOptions
from lidar_app.cli.parts.verbosity import VERBOSITY
from lidar_base.process.interrupts import on_interrupt, on_signal
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from osi_lidar.live.endpoint import Endpoint
    from osi_lidar.live.state import StreamState
    from osi_lidar.live.stream import StreamSettings
    from osi_lidar.run.report import Report

LINK, ADDRESS = "Connections", "[HOST:]PORT"
_LIVE = ("osi_lidar.live", "lidar_app.ros2")  # loggers of connections
Number = TypeVar("Number", int, float)


@dataclass(frozen=True)
class LinkOptions:
    """Values of options for the connection to a simulator or a consumer.

    Exactly one of the two must be given; `to` checks it.

    Attributes
    ----------
    listen : str or None
        "[HOST:]PORT" at which this program listens for a connection; None: not given.
    connect : str or None
        "[HOST:]PORT" to which this program connects, again after each loss; None: not given.
    """

    listen: str | None = option(
        ADDRESS, "Listen for a connection at this address. Default: --connect.", LINK
    )
    connect: str | None = option(
        ADDRESS, "Connect to this address; reconnect when disconnected. Default: --listen.", LINK
    )

    def to(self, other: str, *, udp_listen: bool = False, udp_connect: bool = False) -> Endpoint:
        """Return the address of the option that is given, `listen` or `connect`.

        Parameters
        ----------
        other : str
            Name of the program at the other end, such as "simulator", for error messages.
        udp_listen, udp_connect : bool
            Whether the address of `listen`, or of `connect`, may be a UDP address
            (udp://HOST:PORT).

        Raises
        ------
        InputError
            If none or both are given, or the address has another form.
        """
        from osi_lidar.live.endpoint import Endpoint

        if (self.listen is None) == (self.connect is None):
            got = "both" if self.listen else "neither"
            words = f"say where the {other} is: --connect HOST:PORT, or --listen PORT (got {got})"
            raise InputError(words)
        if self.listen is not None:
            return Endpoint.parse("--listen", self.listen, udp=udp_listen)
        return Endpoint.parse("--connect", self.connect or "", udp=udp_connect)


@dataclass(frozen=True)
class StreamOptions(NodeOptions):
    """Values of options of ``osi-lidar stream`` for consumers of its results and for its source.

    The source sends OSI messages, which the sensor model answers. The options of `NodeOptions`
    publish the clouds to ROS 2. An address is a text "[HOST:]PORT"; None: the service is off.

    Attributes
    ----------
    publish : str or None
        Address at which all clients get SensorData.
    backlog : str or None
        What happens if messages come too fast. "latest": skip to the newest one. "queue" or
        "queue:N": the source waits. None: "queue" if `answer` is "every", else "latest".
    answer : {"usable", "every"}
        "usable": clients of `publish` get SensorData for each usable message. "every": the source
        gets an answer to each of its messages, too, of length 0 if there is no SensorData.
    max_message : int
        Length of the longest message that is accepted. [MiB]
    duration : float or None
        Time after which the stream stops; None: never. [s]
    once : bool
        Whether the stream stops when the first source has disconnected.
    metrics : str or None
        Address of metrics for Prometheus.
    control : str or None
        Address that accepts commands to change scan patterns.
    foxglove : str or None
        Address at which Lichtblick and Foxglove get messages and clouds.
    view : str or None
        Address of a page that shows the clouds in a browser.
    allow : list of str, or None
        Further names of this machine, or origins of web pages, that the services accept.
    token_file : Path or None
        File with the token that clients of the services must send; None: the token in the variable
        OSI_LIDAR_TOKEN, if set.
    """

    publish: str | None = option(
        ADDRESS, "Send SensorData to all clients at this address. Default: to none.", LINK
    )
    backlog: str | None = option(
        "KIND",
        "latest (default): skip to the newest message; queue[:N]: the source waits.",
        LINK,
        complete=one_of("latest", "queue"),
    )
    answer: Literal["usable", "every"] = option(
        "KIND",
        "usable: subscribers get SensorData for each usable message; every: the source, too, gets "
        "an answer to each of its messages on its own connection, of length 0 without SensorData.",
        LINK,
        default="usable",
    )
    max_message: int = option("MIB", "Largest message that is accepted.", LINK, default=60)
    duration: float | None = option(
        "SECONDS", "Stop after this time. Default: never.", None, "--for"
    )
    once: bool = switch("Stop when the first source ends.")
    metrics: str | None = option(ADDRESS, "Address of metrics for Prometheus. Default: none.", LINK)
    control: str | None = option(
        ADDRESS, "Accept commands at this address that change scan patterns. Default: none.", LINK
    )
    foxglove: str | None = option(
        ADDRESS,
        "Serve messages and clouds to Lichtblick and Foxglove at this address. Default: none.",
        LINK,
    )
    view: str | None = option(
        ADDRESS,
        "Serve a page at this address that shows the clouds in a browser. Default: none.",
        LINK,
    )

    allow: list[str] | None = option(
        "NAME",
        "Further name of this machine, or origin of web pages, that --view, --metrics and "
        "--foxglove accept; repeatable. Default: none.",
        LINK,
    )
    token_file: Path | None = option(
        "FILE",
        "File with the token that clients of --control, --view, --metrics and --foxglove must "
        "send. Default: the token in the variable OSI_LIDAR_TOKEN, else none.",
        LINK,
    )

    def settings(self, source: Endpoint) -> StreamSettings:
        """Return the settings of a stream with these options.

        Parameters
        ----------
        source : Endpoint
            Address of the program that sends the OSI messages.

        Raises
        ------
        InputError
            If a value is out of range or has another form, or `once` is given for a source over
            UDP. The form of `backlog` is checked only when the stream starts.
        """
        from osi_lidar.live.endpoint import Endpoint
        from osi_lidar.live.ports.guard import Guard, read_token
        from osi_lidar.live.stream import MEBIBYTE, StreamSettings

        def address(name: str) -> Endpoint | None:
            text = getattr(self, name)
            return None if text is None else Endpoint.parse(f"--{name}", text)

        guard = Guard.parse(self.allow or (), read_token(self.token_file))
        duration, view = self.duration, address("view")
        page = None
        if view is not None:
            from lidar_app.show.page.live import serving_page

            page = partial(serving_page, view, guard=guard)
        settings = StreamSettings(
            source=source,
            publish=address("publish"),
            metrics=address("metrics"),
            control=address("control"),
            foxglove=address("foxglove"),
            page=page,
            ros2=self.server(),
            guard=guard,
            backlog=self.backlog,
            answer=self.answer,
            max_bytes=_within("--max-message", self.max_message, 1, 2047) * MEBIBYTE,
            duration_s=None if duration is None else _within("--for", duration, 0.0, 1e9),
            once=self.once,
        )
        if self.once and source.transport == "udp":
            raise InputError("--once: UDP does not signal the end of a source, use --for")
        return settings


def stream(
    link: LinkOptions,
    options: StreamOptions,
    setup: TimedSetup,
    host: HostOption = None,
    message_type: Literal["auto", "SensorView", "GroundTruth"] = option(
        "TYPE", "auto, SensorView or GroundTruth.", INPUT, "--type", default="auto"
    ),
    out_folder: Path | None = option("DIR", "Output folder. Default: nothing is written.", *OUT),
    overwrite: OverwriteOption = False,
) -> None:
    """Answer a live stream of OSI messages: TCP, or UDP from esmini (--listen udp://HOST:PORT)."""
    from lidar_app.show import tables as reports

    settings = replace(
        options.settings(link.to("simulator", udp_listen=True)),
        connect=link.connect is not None,
        reread=None if setup.config is None else setup.configuration,
        message_type=None if message_type == "auto" else message_type,
        host_id=host,
        out=out_folder,
        overwrite=overwrite,
    )
    report = _stream(settings, setup)
    tell(*reports.stream_summary(report, out_folder))
    if report.status != "complete":
        fail("not all answers could be written", EXIT_UNUSABLE)
    messages = report.record.stream or {}
    if messages["rejected"] and not messages["answered"]:
        fail(f"none of {messages['received']} messages could be answered", EXIT_UNUSABLE)


def _stream(settings: StreamSettings, setup: Setup) -> Report:
    """Run the stream and show a line of status, until a signal or a setting ends it."""
    from osi_lidar.live.outside_requests import Reread, Stop
    from osi_lidar.live.stream import stream as run

    config, stop, reread = setup.configuration(), Stop(), Reread()
    shown = settings.foxglove or settings.page or settings.ros2
    if not (settings.publish or shown or settings.out or settings.answers_every):
        say(
            "none of --publish, --view, --foxglove, --ros2 and --out is given: "
            "results are discarded",
            style="yellow",
        )
    with (
        _live_lines(),
        compilation_message(),
        on_interrupt(stop.request),
        on_signal("SIGUSR1", reread.request),
        _status_line() as show,
    ):
        return run(settings, config, stop=stop, reread=reread, on_status=show)


def play(
    trace: TraceArgument,
    link: LinkOptions,
    speed: str = option(
        "SPEED",
        "Simulated seconds per second, or max: as fast as consumers read.",
        default="1.0",
        complete=one_of("1.0", "max"),
    ),
    loop: bool = switch("Start again at the end."),
    message_type: TypeOption = None,
    source: TraceSourceOption = None,
) -> None:
    """Publish a recorded OSI trace at its own pace, as a simulator would."""
    import asyncio

    from osi_bridge import open_trace
    from osi_lidar.live.outside_requests import Stop
    from osi_lidar.live.player import PlaySettings
    from osi_lidar.live.player import play as run

    settings = PlaySettings(
        endpoint=link.to("consumer", udp_connect=True),
        connect=link.connect is not None,
        speed=_speed(speed),
        loop=loop,
    )
    reader, stop = open_trace(trace, message_type=message_type, source=source), Stop()
    with _live_lines(), on_interrupt(stop.request):
        played = asyncio.run(run(reader, settings, stop))
    consumers = "1 consumer" if played.consumers == 1 else f"{played.consumers} consumers"
    tell(f"{played.messages} messages to {consumers}")
    if played.damage is not None:
        raise played.damage


def _speed(text: str) -> float | None:
    """Return the speed, or None for as fast as possible."""
    if text == "max":
        return None
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0.0 < speed < 1e6:
        raise InputError(f"--speed: got {text!r}, expected a number above 0, below 1e6, or max")
    return speed


def _within(option: str, value: Number, low: Number, high: Number) -> Number:
    """Return a value; raise InputError if it is out of range."""
    if not low <= value <= high:
        raise InputError(f"{option}: got {value:g}, expected {low:g} to {high:g}")
    return value


@contextmanager
def _live_lines() -> Iterator[None]:
    """Also log the opening and closing of connections, during a block."""
    levels = {name: logging.getLogger(name).level for name in _LIVE}
    if not VERBOSITY.quiet:
        for name in _LIVE:
            logging.getLogger(name).setLevel(logging.INFO)
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


@contextmanager
def _status_line() -> Iterator[Callable[[StreamState], object]]:
    """Yield a function that updates a status line on the terminal."""
    from rich.live import Live

    from lidar_app.show import tables as reports

    if VERBOSITY.quiet or not err.is_terminal:
        yield lambda _: None
        return
    status = reports.StreamStatus()
    with Live(console=err, transient=True, auto_refresh=False) as line:
        yield lambda state: line.update(status.line(state), refresh=True)
