# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""OSMP input messages: copied while their pointer is valid, and decoded once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from lidar_base.given import given
from osi_bridge import MESSAGE_PARTS, FrameDecoder, LateMessage, Pointer

from .errors import FmuError

if TYPE_CHECKING:
    from osi_bridge import Frame, MessageType

SENSOR_VIEW, GROUND_TRUTH = "OSMPSensorViewIn", "OSMPGroundTruthIn"


class MessageInput:
    """An input message: the three integers set by the master, and a copy of the message.

    OSMP guarantees a pointer until the end of the step after it was set. Each pointer is therefore
    read only once; until the master sets a new pointer, the copy is used. A master of FMI 3.0
    passes the message itself, see `put`.
    """

    def __init__(self) -> None:
        self._parts = dict.fromkeys(MESSAGE_PARTS, 0)
        self._is_set = False
        self._data = b""

    @property
    def pointer(self) -> Pointer:
        """Pointer to the message as OSMP's integers: lower and upper half of the address, size.

        It is the pointer that the master set, or a pointer to the copy of a message from `put`.
        """
        return Pointer(*self._parts.values())

    def set(self, part: str, value: int) -> None:
        """Set one of the three integers of the pointer to the message.

        ``part`` is "base.lo" or "base.hi", a half of the address, or "size". ``value`` is the
        integer, signed and of 32 bits. The memory at the address is not accessed before `read`.
        """
        self._parts[part] = value
        self._is_set = True

    def put(self, data: bytes) -> None:
        """Set the message itself.

        ``data`` is the serialised message, which is copied; empty bytes mean no message.

        Raises
        ------
        FmuError
            The message has 2 GiB or more; the input then has no message.
        """
        self._is_set, self._data = False, b""
        self._parts = dict.fromkeys(MESSAGE_PARTS, 0)
        try:
            copy = bytes(data)
            self._parts = dict(zip(MESSAGE_PARTS, Pointer.of(copy), strict=True))
        except ValueError as error:
            raise FmuError(f"a message of {len(data)} bytes, expected less than 2 GiB") from error
        self._data = copy

    def read(self) -> bytes:
        """Return the message, empty if there is none. Call it only while the pointer is valid.

        Raises
        ------
        UndecodableMessage
            The size is negative; the input then has no message until the master sets another one.
        """
        if self._is_set:
            self._is_set, self._data = False, b""
            self._data = self.pointer.read()
        return self._data


class Received(NamedTuple):
    """A decoded input message of a step.

    Attributes
    ----------
    frame : Frame
        The decoded content; its index is the number of steps that were answered before.
    data : bytes
        The serialised message.
    message_type : str
        "SensorView" or "GroundTruth".
    after_late : bool
        Whether this is the previous message again, as the new message was late and is left out.
    """

    frame: Frame
    data: bytes
    message_type: MessageType
    after_late: bool = False


class MessageReceiver:
    """Decoder of the messages of both inputs, SensorView and GroundTruth.

    Parameters
    ----------
    initial_truth : bytes
        OSMPGroundTruthInit, empty if there is none.

    Raises
    ------
    UndecodableMessage
        `initial_truth` is not a GroundTruth message.
    """

    def __init__(self, initial_truth: bytes) -> None:
        self._decoders = {
            SENSOR_VIEW: FrameDecoder("SensorView", strict=True),
            GROUND_TRUTH: FrameDecoder("GroundTruth", strict=True),
        }
        if initial_truth:
            for decoder in self._decoders.values():
                decoder.prime(initial_truth)
        self._last: tuple[str, Received] | None = None

    def receive(self, name: str, data: bytes, index: int) -> Received:
        """Return the decoded message of an input; identical bytes are not decoded again.

        This is not only faster. Content that only the first message of a trace carries is kept
        until another message carries it, and a master may pass the first message several times.

        Parameters
        ----------
        name : str
            The input: "OSMPSensorViewIn" or "OSMPGroundTruthIn".
        data : bytes
            The message, serialised.
        index : int
            Number of steps that were answered before; it becomes the index of the frame.

        Raises
        ------
        OsiInputError
            The message cannot be used.
        """
        if self._last is not None and (name, data) == (self._last[0], self._last[1].data):
            last = self._last[1]
            return last._replace(frame=replace(last.frame, index=index))
        decoder = self._decoders[name]
        try:
            frame = decoder.decode(data, index)
        except LateMessage:
            last = given(self._last)[1]  # a first message is never late
            return last._replace(frame=replace(last.frame, index=index), after_late=True)
        received = Received(frame, data, decoder.message_type)
        self._last = name, received
        return received
