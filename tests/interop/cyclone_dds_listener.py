# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A process that listens to topics of ROS 2 and keeps the bytes that come, undecoded.

    python tests/interop/cyclone_dds_listener.py DOMAIN FOLDER TOPIC=TYPE ..

Each message becomes a file of the folder, named by its topic and number. The process ends when
those who published have gone.
"""

import sys
import time
from pathlib import Path

from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.qos import Policy, Qos
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic

from lidar_app.ros2.dds_types import message_classes
from lidar_app.ros2.node import THIS_MACHINE


class Raw:
    """The bytes of a message, in the place of the message."""

    def __init__(self, data):
        self.data = data


def reader(participant, topic, kind, classes):
    """Return a reader of raw messages, reliable, that also takes what is latched."""
    classes[kind].deserialize = classmethod(lambda _, data, *__, **___: Raw(data))
    latched = topic.endswith("tf_static")
    durability = Policy.Durability.TransientLocal if latched else Policy.Durability.Volatile
    offered = Qos(Policy.Reliability.Reliable(0), Policy.History.KeepLast(1000), durability)
    return DataReader(participant, Topic(participant, f"rt{topic}", classes[kind]), qos=offered)


def main(domain, folder, *topics):
    own = Domain(int(domain), THIS_MACHINE)
    participant = DomainParticipant(int(domain))
    classes = message_classes()
    readers = {topic: reader(participant, *topic.split("="), classes) for topic in topics}
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    counts = dict.fromkeys(topics, 0)
    begun = False
    while True:
        matched = any(each.get_matched_publications() for each in readers.values())
        begun |= matched
        for topic, each in readers.items():
            for message in each.take(100):
                if isinstance(message, Raw):  # else the end of a writer
                    name = topic.partition("=")[0].replace("/", "_")
                    part = Path(folder, "part")
                    part.write_bytes(message.data)
                    part.rename(Path(folder, f"{name}.{counts[topic]:03d}"))
                    counts[topic] += 1
        if begun and not matched:
            break
        time.sleep(0.002)
    del readers, participant, own


if __name__ == "__main__":
    main(*sys.argv[1:])
