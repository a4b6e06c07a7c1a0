# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A DDS participant with writers for topics of ROS 2, by Eclipse Cyclone DDS.

Writing never waits for a subscriber: a writer keeps its last messages only, and what a subscriber
has not taken by then is lost to it. Cyclone DDS sends in the thread that writes, and holds Python's
lock while it does: about 1 ms for each MB to a subscriber on the same machine. Its own thread for
sending needs a latency budget above 0, which subscribers of ROS 2 refuse.
"""

from __future__ import annotations

import logging
import os
import time
from typing import TYPE_CHECKING

from lidar_app.exports.export_run import library
from lidar_app.ros2.dds_types import EXTRA, TYPE_HASHES, message_classes, prepared
from osi_lidar.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cyclonedds.core import DDSException
    from cyclonedds.idl import IdlStruct
    from cyclonedds.pub import DataWriter
    from cyclonedds.qos import Qos

    from lidar_app.ros2.settings import Quality

logger = logging.getLogger(__name__)

_ALIGNED = 4  # bytes; RTPS sends payloads in multiples of them
_CONFIGURED = "CYCLONEDDS_URI"
FOR_OTHERS = """<CycloneDDS><Domain>
<General><FragmentSize>14000 B</FragmentSize></General>
<Internal><GenerateKeyhash>true</GenerateKeyhash></Internal>
</Domain></CycloneDDS>"""
"""Configuration of Cyclone DDS that suits subscribers of Fast DDS, too.

