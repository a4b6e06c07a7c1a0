# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``bundle``: all files that a run reads, packed into one file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from lidar_app.bundle import SUFFIX, names_bundle
from lidar_app.cli.parts.console import progress, say, tell
from lidar_app.cli.parts.options import Messages
from lidar_app.cli.parts.parameters import INPUT, OUT, argument, option
from osi_lidar.errors import InputError


@dataclass(frozen=True)
class BundleOptions:
    """Values of options of the command ``osi-lidar bundle``: the author's run, and the output file.

    Attributes
    ----------
    run : Path or None
        Folder of the author's run of the configuration and trace. The hashes of its clouds are put
        into the bundle. None: no such folder was given.
    file : Path or None
        Bundle to write (.osib); None: `target` derives the name from the trace.
    """

    run: Path | None = option(
        "RUN",
        "Folder of your own run of this scenario; `replay --verify` compares with its clouds. "
        "Default: DIR, if it is a run.",
        INPUT,
    )
    file: Path | None = option(
        "FILE.osib",
        "Bundle to write. Default: the trace's name with .osib, in the working folder.",
        *OUT,
    )

    def target(self, trace: Path) -> Path:
        """Return the path of the bundle to write.

        Parameters
        ----------
        trace : Path
            The trace. Without `file`, its name with the suffix .osib, in the working folder, is
            returned.
        """
        from osi_bridge import trace_stem

        return self.file or Path(f"{trace_stem(trace.name)}{SUFFIX}")


def bundle(
    config: Annotated[
        Path,
        argument(
            "CONFIG|DIR",
            "Configuration (YAML), the folder of a run, or a bundle that is written anew.",
        ),
    ],
    trace: Path | None = argument(
        "TRACE", "OSI trace. Default: the trace of the run or the bundle."
    ),
    *,
    messages: Messages,
    options: BundleOptions,
) -> None:
    """Put a configuration, a trace, and all files that a run of them reads into one file."""
    from lidar_app.bundle.packing import write_bundle
    from lidar_app.bundle.scenario import TraceReading, scenario_of

    if options.file is not None and not names_bundle(options.file.name):
        raise InputError(f"--out: got {options.file}, expected a name that ends with {SUFFIX}")
    reading = TraceReading(
        message_type=messages.message_type, host_id=messages.host, source=messages.source
    )
    scenario = scenario_of(config, trace, reading, run=options.run)
    target = options.target(scenario.source.path)
    with progress() as bar:
        bar.add_task("bundle", total=None)
        written = write_bundle(scenario, target)
    if written.damage is not None:
        say(f"the trace is packed as it is: {written.damage}", style="yellow")
    if written.n_dropped:
        say(
            f"the scenario is another one: the hashes of {written.n_dropped} clouds of its author "
            "are left out, --run adds the hashes of your run",
            style="yellow",
        )
    tell(f"{target}: {written}")
