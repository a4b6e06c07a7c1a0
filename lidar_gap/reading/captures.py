# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Network captures (pcap): the UDP packets of each sender."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.files.bounds import BYTES_OF_PACKET, FREE_PACKETS, check_at_most
from lidar_gap.reading.hesai import hesai_name
from lidar_gap.reading.packets import NO_DPKT, Packets
from lidar_gap.reading.sources import RecordedSource
from lidar_gap.reading.tables import damage_as_input_error
from lidar_gap.reading.velodyne import velodyne_name
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import ModuleType

_HEAD_BYTES = 16  # bytes that precede each packet in the file
CAPTURES = (
    b"\xd4\xc3\xb2\xa1",
    b"\xa1\xb2\xc3\xd4",
    b"\x4d\x3c\xb2\xa1",
    b"\xa1\xb2\x3c\x4d",
)
"""First bytes of captures, for both byte orders, and for micro- and nanoseconds."""


class Sender(NamedTuple):
    """Sender of UDP packets in a capture.

    Sensors behind one relay all have the relay's address; their destination ports differ.

    Attributes
    ----------
    address : str
        Source address of the packets, IPv4 or IPv6.
    port : int
        Source port.
    to_port : int
        Destination port.
    """

    address: str
    port: int
    to_port: int


@dataclass(slots=True)
class _Sent:
    """The packets of a sender."""

    stamp_s: list[float] = field(default_factory=list)
    payload: list[bytes] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Capture:
    """The packets of a capture.

    Attributes
    ----------
    sources : list of RecordedSource
        The senders; ``is_usable`` is set for Velodyne and Hesai sensors only.
    packets : list of Packets
        Packets of each sender, in the order of ``sources``.
    n_other : int
        Number of packets that are not UDP, or are empty.
    """

    sources: list[RecordedSource]
    packets: list[Packets]
    n_other: int

    def twins(self) -> list[RecordedSource]:
        """Return the senders whose longest packet is as long as the longest packet of the capture.

        Several such senders may be sensors of the same kind. If there is only one such sender, the
        list is empty.
        """
        sizes = [max(map(len, each.payload)) for each in self.packets]
        longest = max(sizes, default=0)
        found = [one for one, size in zip(self.sources, sizes, strict=True) if size == longest]
        return found if len(found) > 1 else []


def read_capture(path: Path) -> Capture:
    """Read the packets of a capture, grouped by sender; senders are in order of their first packet.

    ``path`` is the file of the capture (pcap).

    Raises
    ------
    InputError
        If the file is not a capture, is damaged, has another link type than Ethernet, Linux cooked
        or raw IP, or dpkt is not installed.
    """
    sent: dict[Sender, _Sent] = {}
    n_other = 0
    for sender, stamp_s, payload in _datagrams(path):
        if sender is None or not payload:
            n_other += 1
            continue
        one = sent.setdefault(sender, _Sent())
        one.stamp_s.append(stamp_s)
        one.payload.append(payload)
    packets = [Packets(np.array(each.stamp_s), each.payload) for each in sent.values()]
    return Capture(_sources(list(sent), packets), packets, n_other)


def _datagrams(path: Path) -> Iterator[tuple[Sender | None, float, bytes]]:
    """Yield sender, time [s] and payload of each packet; the sender is None unless it is UDP."""
    try:
        dpkt: ModuleType = import_module("dpkt")
    except ImportError as error:
        raise InputError(f"{path}: {NO_DPKT}") from error
    n_bytes = 0
    with damage_as_input_error(path, "a capture (pcap)"), path.open("rb") as file:
        reader = dpkt.pcap.Reader(file)
        if (link := _links(dpkt).get(reader.datalink())) is None:
            raise InputError(
                f"{path}: got packets of the link type {reader.datalink()}, expected Ethernet, "
                "Linux cooked or raw IP"
            )
        for number, (stamp_s, content) in enumerate(reader, 1):
            n_bytes += _HEAD_BYTES + len(content)
            most = FREE_PACKETS + n_bytes // BYTES_OF_PACKET
            check_at_most(number, most, "packets so far")  # even an empty packet takes time
            sender, payload = None, b""
            try:
                within = link(content)
            except dpkt.dpkt.UnpackError:
                yield None, stamp_s, b""
                continue
            while within is not None and not isinstance(within, bytes):
                if isinstance(within, (dpkt.ip.IP, dpkt.ip6.IP6)):
                    address = dpkt.utils.inet_to_str(within.src)
                elif isinstance(within, dpkt.udp.UDP):
                    sender, payload = Sender(address, within.sport, within.dport), within.data
                within = getattr(within, "data", None)
            yield sender, stamp_s, bytes(payload)


def _links(dpkt: ModuleType) -> dict[int, Callable[[bytes], object]]:
    """Return functions that decode a packet, by link type of the capture."""
    raw = (dpkt.pcap.DLT_RAW, dpkt.pcap.DLT_IPV4, 12, 14)
    return {
        dpkt.pcap.DLT_EN10MB: dpkt.ethernet.Ethernet,
        dpkt.pcap.DLT_LINUX_SLL: dpkt.sll.SLL,
        dpkt.pcap.DLT_LINUX_SLL2: dpkt.sll2.SLL2,
        **dict.fromkeys(raw, dpkt.ip.IP),
    }


def _sources(senders: list[Sender], packets: list[Packets]) -> list[RecordedSource]:
    """Return senders as sources; names contain the destination port only if needed."""
    shared = Counter((each.address, each.port) for each in senders)
    found = []
    for (address, port, to_port), sent in zip(senders, packets, strict=True):
        name = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
        also = (address, name) if shared[address, port] > 1 else (address,)
        name = f"{name}>{to_port}" if shared[address, port] > 1 else name
        what, is_lidar = _looks_like(sent.payload)
        found.append(RecordedSource(name, what, len(sent.payload), also, is_lidar))
    return found


def _looks_like(payloads: list[bytes]) -> tuple[str, bool]:
    """Return a description of a sender's packets, and whether they can be decoded into clouds."""
    named = Counter(hesai_name(each) or velodyne_name(each) for each in payloads)
    if lidars := [name for name, _ in named.most_common() if name]:
        return " and ".join(lidars), True
    (size, _), *others = Counter(map(len, payloads)).most_common()
    return f"unknown, {size:,} bytes{' and others' if others else ''}", False
