# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A subject at a TCP port: SensorView in, SensorData out, each preceded by its length."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lidar_app.conformance.subjects.subject import SubjectError, TroubleKind
from osi_bridge import BrokenFraming, framed, read_message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lidar_app.conformance.asking import Question
    from lidar_app.conformance.subjects.subject import Replied

MOST_BYTES = 1 << 30


class TcpSubject:
    """A tested model (subject) as a TCP server, which answers each message on its connection.

    An answer of length 0 means no answer. Each scene has a new connection; when it is opened, the
    server must reset the state of its model.

    Parameters
    ----------
    host : str
        Address of the server.
    port : int
        Port of the server.
    timeout_s : float
        Longest time to wait for an answer. [s]
    """

    is_live = True

    def __init__(self, host: str, port: int, timeout_s: float) -> None:
        self._host, self._port, self._timeout_s = host, port, timeout_s

    def ask(self, _scene: str, questions: Sequence[Question], /) -> Replied:
        """Send the messages of a scene over a new connection; return the answers.

        `questions` are the messages (a sequence of Question), and `_scene` is not used. The result
        is a list with the encoded SensorData message for each of them, None for no answer. Raise
        SubjectError if the connection fails or ends, or an answer is late or damaged.
        """
        try:
            return asyncio.run(self._ask(questions))
        except (TimeoutError, asyncio.TimeoutError):
            told = f"the subject gave no answer within {self._timeout_s:g} s"
            raise SubjectError(TroubleKind.TIMEOUT, told) from None
        except BrokenFraming as error:
            raise SubjectError(TroubleKind.GARBAGE, str(error)) from error
        except OSError as error:
            raise SubjectError(
                TroubleKind.CRASH,
                f"the connection to the subject failed: {error.strerror or error}",
            ) from error

    async def _ask(self, questions: Sequence[Question]) -> Replied:
        limit_s = self._timeout_s
        reader, writer = await asyncio.wait_for(
            asyncio.open_connection(self._host, self._port), limit_s
        )
        replies: Replied = []
        try:
            for question in questions:
                writer.write(framed(question.data))
                await asyncio.wait_for(writer.drain(), limit_s)
                reply = await asyncio.wait_for(read_message(reader, MOST_BYTES), limit_s)
                if reply is None:
                    raise SubjectError(TroubleKind.CRASH, "the subject closed the connection")
                replies.append(reply or None)
        finally:
            writer.close()
        return replies

    def close(self) -> None:
        """Do nothing: the server keeps running."""
