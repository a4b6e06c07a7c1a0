# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands ``stream`` and ``play``."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

import typer

from lidar_app.cli.parts.compiling import compilation_told
from lidar_app.cli.parts.completion import one_of
from lidar_app.cli.parts.console import EXIT_UNUSABLE, err, fail, say, tell
from lidar_app.cli.parts.options import (
    INPUT,
    OUTPUT,
    ConfigOption,
    FidelityOption,
    HostOption,
    OverwriteOption,
    SensorOption,
    StrictOption,
    TraceArgument,
    TypeOption,
    configuration,
)
from lidar_app.cli.parts.parsing import checked_choice
from lidar_app.cli.parts.verbosity import LOUDNESS
from lidar_base.interrupts import on_interrupt, on_signal
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from osi_bridge import MessageType
    from osi_lidar.config import Config
    from osi_lidar.live.endpoint import Endpoint
    from osi_lidar.live.state import StreamState

LINK = "Connections"
Number = TypeVar("Number", int, float)
ListenOption = Annotated[
    str | None,
    typer.Option(
        metavar="[HOST:]PORT",
        help="Listen for a connection at this address. Default: --connect.",
        rich_help_panel=LINK,
    ),
]
ConnectOption = Annotated[
    str | None,
    typer.Option(
        metavar="[HOST:]PORT",
        help="Connect to this address; reconnect when disconnected. Default: --listen.",
        rich_help_panel=LINK,
    ),
]


def stream(
    listen: ListenOption = None,
    connect: ConnectOption = None,
    publish: Annotated[
        str | None,
        typer.Option(
            metavar="[HOST:]PORT",
            help="Send SensorData to all clients at this address. Default: to none.",
            rich_help_panel=LINK,
        ),
    ] = None,
    config: ConfigOption = None,
    sensor: SensorOption = None,
    fidelity: FidelityOption = None,
    strict: StrictOption = False,
    host: HostOption = None,
    message_type: Annotated[
        str,
        typer.Option(
            "--type",
            metavar="TYPE",
            help="auto, SensorView or GroundTruth.",
            autocompletion=one_of("auto", "SensorView", "GroundTruth"),
            rich_help_panel=INPUT,
        ),
    ] = "auto",
    backlog: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            autocompletion=one_of("latest", "queue"),
            rich_help_panel=LINK,
            help="latest (default): skip to the newest message; queue[:N]: the source waits.",
        ),
    ] = None,
    answer: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            autocompletion=one_of("usable", "every"),
            rich_help_panel=LINK,
            help="usable; every: the source gets an answer to each message on its own connection, "
            "of length 0 if there is no SensorData.",
        ),
    ] = "usable",
    out_folder: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="Output folder. Default: nothing is written.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    overwrite: OverwriteOption = False,
    max_message: Annotated[
        int,
        typer.Option(metavar="MIB", help="Largest message that is accepted.", rich_help_panel=LINK),
    ] = 64,
    duration: Annotated[
        float | None,
        typer.Option("--for", metavar="SECONDS", help="Stop after this time. Default: never."),
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Stop when the first source ends.")] = False,
    metrics: Annotated[
        str | None,
        typer.Option(
            metavar="[HOST:]PORT",
            help="Address of metrics for Prometheus. Default: none.",
            rich_help_panel=LINK,
        ),
    ] = None,
    control: Annotated[
        str | None,
        typer.Option(
            metavar="[HOST:]PORT",
            help="Take commands that change scan patterns at this address. Default: none.",
            rich_help_panel=LINK,
        ),
    ] = None,
    foxglove: Annotated[
        str | None,
        typer.Option(
            metavar="[HOST:]PORT",
            help="Show messages and clouds to Lichtblick and Foxglove at this address. "
            "Default: none.",
            rich_help_panel=LINK,
        ),
    ] = None,
) -> None:
    """Answer a live stream of OSI messages: TCP, or UDP from esmini (--listen udp://HOST:PORT)."""
    from lidar_app.show import tables as reports
    from osi_lidar.live.endpoint import Endpoint
    from osi_lidar.live.stop import Reread, Stop
    from osi_lidar.live.stream import MEBIBYTE, StreamSettings
    from osi_lidar.live.stream import stream as run

    source = _one_of(listen, connect, "simulator", udp_listen=True)
    settings = StreamSettings(
        source=source,
        connect=connect is not None,
        publish=None if publish is None else Endpoint.parse("--publish", publish),
        metrics=None if metrics is None else Endpoint.parse("--metrics", metrics),
        control=None if control is None else Endpoint.parse("--control", control),
        foxglove=None if foxglove is None else Endpoint.parse("--foxglove", foxglove),
        reread=_rereading(config, sensor, fidelity),
        message_type=_message_type(message_type),
        host_id=host,
        backlog=backlog,
        answer=_answer_kind(answer),
        max_bytes=_within("--max-message", max_message, 1, 2047) * MEBIBYTE,
        duration_s=None if duration is None else _within("--for", duration, 0.0, 1e9),
        once=once,
        out=out_folder,
        overwrite=overwrite,
    )
    if once and source.transport == "udp":
        raise InputError("--once: UDP does not signal the end of a source, use --for")
    chosen, stop = configuration(config, sensor, fidelity, strict=strict), Stop()
    reread = Reread()
    wanted = (publish, foxglove, out_folder)
    if not any(wanted) and not settings.answers_every:
        say(
            "neither --publish nor --foxglove nor --out is given: results are discarded",
            style="yellow",
        )
    with (
        _live_lines(),
        compilation_told(),
        on_interrupt(stop.request),
        on_signal("SIGUSR1", reread.request),
        _status_line() as show,
    ):
        report = run(settings, chosen, stop=stop, reread=reread, on_status=show)
    tell(reports.stream_summary(report, out_folder))
    if report.status != "complete":
        fail("not all answers could be written", EXIT_UNUSABLE)
    messages = report.record.stream or {}
    if messages["rejected"] and not messages["answered"]:
        fail(f"none of {messages['received']} messages could be answered", EXIT_UNUSABLE)


