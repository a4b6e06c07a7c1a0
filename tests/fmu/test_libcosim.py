# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Three FMUs in libcosim, a master in C++: player -> lidar -> recorder.

libcosim steps all FMUs side by side and passes values on afterwards, so a message takes one step
more with every connection.
"""

import sys
from pathlib import Path

import pytest
from pythonfmu import FmuBuilder

from osi_bridge import MESSAGE_PARTS, open_trace
from osi_lidar.bundled import street
from osi_lidar.config import load_config
from tests.fmu.driving import DATA, STEP_S, VIEW, direct, parsed, seconds, without_times
from tests.osi_lidar.commands import framed

execution_module = pytest.importorskip(
    "libcosimpy.CosimExecution", reason="libcosimpy is not installed"
)
CHAIN = Path(__file__).parent / "chain"
N_MESSAGES = 8
N_HOPS = 2
CONNECTIONS = (
    (("player", "OSMPSensorViewOut"), ("lidar", VIEW)),
    (("lidar", DATA), ("recorder", "OSMPSensorDataIn")),
)


@pytest.fixture(scope="module")
def chain_fmus(tmp_path_factory):
    """Build player and recorder."""
    folder, path = tmp_path_factory.mktemp("chain"), list(sys.path)
    try:
        return {
            name: FmuBuilder.build_FMU(CHAIN / f"{name}.py", dest=folder / f"{name}.fmu")
            for name in ("player", "recorder")
        }
    finally:
        sys.path[:] = path


class Master:
    """A run of libcosim with FMUs by name."""

    def __init__(self, fmus):
        from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
        from libcosimpy.CosimObserver import CosimObserver
        from libcosimpy.CosimSlave import CosimLocalSlave

        log_output_level(CosimLogLevel.WARNING)
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


def test_chain_of_player_lidar_and_recorder_gives_what_the_model_gives(
    chain_fmus, street_fmu, tmp_path
):
    scenario, recorded = street(), tmp_path / "recorded.osi"
    frames = zip(open_trace(scenario.trace), range(N_MESSAGES), strict=False)
    messages = [raw.data for raw, _ in frames]
    (tmp_path / "played.osi").write_bytes(framed(messages))
    master = Master({**chain_fmus, "lidar": street_fmu})
    master.set_text("player", "trace", tmp_path / "played.osi")
    master.set_text("recorder", "trace", recorded)
    for output, target in CONNECTIONS:
        master.connect(output, target)

    for n_steps in range(1, N_MESSAGES + 2 * N_HOPS):
        assert master.execution.step()
        assert master.integer("recorder", "received") == min(max(n_steps - N_HOPS, 0), N_MESSAGES)

    answers = [raw.data for raw in open_trace(recorded, message_type="SensorData")]
    expected = direct(load_config(scenario.config), messages)
    assert [without_times(each) for each in answers] == [without_times(each) for each in expected]
    # the lidar has message i in its step i + 1, which ends a step later
    ends_s = [STEP_S * (index + 2) for index in range(N_MESSAGES)]
    assert [seconds(parsed(each).timestamp) for each in answers] == pytest.approx(ends_s)
    theirs = [parsed(each).last_measurement_time for each in expected]
    assert [parsed(each).last_measurement_time for each in answers] == theirs
