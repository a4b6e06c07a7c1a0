# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A node that keeps what it is given, in the place of one that speaks DDS."""


class RecordedWriter:
    """Keeps the messages of a topic."""

    def __init__(self, topic, kind, quality, *, latched):
        self.topic = topic
        self.offered = (kind, quality, latched)
        self.messages = []
        self.n_subscribers = 0
        self.refused = None
        self.has_room = True

    def write(self, data):
        self.messages.append(bytes(data))
        return self.has_room

    def newly_refused(self):
        policy, self.refused = self.refused, None
        return policy


class RecordedNode:
    """Keeps the messages of all topics."""

    def __init__(self, domain):
        self.domain = domain
        self.topics = {}
        self.received = True
        self.is_closed = False

    def writer(self, topic, kind, quality, *, latched=False):
        return self.topics.setdefault(topic, RecordedWriter(topic, kind, quality, latched=latched))

    def wait_until_received(self, most_s):
        assert most_s >= 0.0
        return self.received

    def close(self):
        self.is_closed = True
