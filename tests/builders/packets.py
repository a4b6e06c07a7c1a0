# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Packets of Hesai and Velodyne sensors, and captures of them."""

import struct
from pathlib import Path

AZIMUTH_STEP = 100  # hundredths of a degree
N_TURN = 360


def hesai_packets(start: bytes, n_block: int, n_laser: int, spare: bytes) -> list[bytes]:
    """Return one turn; laser k sees 1000 + k units, and a second return 1000 units behind."""
    packets = []
    for first in range(0, N_TURN, n_block // 2):
        body = b""
        for firing in range(first, first + n_block // 2):
            for extra in (1000, 0):  # the last return, then the strongest
                mark = b"\xff\xee" if not start else b""
                body += mark + struct.pack("<H", firing * AZIMUTH_STEP % 36000)
                for laser in range(n_laser):
                    # odd lasers have one echo only: both returns are the same
                    far = extra if laser % 2 == 0 else 0
                    body += struct.pack("<HB", 1000 + laser + far, 50) + spare
        packets.append(start + body + bytes(40))
    return packets


def capture(path: Path, *senders: list[bytes], sent_from: tuple[str, int] | None = None) -> Path:
    """Write what some sensors send at once: 1.1.1.1 port 2368, 1.1.1.2 port 2369 and so on.

    Where one relay sends all, only the ports that it sends to are theirs.
    """
    import dpkt

    packets = []
    for sender, payloads in enumerate(senders):
        for number, payload in enumerate(payloads):
            port = 2368 + sender
            address, from_port = sent_from or (f"1.1.1.{1 + sender}", port)
            udp = dpkt.udp.UDP(sport=from_port, dport=port, data=payload, ulen=8 + len(payload))
            source = bytes(map(int, address.split(".")))
            ip = dpkt.ip.IP(src=source, dst=b"\x02" * 4, p=17, data=udp, len=28 + len(payload))
            ethernet = dpkt.ethernet.Ethernet(src=b"\0" * 6, dst=b"\1" * 6, data=ip)
            packets.append((1.0 + 0.1 * number / len(payloads), bytes(ethernet)))
    with path.open("wb") as file:
        writer = dpkt.pcap.Writer(file)
        for stamp_s, packet in sorted(packets, key=lambda each: each[0]):
            writer.writepkt(packet, ts=stamp_s)
    return path


def velodyne_packets(n_turn: int, range_m: float = 5.0) -> list[bytes]:
    """Return VLP-16 packets of one range in all directions, strongest return, 24 firings each."""
    packets = []
    for number in range(75 * n_turn):
        body = b""
        for block in range(12):
            azimuth = (number * 12 + block) * 40 % 36000
            body += (
                struct.pack("<HH", 0xEEFF, azimuth)
                + struct.pack("<HB", round(range_m / 0.002), 9) * 32
            )
        packets.append(body + struct.pack("<IBB", 1327 * number, 0x37, 0x22))
    return packets


def correction(path: Path, n_laser: int) -> Path:
    """Write the angles of the lasers of a Hesai sensor."""
    lines = "".join(f"{k + 1},{10.0 - k},{0.5}\n" for k in range(n_laser))
    path.write_text("Channel,Elevation,Azimuth\n" + lines)
    return path
