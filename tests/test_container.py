# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The image has a health check that says what is wrong, and labels that say what it is."""

import importlib.util
import logging
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import osi_lidar
from osi_lidar.live.counters import Counters
from osi_lidar.live.metrics import serving_metrics
from osi_lidar.live.ports.guard import Guard
from osi_lidar.live.state import StreamState
from tests.osi_lidar.live.helpers import endpoint

REPOSITORY = Path(__file__).resolve().parents[1]
DOCKERFILE = (REPOSITORY / "Dockerfile").read_text(encoding="utf-8")
SCRIPT = REPOSITORY / "packaging" / "container" / "health.py"
_SPEC = importlib.util.spec_from_file_location("health", SCRIPT)
health = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(health)
needs_table = pytest.mark.skipif(sys.platform != "linux", reason="a table of Linux lists the ports")


@pytest.fixture
def checked(tmp_path):
    """Return a function that checks a program by its arguments."""

    def check(*arguments):
        file = tmp_path / "cmdline"
        file.write_text("\0".join(("python", "/opt/osi-lidar/bin/osi-lidar", *arguments, "")))
        return health.check(file)

    return check


@pytest.fixture
def silent_port():
    """Return a port at which a program listens that never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def unused_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--listen", "48198"], {"--listen": ("127.0.0.1", 48198)}),
        (["--listen=0.0.0.0:48198"], {"--listen": ("127.0.0.1", 48198)}),
        (["--metrics", "[::]:9464"], {"--metrics": ("::1", 9464)}),
        (["--publish", "tcp://lidar:48199"], {"--publish": ("lidar", 48199)}),
        (["--listen", "udp://0.0.0.0:48198"], {}),  # the table of TCP does not have it
        (["--listen", "0.0.0.0:0"], {}),
        (["--connect", "simulator:48198"], {}),
        (["--listen"], {}),
    ],
)
def test_ports_are_read_from_the_command_line(words, found):
    assert health.ports(["osi-lidar", "stream", *words]) == found
    assert health.ports(["osi-lidar", "replay", *words]) == {}


def test_a_command_without_ports_is_healthy(checked):
    assert checked("demo", "--out", "demo") == ""
    assert checked("stream", "--connect", "simulator:48198") == ""
    assert checked("stream", "--help") == ""


@needs_table
def test_a_port_is_looked_up_and_not_connected_to(checked, silent_port, unused_port):
    assert checked("stream", "--listen", f"0.0.0.0:{silent_port}") == ""
    said = checked("stream", "--listen", str(silent_port), "--publish", str(unused_port))
    assert said == f"--publish: nobody listens at port {unused_port}"


@needs_table
@pytest.mark.parametrize("token", [None, "0123456789abcdef"])
def test_metrics_answer_with_and_without_a_token(checked, caplog, token):
    pytest.importorskip("prometheus_client")
    caplog.set_level(logging.INFO, "osi_lidar.live")
    state = StreamState(counters=Counters())
    with serving_metrics(endpoint("0", "--metrics"), state, Guard.parse([], token)):
        port = re.search(r"metrics at http://\S+:(\d+)/", caplog.text)[1]
        assert checked("stream", "--connect", "simulator:1", "--metrics", f"0.0.0.0:{port}") == ""


@needs_table
def test_a_program_that_hangs_is_not_healthy(checked, silent_port, monkeypatch):
    monkeypatch.setattr(health, "TIMEOUT_S", 0.1)
    said = checked("stream", "--listen", str(silent_port), "--metrics", str(silent_port))
    assert said == "--metrics: no answer within 0.1 s"


@needs_table
def test_the_script_runs_alone():
    """The first process of this machine is no osi-lidar."""
    run = subprocess.run([sys.executable, "-I", SCRIPT], check=False, capture_output=True)
    assert (run.returncode, run.stderr) == (0, b"")


def test_the_image_has_the_script_that_its_health_check_runs():
    source, target = re.search(r"^COPY (packaging\S+) (\S+)$", DOCKERFILE, re.MULTILINE).groups()
    assert REPOSITORY / source == SCRIPT
    command = re.search(r"HEALTHCHECK .*CMD (\[.*?\])", DOCKERFILE.replace("\\\n", ""))[1]
    assert command == f'["python", "-I", "{target}"]'


def test_labels_say_what_the_image_is():
    labels = dict(re.findall(r'org\.opencontainers\.image\.(\w+)="([^"]*)"', DOCKERFILE))
    assert labels["version"] == osi_lidar.__version__
    assert labels["licenses"].startswith("Apache-2.0")
    assert {"title", "description", "source", "revision"} <= set(labels)
    for argument in re.findall(r"\$\{(\w+)\}", " ".join(labels.values())):
        assert f"\nARG {argument}=" in DOCKERFILE
