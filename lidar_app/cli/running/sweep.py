# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``sweep``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from lidar_app.cli.parts.completion import one_of
from lidar_app.cli.parts.console import (
    EXIT_INTERRUPTED,
    EXIT_UNUSABLE,
    can_draw,
    fail,
    stoppable,
    tell,
)
from lidar_app.cli.parts.options import ConfigFile, Messages, OverwriteOption
from lidar_app.cli.parts.parameters import OUT, argument, option
from lidar_app.cli.parts.weather import WeatherOption, asked_weather
from lidar_app.cli.running.cluster import Workers

if TYPE_CHECKING:
    from lidar_app.batch.sweep_records import Sweep, SweepPlan
    from lidar_app.batch.variation import Key
    from osi_lidar.run.frame_source import FrameSource


@dataclass(frozen=True, kw_only=True)
class Variants:
    """Values of options of ``osi-lidar sweep`` for the variants of a configuration to run.

    Attributes
    ----------
    vary : list of str
        Keys of the configuration, each with its values, as "KEY=FROM:TO:STEP" or "KEY=A,B,..".
    objective : str
        Value to optimise, such as "points(object=7)"; "minimise:" or "maximise:" before it sets the
        direction. `read_objective` lists the forms.
    weather : str or None
        "auto", "none", or the path of a weather file, for all variants; None: as configured.
    """

    vary: Annotated[
        list[str], option("KEY=VALUES", "Key and its values, FROM:TO:STEP or A,B,..; repeatable.")
    ]
    objective: str = option(
        "WHAT",
        "Value to optimise: hits(MATERIAL), points(object=ID), coverage(), blind(within=M), "
        "nearest(WHO) or farthest(WHO); minimise: or maximise: before it sets the direction.",
        default="points()",
        complete=one_of(
            "hits(", "points(", "points()", "coverage()", "blind()", "nearest(", "farthest("
        ),
    )
    weather: WeatherOption = None

    def plan(self, config: Path, source: FrameSource | None) -> SweepPlan:
        """Return the plan of a sweep: its configuration, variants, objective and trace.

        Parameters
        ----------
        config : Path
            File of the configuration to vary; it is not read here.
        source : FrameSource or None
            The trace that each variant replays; None: each variant scans the static scene once.

        Raises
        ------
        InputError, ConfigurationError
            If a text of an option, or the weather file, cannot be used.
        """
        from lidar_app.batch.objective import read_objective
        from lidar_app.batch.sweep_records import SweepPlan, Unvaried
        from lidar_app.batch.variation import read_variation

        objective = read_objective(self.objective)
        changes: dict[Key, object] = {}
        weather = asked_weather(self.weather)
        if weather is not None:
            changes[("weather",)] = weather.model_dump(mode="json")
        return SweepPlan(
            config=Unvaried(file=config, changes=changes),
            variations=tuple(read_variation(text) for text in self.vary),
            objective=objective,
            source=source,
        )


def sweep(
    wanted: Variants,
    trace: Path | None = argument("TRACE", "OSI trace; without one, the scene is scanned once."),
    *,
    files: ConfigFile,
    out_folder: Path | None = option(
        "DIR", "Output folder. Default: the configuration's name with _sweep.", *OUT
    ),
    overwrite: OverwriteOption = False,
    workers: Workers,
    messages: Messages,
) -> None:
    """Run variants of a configuration in parallel and find the best one."""
    from lidar_app.batch.sweep import run_sweep
    from lidar_app.batch.sweep_log import SweepLog, sweep_identity
    from lidar_app.batch.variation import variants
    from lidar_app.show.sweep_report import BY, check_report, sweep_table, write_sweep
    from lidar_base.files.own_files import claimed

    config, trace = files.and_trace(trace)
    folder = out_folder or Path(f"{config.stem}_sweep")
    plan = wanted.plan(config, None if trace is None else messages.of(trace))
    n_variants = len(variants(plan.variations))
    check_report(folder)
    log = SweepLog(folder, sweep_identity(plan), overwrite=overwrite)
    if log.rows:
        tell(f"Known from an earlier start: {len(log.rows)} variants")
    with workers.cluster() as client, stoppable("variants", n_variants, unit="variants") as going:
        done = run_sweep(client, plan, log, going)
    with claimed(BY):
        written = [*write_sweep(done, folder, config, trace), *_draw(done, folder)]
    tell(sweep_table(done))
    for file in written:
        tell(str(file))
    if done.interrupted:
        told = "interrupted; the table has the finished variants, the same command continues"
        fail(told, EXIT_INTERRUPTED)
    log.close()
    if done.best is None:
        fail(f"no variant could be run: {done.rows[0].error}", EXIT_UNUSABLE)


def _draw(done: Sweep, folder: Path) -> list[Path]:
    """Draw the objective over one or two keys; return the picture, or an empty list."""
    from lidar_app.show.sweep_report import PICTURE

    if done.best is None or len(done.variations) > 2 or not can_draw():
        return []
    from lidar_app.show.plots.sweeps import sweep_picture

    return [sweep_picture(done, folder / PICTURE)]
