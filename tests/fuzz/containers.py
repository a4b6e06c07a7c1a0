# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Changes within files of records: traces, images, binary glTF, archives, captures, arrays."""

import base64
import gzip
import io
import json
import lzma
import struct
import zipfile
import zlib

import numpy as np
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_sensorview_pb2 import SensorView

from tests.fuzz import trees
from tests.fuzz.trees import change_message, changed_json
from tests.fuzz.values import changed_bytes, changed_words, number


def changed_messages(data, draw, kind=SensorView):
    """Return messages, each behind its length; some are changed, or change places."""
    messages = list(unframed(data))
    for _ in range(draw.choice((1, 1, 2))):
        at = draw.randrange(len(messages))
        how = draw.random()
        if how < 0.85:
            message = kind.FromString(messages[at])
            change_message(message, draw)
            messages[at] = message.SerializeToString()
        elif how < 0.9:
            messages[at] = changed_bytes(messages[at], draw)
        elif how < 0.95:
            messages.insert(at, draw.choice(messages))
        else:
            del messages[at]
        if not messages:
            return b""
    return b"".join(struct.pack("<I", len(each)) + each for each in messages)


def changed_truths(data, draw):
    """Return GroundTruth messages, some of them changed."""
    return changed_messages(data, draw, GroundTruth)


def unframed(data):
    """Yield the messages of a binary trace; a length that is cut short at its end is left out."""
    at = 0
    while at + 4 <= len(data):
        (n,) = struct.unpack_from("<I", data, at)
        yield data[at + 4 : at + 4 + n]
        at += 4 + n


def within(pack, unpack, change):
    """Return a change of what a packed file holds; sometimes of the file itself."""

    def changed(data, draw):
        if draw.random() < 0.15:
            return changed_bytes(data, draw)
        return pack(change(unpack(data), draw))

    return changed


gzipped = within(lambda data: gzip.compress(data, 1), gzip.decompress, changed_messages)
xz = within(lambda data: lzma.compress(data, preset=0), lzma.decompress, changed_messages)


def changed_png(data, draw):
    """Return a PNG file of whose chunks one is changed; most have the right checksum."""
    chunks = []
    at = 8
    while at + 12 <= len(data):
        (n,) = struct.unpack_from(">I", data, at)
        chunks.append((data[at + 4 : at + 8], data[at + 8 : at + 8 + n]))
        at += 12 + n
    one = draw.randrange(len(chunks))
    name, body = chunks[one]
    how = draw.random()
    if name == b"IHDR" and how < 0.4:
        size = [draw.choice((0, 1, 2, 3, 16, 1000, 30000, 2**31 - 1, 2**32 - 1)) for _ in "wh"]
        body = struct.pack(">II", *size) + body[8:]
    elif name == b"IDAT" and how < 0.5:
        body = zlib.compress(changed_bytes(zlib.decompress(body), draw))
    elif how < 0.8:
        body = changed_bytes(body, draw)
    elif how < 0.9:
        chunks.insert(one, (name, body))
    else:
        name = draw.choice((b"PLTE", b"tRNS", b"iCCP", b"zTXt", b"acTL", b"fdAT", b"gAMA"))
    chunks[one] = name, body
    parts = [data[:8]]
    for name, body in chunks:
        checksum = zlib.crc32(name + body) if draw.random() < 0.97 else 0
        parts.append(struct.pack(">I", len(body)) + name + body + struct.pack(">I", checksum))
    return b"".join(parts)


def changed_glb(data, draw):
    """Return a binary glTF file with another header or other numbers."""
    (n,) = struct.unpack_from("<I", data, 12)
    header, rest = data[20 : 20 + n], data[20 + n :]
    if draw.random() < 0.7:
        header = changed_json(header.rstrip(b" \0"), draw)
        header += b" " * (-len(header) % 4)
    else:
        rest = changed_bytes(rest, draw)
    length = 20 + len(header) + len(rest)
    return struct.pack("<4sIIII", b"glTF", 2, length, len(header), 0x4E4F534A) + header + rest


