# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A DDS participant (Eclipse Cyclone DDS) with writers for ROS 2 topics.

Writing never waits for a subscriber: a writer keeps only its last messages, and a slow subscriber
loses older ones. Cyclone DDS sends in the thread that writes, and holds Python's global lock
meanwhile: about 1 ms per MB for a subscriber on the same machine. A separate sending thread would
need a latency budget above 0, which ROS 2 subscribers refuse.
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
"""Configuration of Cyclone DDS that also suits subscribers with Fast DDS.

FragmentSize: subscribers request at most 256 lost fragments at a time, and with the default of 1344
B a cloud of 2.9 MB has 2143 fragments. GenerateKeyhash: without a key hash, Fast DDS does not
notice that a node has ended until its lease expires.
"""
THIS_MACHINE = """<CycloneDDS><Domain>
<General><Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces>
<AllowMulticast>false</AllowMulticast></General>
<Discovery><ParticipantIndex>auto</ParticipantIndex>
<MaxAutoParticipantIndex>32</MaxAutoParticipantIndex>
<Peers><Peer address="127.0.0.1"/></Peers></Discovery>
</Domain></CycloneDDS>"""
"""Configuration of Cyclone DDS for this machine only; finds participants by their ports."""
OPEN = (
    "--ros2: not restricted to this machine, and DDS has no authentication here; "
    "ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST restricts it"
)
_POLICIES = {2: "durability", 11: "reliability", 23: "data representation"}
"""DDS policies, by number, by which a ROS 2 subscriber may reject an offer."""


class TopicWriter:
    """Writes serialised messages to one topic.

    Parameters
    ----------
    topic : str
        Name of the topic in ROS.
    kind : type
        The class of the topic's messages, from `message_classes`.
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
        """Send a message to the topic; return False if it is not sent because the queue is full.

        `data` is the message in CDR, with the CDR header of 4 bytes.

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
        """Wait until reliable subscribers, if any, have all messages; return whether they have.

        Parameters
        ----------
        most_s : float
            Longest time to wait. [s]
        """
        try:
            return bool(self._writer.wait_for_acks(int(1e9 * most_s)))
        except AttributeError:  # a time-out: cyclonedds 11.0 looks up its code in another class
            return False

    @property
    def n_subscribers(self) -> int:
        """Present number of subscribers."""
        count: int = self._writer.get_publication_matched_status().current_count
        return count

    def newly_refused(self) -> str | None:
        """Return why a subscriber has refused this topic since the last call; None if none has.

        The result names the DDS policy, such as "reliability", in which the requested quality of
        service does not fit the offered one. After several refusals, it is from the last one.
        """
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
        Number of the domain.

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
        """Make a writer for a topic, and return it.

        Parameters
        ----------
        topic : str
            Name of the topic in ROS, such as ``/tf``.
        kind : str
            The type of the topic's messages, such as ``tf2_msgs/msg/TFMessage``.
        quality : Quality
            Quality of service that is offered to subscribers.
        latched : bool
            Whether late subscribers get the last messages, too.

        Raises
        ------
        OutputError
            If DDS refuses the topic or the quality of service.
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
        """Wait until reliable subscribers have all messages of all topics; return whether so.

        Parameters
        ----------
        most_s : float
            Longest time to wait. [s]
        """
        end_s = time.monotonic() + most_s
        return all(
            writer.is_received(max(end_s - time.monotonic(), 0.0)) for writer in self._writers
        )

    def close(self) -> None:
        """End the node and announce its end; remaining messages are sent for at most 1 s."""
        for writer in self._writers:
            writer.close()
        self._writers.clear()
        del self._publisher
        del self._participant
        del self._domain


def _failure() -> type[DDSException]:
    """Return the exception class of Cyclone DDS."""
    failure: type[DDSException] = library("cyclonedds.core", EXTRA).DDSException
    return failure


def _offered(quality: Quality, type_hash: str, *, latched: bool) -> Qos:
    """Return the quality of service of a writer, with the type hash for ROS 2."""
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
    """Return a list of configurations for Cyclone DDS; the last one, the user's, wins."""
    parts = [FOR_OTHERS]
    if _is_local(environment):
        parts.append(THIS_MACHINE)
    if environment.get(_CONFIGURED):
        parts.append(environment[_CONFIGURED])
    return ",".join(parts)


def _is_local(environment: Mapping[str, str]) -> bool:
    """Return whether ROS 2 is limited to this machine; False if CYCLONEDDS_URI is set."""
    if environment.get(_CONFIGURED):
        return False
    reach = environment.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "")
    return reach.upper() == "LOCALHOST" or environment.get("ROS_LOCALHOST_ONLY") == "1"
