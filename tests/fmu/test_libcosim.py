# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Three FMUs in libcosim, a master in C++: player -> lidar -> recorder.

libcosim steps all FMUs side by side and passes values on afterwards, so a message takes one step
more with every connection.
"""

import shutil

import pytest

from osi_bridge import MESSAGE_PARTS, open_trace
from osi_lidar.config import load_config
from osi_lidar.run.example_scene import street
from tests.builders.messages import framed
from tests.fmu.driving import (
    DATA,
    MASTERS,
    STEP_S,
    VIEW,
    direct,
    parsed,
    seconds,
    ssd_of,
    without_times,
)

execution_module = pytest.importorskip(
    "libcosimpy.CosimExecution", reason="libcosimpy is not installed"
)
SCENARIO = street()
N_MESSAGES = 8
N_HOPS = 2
CONNECTIONS = (
    (("player", "OSMPSensorViewOut"), ("lidar", VIEW)),
    (("lidar", DATA), ("recorder", "OSMPSensorDataIn")),
)


class Master:
    """A run of libcosim with FMUs by name."""

    def __init__(self, fmus):
        from libcosimpy.CosimObserver import CosimObserver
        from libcosimpy.CosimSlave import CosimLocalSlave

        self.execution = execution_module.CosimExecution.from_step_size(STEP_S * 1e9)
        # libcosimpy 0.0.6 looks for its function by another name than it keeps it by
        found = "_CosimExecution__connect_int_variables"
        wanted = "_CosimExecution__connect_integer_variables"
        if not hasattr(self.execution, wanted):
            setattr(self.execution, wanted, getattr(self.execution, found))
        self._slaves = {name: CosimLocalSlave(str(path), name) for name, path in fmus.items()}
        self._index = {
            name: self.execution.add_local_slave(slave) for name, slave in self._slaves.items()
        }
        self._references = {
            name: {v.name.decode(): v.reference for v in self.execution.slave_variables(index)}
            for name, index in self._index.items()
        }
        self._observer = CosimObserver.create_last_value()
        assert self.execution.add_observer(self._observer)

    def _place(self, name, variable):
        return self._index[name], self._references[name][variable]

    def set_text(self, name, variable, value):
        assert self.execution.string_initial_value(*self._place(name, variable), str(value))

    def connect(self, output, target):
        """Connect two messages, integer by integer."""
        for part in MESSAGE_PARTS:
            places = [self._place(name, f"{prefix}.{part}") for name, prefix in (output, target)]
            assert self.execution.connect_integer_variables(*places[0], *places[1]) == 0

    def integer(self, name, variable):
        index, reference = self._place(name, variable)
        (value,) = self._observer.last_integer_values(index, [reference])
        return value


@pytest.fixture(scope="module", autouse=True)
def _quiet():
    from libcosimpy.CosimLogging import CosimLogLevel, log_output_level

    log_output_level(CosimLogLevel.WARNING)


@pytest.fixture(scope="module")
def messages():
    frames = zip(open_trace(SCENARIO.trace), range(N_MESSAGES), strict=False)
    return [raw.data for raw, _ in frames]


@pytest.fixture(scope="module")
def expected(messages):
    return direct(load_config(SCENARIO.config), messages)


def assert_recorded(trace, expected):
    """Assert that a trace holds the answers of the model, each of its time."""
    answers = [raw.data for raw in open_trace(trace, message_type="SensorData")]
    assert [without_times(each) for each in answers] == [without_times(each) for each in expected]
    # the lidar has message i in its step i + 1, which ends a step later
    ends_s = [STEP_S * (index + 2) for index in range(N_MESSAGES)]
    assert [seconds(parsed(each).timestamp) for each in answers] == pytest.approx(ends_s)
    theirs = [parsed(each).last_measurement_time for each in expected]
    assert [parsed(each).last_measurement_time for each in answers] == theirs


def test_chain_of_player_lidar_and_recorder_gives_what_the_model_gives(
    chain_fmus, messages, expected, tmp_path
):
    (tmp_path / "drive.osi").write_bytes(framed(messages))
    master = Master(chain_fmus)
    master.set_text("player", "trace", tmp_path / "drive.osi")
    master.set_text("recorder", "trace", tmp_path / "recorded.osi")
    for output, target in CONNECTIONS:
        master.connect(output, target)
    for n_steps in range(1, N_MESSAGES + 2 * N_HOPS):
        assert master.execution.step()
        assert master.integer("recorder", "received") == min(max(n_steps - N_HOPS, 0), N_MESSAGES)
    assert_recorded(tmp_path / "recorded.osi", expected)


@pytest.fixture
def folder(chain_fmus, messages, tmp_path, monkeypatch):
    """Go to a folder with all that the examples name."""
    (tmp_path / "resources").mkdir()
    for fmu in chain_fmus.values():
        shutil.copy(fmu, tmp_path / "resources")
    (tmp_path / "drive.osi").write_bytes(framed(messages))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("example", MASTERS)
def test_ssp_examples_run(example, folder, expected):
    shutil.copy(ssd_of(example), folder)
    execution = execution_module.CosimExecution.from_ssp_file("SystemStructure.ssd", STEP_S * 1e9)
    assert execution.step(N_MESSAGES + N_HOPS)
    assert_recorded(folder / "recorded.osi", expected)