def changed_gltf(data, draw):
    """Return a glTF file with changed values, or changed numbers in its buffer."""
    if draw.random() < 0.75:
        return changed_json(data, draw)
    tree = json.loads(data)
    buffer = draw.choice(tree["buffers"])
    start, _, body = buffer["uri"].partition(",")
    changed = bytearray(base64.b64decode(body))
    for _ in range(draw.choice((1, 2, 5))):
        at = 4 * draw.randrange(len(changed) // 4)
        value = float(np.clip(number(draw), -3e38, 3e38))
        changed[at : at + 4] = struct.pack("<f", value)
    buffer["uri"] = f"{start},{base64.b64encode(changed).decode()}"
    return json.dumps(tree).encode()


def changed_zip(data, draw):
    """Return an archive in which one file is changed, or is missing."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        one = draw.choice(names)
        with zipfile.ZipFile(buffer, "w") as written:
            for name in names:
                content = archive.read(name)
                if name != one:
                    written.writestr(name, content)
                elif draw.random() < 0.9:
                    written.writestr(name, of_name(name)(content, draw))
    return buffer.getvalue()


def changed_npy(data, draw):
    """Return an array of numpy with other numbers, another shape or another kind of numbers."""
    array = np.load(io.BytesIO(data))
    how = draw.random()
    if how < 0.3:
        return (
            changed_words(data[:128], draw)[:256] + data[128:]
            if how < 0.1
            else changed_bytes(data, draw)
        )
    names = array.dtype.names
    if how < 0.6 and array.size:
        flat = array[names[draw.randrange(len(names))]] if names else array
        with np.errstate(all="ignore"):
            at = draw.randrange(flat.shape[0])
            flat[at] = np.array(number(draw), np.float64).astype(flat.dtype)
    elif how < 0.75 and not names:
        kind = draw.choice(("<f2", ">f4", "<f8", "<c8", "?", "u1", "<i8", "O", "U4", "S3", "M8[s]"))
        with np.errstate(all="ignore"):
            array = (
                array.astype(kind) if kind not in ("O", "M8[s]") else np.empty(array.shape, kind)
            )
    elif how < 0.9:
        shape = draw.choice(((0,), (0, 3), (1,), (3,), (2, 2, 2), (array.size, 1), ()))
        array = np.resize(array, shape)
    else:
        array = array[: draw.randrange(len(array) + 1)]
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def changed_pcd(data, draw):
    """Return a PCD file with another header, or other points."""
    head, mark, body = data.partition(b"\nDATA ")
    line, _, body = body.partition(b"\n")
    how = draw.random()
    if how < 0.6:
        head = changed_words(head, draw)
    elif how < 0.7:
        line = draw.choice((b"ascii", b"binary", b"binary_compressed", b"", b"BINARY"))
    else:
        body = (changed_words if line == b"ascii" else changed_bytes)(body, draw)
    return head + mark + line + b"\n" + body


def changed_ply(data, draw):
    """Return a PLY file with another header, or other points."""
    head, mark, body = data.partition(b"end_header\n")
    if draw.random() < 0.6:
        return changed_words(head, draw) + mark + body
    return head + mark + (changed_words if b"ascii" in head else changed_bytes)(body, draw)


def changed_capture(data, draw):
    """Return a capture of whose packets one is changed, gone, or there again."""
    packets = []
    at = 24
    while at + 16 <= len(data):
        (n,) = struct.unpack_from("<I", data, at + 8)
        packets.append(data[at : at + 16 + n])
        at += 16 + n
    if draw.random() < 0.1:
        return changed_bytes(data, draw)
    for _ in range(draw.choice((1, 1, 3, 20))):
        one = draw.randrange(len(packets))
        how = draw.random()
        if how < 0.7:
            payload = changed_bytes(packets[one][58:], draw)  # 16 of the record, 42 of the headers
            head = bytearray(packets[one][:58])
            if draw.random() < 0.8:
                struct.pack_into("<II", head, 8, 42 + len(payload), 42 + len(payload))
                struct.pack_into(">H", head, 32, (28 + len(payload)) % 65536)
                struct.pack_into(">H", head, 54, (8 + len(payload)) % 65536)
            packets[one] = bytes(head) + payload
        elif how < 0.8:
            packets[one] = changed_bytes(packets[one], draw)
        elif how < 0.9 and len(packets) > 1:
            del packets[one]
        else:
            packets.insert(one, draw.choice(packets))
    return data[:24] + b"".join(packets)


def of_name(name):
    """Return the change that fits files of a name."""
    suffix = name.rpartition(".")[2].lower()
    return {
        **dict.fromkeys(("json", "xomp", "xompt", "xomm", "xoma"), trees.changed_json),
        **dict.fromkeys(("xml", "xodr", "xosc", "dae"), trees.changed_xml),
        **dict.fromkeys(("yaml", "yml"), trees.changed_yaml),
        **dict.fromkeys(("csv", "txt", "obj", "mtl", "txth", "tum", "asc"), changed_words),
        "osi": changed_messages, "gz": gzipped, "xz": xz, "gltf": changed_gltf, "glb": changed_glb,
        "png": changed_png, "npy": changed_npy, "npz": changed_zip, "zip": changed_zip,
        "fmu": changed_zip, "pcd": changed_pcd, "ply": changed_ply, "pcap": changed_capture,
    }.get(suffix, changed_bytes)  # fmt: skip
