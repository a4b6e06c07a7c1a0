# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Options for publishing to ROS 2."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Literal

from lidar_app.cli.parts.completion import one_of
from lidar_app.cli.parts.parameters import option, switch
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from lidar_app.ros2.publisher import Ros2Publisher
    from osi_lidar.config import Config

ROS2 = "ROS 2"


@dataclass(frozen=True)
class NodeOptions:
    """Values of options for publishing clouds, transforms and time to ROS 2.

    Attributes
    ----------
    ros2 : str or None
        Topic of the clouds; "{}" in it stands for the name of the sensor. None: nothing is
        published.
    ros2_layout : {"xyzirt", "autoware"}
        Fields of a point: "xyzirt" as of Velodyne's driver, or "autoware" (PointXYZIRCAEDT).
    ros2_qos : str
        Quality of service: "reliable" or "best_effort", or with ":N" and the number of clouds that
        are kept for slow subscribers.
    ros2_domain : int or None
        DDS domain; None: the value of the variable ROS_DOMAIN_ID, else 0.
    ros2_namespace : str
        Namespace of tf, tf_static and relative topics; empty: none.
    ros2_clock : bool
        Whether the time of the messages is published at /clock.
    """

    ros2: str | None = option(
        "TOPIC",
        "Publish the clouds to ROS 2 on this topic; a pair of braces in it stands for the sensor's "
        "name. Needs the extra `ros2-live`. Default: not published.",
        ROS2,
    )
    ros2_layout: Literal["xyzirt", "autoware"] = option(
        "NAME",
        "Fields of a point: xyzirt, as Velodyne's driver, or autoware (PointXYZIRCAEDT).",
        ROS2,
        default="xyzirt",
    )
    ros2_qos: str = option(
        "KIND",
        "reliable[:N] or best_effort[:N], with N clouds kept for slow subscribers.",
        ROS2,
        default="reliable:20",
        complete=one_of("reliable", "best_effort"),
    )
    ros2_domain: int | None = option(
        "N", "DDS domain. Default: the value of the variable ROS_DOMAIN_ID, else 0.", ROS2
    )
    ros2_namespace: str = option(
        "NAME",
        "Namespace of tf, tf_static, and a TOPIC that does not begin with /. Default: none.",
        ROS2,
        default="",
    )
    ros2_clock: bool = switch(
        "Publish the time of the messages at /clock.",
        ROS2,
        "--ros2-clock/--no-ros2-clock",
        default=True,
    )

    def server(
        self, patience_s: float = 0.0
    ) -> Callable[[Config], AbstractContextManager[tuple[Ros2Publisher, str]]] | None:
        """Return a function that makes a publisher to ROS 2; None without --ros2.

        The function takes the configuration of the sensors, and returns a context manager. This
        gives the publisher, and a text with its topics and domain; it ends the publisher on exit.

        Parameters
        ----------
        patience_s : float
            Longest time that a message waits for reliable subscribers. [s]

        Raises
        ------
        InputError
            If an option cannot be used, or is given without --ros2.
        """
        if self.ros2 is None:
            self._check_unused()
            return None
        from lidar_app.ros2.publisher import serving_ros2
        from lidar_app.ros2.settings import Quality, Ros2Settings, domain_of

        settings = Ros2Settings(
            topic=self.ros2,
            namespace=self.ros2_namespace,
            layout=self.ros2_layout,
            quality=Quality.parse("--ros2-qos", self.ros2_qos),
            domain=domain_of(self.ros2_domain),
            clock=self.ros2_clock,
            patience_s=patience_s,
        )
        return partial(serving_ros2, settings)

    def _check_unused(self) -> None:
        """Raise InputError if an option of ROS 2 is given without --ros2."""
        for each in fields(NodeOptions):
            if getattr(self, each.name) != each.default:
                name = each.name.replace("_", "-")
                raise InputError(f"--{name}: needs --ros2 TOPIC, got none")
