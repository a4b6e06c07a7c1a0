# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Print the detections of a live stream: a subscriber of `osi-lidar stream --publish`.

    python examples/subscribe.py [HOST:PORT]

Start it once the stream is listening. It prints one line for each SensorData message: the time, and
for each sensor the number of detections and the distance of the nearest one. It ends with the
stream, or with Ctrl-C.
"""

import socket
import sys

from osi3.osi_sensordata_pb2 import SensorData


def main(address: str = "127.0.0.1:48199") -> None:
    """Print a line for each message."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port))) as connection:
        stream = connection.makefile("rb")
        while length := stream.read(4):
            message = SensorData.FromString(stream.read(int.from_bytes(length, "little")))
            words = [f"{message.timestamp.seconds + 1e-9 * message.timestamp.nanos:.3f} s"]
            for sensor in message.feature_data.lidar_sensor:
                ranges_m = [detection.position.distance for detection in sensor.detection]
                words.append(f"{len(ranges_m)} detections, from {min(ranges_m, default=0):.2f} m")
            print(*words, sep="  ", flush=True)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (OSError, TypeError, ValueError) as problem:  # no connection, or not HOST:PORT
        sys.exit(f"{' '.join(sys.argv[1:])}: {problem}\n{__doc__}")
    except KeyboardInterrupt:
        pass