Clouds are divided into parts as large as a packet. Subscribers ask for up to 256 lost parts at a
time, and by default a cloud of 2.9 MB has 2143 parts of 1344 B. Fast DDS does not see from messages
without a key hash which node has ended, and counts it as there until its lease has run out.
"""
THIS_MACHINE = """<CycloneDDS><Domain>
<General><Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces>
<AllowMulticast>false</AllowMulticast></General>
<Discovery><ParticipantIndex>auto</ParticipantIndex>
<MaxAutoParticipantIndex>32</MaxAutoParticipantIndex>
<Peers><Peer address="127.0.0.1"/></Peers></Discovery>
</Domain></CycloneDDS>"""
"""Configuration of Cyclone DDS that finds participants on this machine by their ports."""
OPEN = (
    "--ros2: not restricted to this machine, and DDS has no authentication here; "
    "ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST restricts it"
)
_POLICIES = {2: "durability", 11: "reliability", 23: "data representation"}
"""Numbers of the policies of DDS in which a subscriber of ROS 2 may ask for more."""


class TopicWriter:
    """Writes serialised messages to one topic.

    Parameters
    ----------
    topic : str
        The topic, as ROS calls it.
    kind : type
        The class of its messages.
    writer : DataWriter
        The writer of Cyclone DDS.
    """

    def __init__(self, topic: str, kind: type[IdlStruct], writer: DataWriter[IdlStruct]) -> None:
        self.topic = topic
        self._kind = kind
        self._writer = writer
        self._n_refused = 0

    def close(self) -> None:
        """End the writer."""
        del self._writer

    def write(self, data: bytes | memoryview) -> bool:
        """Write a message in CDR, with its header; return whether there was room for it.

        Raises
        ------
        OutputError
            If DDS cannot write.
        """
        filled = b"".join((data, bytes(-len(data) % _ALIGNED)))
        failure = _failure()
        try:
            self._writer.write(prepared(self._kind, filled))
        except failure as error:
            if error.code == failure.DDS_RETCODE_TIMEOUT:
                return False
            raise OutputError(f"{self.topic}: cannot be published: {error}") from error
        return True

    def is_received(self, most_s: float) -> bool:
        """Return whether reliable subscribers have all messages; wait for them if not.

        Parameters
        ----------
        most_s : float
            How long to wait at most. [s]
        """
        try:
            return bool(self._writer.wait_for_acks(int(1e9 * most_s)))
        except AttributeError:  # a time-out: cyclonedds 11.0 looks up its code in another class
            return False

    @property
    def n_subscribers(self) -> int:
        """How many subscribers there are at this moment."""
        count: int = self._writer.get_publication_matched_status().current_count
        return count

    def newly_refused(self) -> str | None:
        """Return the policy by which another subscriber has refused the topic; None if none has."""
        status = self._writer.get_offered_incompatible_qos_status()
        if status.total_count == self._n_refused:
            return None
        self._n_refused = status.total_count
        return _POLICIES.get(status.last_policy_id, f"policy {status.last_policy_id}")


class Node:
    """A participant in a DDS domain, with the writers of its topics.

    Parameters
    ----------
    domain : int
        The domain.

    Raises
    ------
    OutputError
        If Cyclone DDS is not installed, or finds no network.
    """

    def __init__(self, domain: int) -> None:
        dds = library("cyclonedds.domain", EXTRA)
        pub = library("cyclonedds.pub", EXTRA)
        self._classes = message_classes()
        self._writers: list[TopicWriter] = []
        if not (_is_local(os.environ) or os.environ.get(_CONFIGURED)):
            logger.warning("%s", OPEN)
        try:
            self._domain = dds.Domain(domain, _configuration(os.environ))
            self._participant = dds.DomainParticipant(domain)
            self._publisher = pub.Publisher(self._participant)
        except _failure() as error:
            raise OutputError(f"--ros2: DDS does not start in domain {domain}: {error}") from error

    def writer(
        self, topic: str, kind: str, quality: Quality, *, latched: bool = False
    ) -> TopicWriter:
        """Return a writer of a topic.

        Parameters
        ----------
        topic : str
            The topic as ROS calls it, such as ``/tf``.
        kind : str
            The type of its messages, such as ``tf2_msgs/msg/TFMessage``.
        quality : Quality
            What is offered to subscribers.
        latched : bool
            Whether who subscribes late gets the last messages, too.

        Raises
        ------
        OutputError
            If DDS refuses it.
        """
        topics = library("cyclonedds.topic", EXTRA)
        pub = library("cyclonedds.pub", EXTRA)
        offered = _offered(quality, TYPE_HASHES[kind], latched=latched)
        try:
            told = topics.Topic(self._participant, f"rt{topic}", self._classes[kind])
            made = pub.DataWriter(self._publisher, told, qos=offered)
        except _failure() as error:
            raise OutputError(f"{topic}: cannot be published: {error}") from error
        writer = TopicWriter(topic, self._classes[kind], made)
        self._writers.append(writer)
        return writer

    def wait_until_received(self, most_s: float) -> bool:
        """Wait until reliable subscribers have all messages; return whether they have.

        Parameters
        ----------
        most_s : float
            How long to wait at most. [s]
        """
        end_s = time.monotonic() + most_s
        return all(
            writer.is_received(max(end_s - time.monotonic(), 0.0)) for writer in self._writers
        )

    def close(self) -> None:
        """End the node; others hear of it. This takes a second at most, for what is on its way."""
        for writer in self._writers:
            writer.close()
        self._writers.clear()
        del self._publisher
        del self._participant
        del self._domain


def _failure() -> type[DDSException]:
    """Return the exception of Cyclone DDS."""
    failure: type[DDSException] = library("cyclonedds.core", EXTRA).DDSException
    return failure


def _offered(quality: Quality, type_hash: str, *, latched: bool) -> Qos:
    """Return the quality of service of a writer, as ROS 2 states it."""
    qos = library("cyclonedds.qos", EXTRA)
    policy = qos.Policy
    return qos.Qos(
        policy.Reliability.Reliable(0) if quality.reliable else policy.Reliability.BestEffort,
        policy.History.KeepLast(quality.depth),
        policy.Durability.TransientLocal if latched else policy.Durability.Volatile,
        policy.DataRepresentation(use_cdrv0_representation=True),
        policy.Userdata(f"typehash={type_hash};".encode()),
    )


def _configuration(environment: Mapping[str, str]) -> str:
    """Return the configuration of Cyclone DDS: a list, in which the user's comes last and wins."""
    parts = [FOR_OTHERS]
    if _is_local(environment):
        parts.append(THIS_MACHINE)
    if environment.get(_CONFIGURED):
        parts.append(environment[_CONFIGURED])
    return ",".join(parts)


def _is_local(environment: Mapping[str, str]) -> bool:
    """Return whether ROS 2 stays on this machine; Cyclone DDS must not be configured for that."""
    if environment.get(_CONFIGURED):
        return False
    reach = environment.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "")
    return reach.upper() == "LOCALHOST" or environment.get("ROS_LOCALHOST_ONLY") == "1"