def play(
    trace: TraceArgument,
    listen: ListenOption = None,
    connect: ConnectOption = None,
    speed: Annotated[
        str,
        typer.Option(
            metavar="SPEED",
            help="Simulated seconds per second, or max: as fast as consumers read.",
            autocompletion=one_of("1.0", "max"),
        ),
    ] = "1.0",
    loop: Annotated[bool, typer.Option("--loop", help="Start again at the end.")] = False,
    message_type: TypeOption = None,
) -> None:
    """Publish a recorded OSI trace at its own pace, as a simulator would."""
    import asyncio

    from osi_bridge import open_trace
    from osi_lidar.live.player import PlaySettings
    from osi_lidar.live.player import play as run
    from osi_lidar.live.stop import Stop

    settings = PlaySettings(
        endpoint=_one_of(listen, connect, "consumer", udp_connect=True),
        connect=connect is not None,
        speed=_speed(speed),
        loop=loop,
    )
    reader, stop = open_trace(trace, message_type=message_type), Stop()
    with _live_lines(), on_interrupt(stop.request):
        played = asyncio.run(run(reader, settings, stop))
    consumers = "1 consumer" if played.consumers == 1 else f"{played.consumers} consumers"
    tell(f"{played.messages} messages to {consumers}")
    if played.damage is not None:
        raise played.damage


def _one_of(
    listen: str | None,
    connect: str | None,
    other: str,
    *,
    udp_listen: bool = False,
    udp_connect: bool = False,
) -> Endpoint:
    """Return the endpoint of whichever option is given; ``other`` is what is at its other end."""
    from osi_lidar.live.endpoint import Endpoint

    if (listen is None) == (connect is None):
        got = "both" if listen else "neither"
        words = f"say where the {other} is: --connect HOST:PORT, or --listen PORT (got {got})"
        raise InputError(words)
    if listen is not None:
        return Endpoint.parse("--listen", listen, udp=udp_listen)
    return Endpoint.parse("--connect", connect or "", udp=udp_connect)


def _rereading(
    config: Path | None, sensor: str | None, fidelity: str | None
) -> Callable[[], Config] | None:
    """Return what reads the configuration file again, with the same options."""
    return None if config is None else lambda: configuration(config, sensor, fidelity)


def _answer_kind(text: str) -> Literal["usable", "every"]:
    known: tuple[Literal["usable", "every"], ...] = ("usable", "every")
    return checked_choice("--answer", text, known)


def _message_type(text: str) -> MessageType | None:
    known: dict[str, MessageType | None] = {
        "auto": None,
        "SensorView": "SensorView",
        "GroundTruth": "GroundTruth",
    }
    return known[checked_choice("--type", text, known)]


def _speed(text: str) -> float | None:
    """Return the speed, or None for as fast as possible."""
    if text == "max":
        return None
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0.0 < speed < 1e6:
        raise InputError(f"--speed: got {text!r}, expected a number above 0, or max")
    return speed


def _within(option: str, value: Number, low: Number, high: Number) -> Number:
    """Return a value if it is in range."""
    if not low <= value <= high:
        raise InputError(f"{option}: got {value:g}, expected {low:g} to {high:g}")
    return value


@contextmanager
def _live_lines() -> Iterator[None]:
    """Also show connections that open and close."""
    logger = logging.getLogger("osi_lidar.live")
    before = logger.level
    if not LOUDNESS.quiet:
        logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.setLevel(before)


@contextmanager
def _status_line() -> Iterator[Callable[[StreamState], object]]:
    """Yield a function that updates a status line on the terminal."""
    from rich.live import Live

    from lidar_app.show import tables as reports

    if LOUDNESS.quiet or not err.is_terminal:
        yield lambda _: None
        return
    status = reports.StreamStatus()
    with Live(console=err, transient=True, auto_refresh=False) as line:
        yield lambda state: line.update(status.line(state), refresh=True)
