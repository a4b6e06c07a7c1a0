# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""ASAM's network proxy between a master and the stream, as docs/how-to/fmu-proxy.md says.

The FMU that OSI_LIDAR_NETWORK_PROXY names is used; without it, the test is skipped.
"""

import os
from pathlib import Path

import pytest

from osi_lidar.run.example_scene import street
from osi_lidar.run.fmu import Fmu, fmu_run
from tests.builders.messages import moving
from tests.commands import run
from tests.osi_lidar.live.streams import Process, answers, streaming, tiny

pytestmark = pytest.mark.slow
VARIABLE = "OSI_LIDAR_NETWORK_PROXY"
OUT = "OSMPSensorDataOut"


@pytest.fixture
def proxy():
    named = os.environ.get(VARIABLE)
    if named is None:
        pytest.skip(
            f"{VARIABLE} does not name an OSMPCNetworkProxy.fmu, see docs/how-to/fmu-proxy.md"
        )
    return Path(named)


def test_the_demo_through_the_proxy_is_its_replay_byte_for_byte(proxy, tmp_path):
    scenario = street()
    options = ("--config", scenario.config)
    with Process("stream", "--listen", 0, "--answer", "every", "--once", *options) as streamed:
        port = str(streamed.port())
        report = fmu_run(proxy, scenario.trace, tmp_path / "run", parameters={"port": port})
        assert streamed.wait() == 0
    assert report.steps == report.valid == 60
    assert run("replay", scenario.trace, *options, "--out", tmp_path / "replay").exit_code == 0
    (replayed,) = (tmp_path / "replay").glob("*_sd_*")
    assert report.trace.read_bytes() == replayed.read_bytes()
    report.trace.unlink()  # of 0.5 GB each
    replayed.unlink()


def test_an_empty_input_has_an_empty_output_and_so_has_a_stream_that_is_gone(proxy):
    messages = moving(3)
    with streaming(tiny(), answer="every") as live, Fmu(proxy) as fmu:
        fmu.initialize({"port": str(live.port)})
        given = []
        for number, data in enumerate([b"", messages[0], b"", *messages[1:]]):
            fmu.put("OSMPSensorViewIn", data)
            fmu.step(0.1 * number, 0.1)
            given.append(fmu.message(OUT))
        first, *others = answers(tiny(), messages)
        assert given == [b"", first, b"", *others]
        live.end()
        fmu.step(0.5, 0.1)
        assert fmu.message(OUT) == b""
        fmu.terminate()
