# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads the MCAP files for viewers."""

from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory

VIEW, ANSWER = "osi-lidar.OSMPSensorViewIn", "osi-lidar.OSMPSensorDataOut"


def raw(path, topic):
    """Return time and bytes of the messages of a topic."""
    with path.open("rb") as stream:
        found = make_reader(stream).iter_messages(topics=[topic])
        return [(each.log_time, each.data) for _, _, each in found]


def decoded(path, topic):
    """Return the messages of a topic, decoded by the schemas of the file itself."""
    with path.open("rb") as stream:
        reader = make_reader(stream, decoder_factories=[DecoderFactory()])
        return [each for *_, each in reader.iter_decoded_messages(topics=[topic])]


def summary(path):
    with path.open("rb") as stream:
        return make_reader(stream).get_summary()


def topics(path):
    return {each.topic for each in summary(path).channels.values()}


def poses(message_):
    """Return the poses of a message of transforms by parent and child, and its times."""
    return {
        (one.parent_frame_id, one.child_frame_id): (
            *(getattr(one.translation, axis) for axis in "xyz"),
            *(getattr(one.rotation, axis) for axis in "wxyz"),
        )
        for one in message_.transforms
    }
