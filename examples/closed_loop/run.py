# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Drive a vehicle with an emergency brake on lidar points through three scenarios.

    python examples/closed_loop/run.py --out table

Each scenario runs in all variants of sensor and weather, with ten seeds. The folder gets
`table.csv`, `table.json`, `runs.csv` and `table.png`; README.md beside this file says how it works.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from drive import VARIANTS, Cell, drive
from picture import draw
from tables import printed, rows_of, write_tables
from traffic import SCENARIOS

from lidar_base.files.whole_files import make_folder
from osi_lidar import OsiLidarError
from osi_lidar.output.folder_check import check_folder

N_SEEDS = 10


def main(arguments: Sequence[str] | None = None) -> None:
    """Run all cells, and write and print their table."""
    options = _options(arguments)
    check_folder(options.out, overwrite=options.overwrite)
    cells = [
        Cell(scenario=scenario, variant=variant, seed=seed)
        for scenario in options.scenario or SCENARIOS
        for variant in options.variant or VARIANTS
        for seed in range(1, options.seeds + 1)
    ]
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")  # each process has a core
    with ProcessPoolExecutor(options.processes, mp_context=get_context("spawn")) as processes:
        outcomes = list(processes.map(partial(drive, through=options.through), cells))
    rows = rows_of(outcomes)
    make_folder(options.out)
    write_tables(options.out, outcomes, rows)
    draw(options.out / "table.png", outcomes)
    print(printed(rows))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True, help="folder to write the table to")
    parser.add_argument(
        "--overwrite", action="store_true", help="also write into a folder that contains files"
    )
    parser.add_argument("--scenario", action="append", choices=[*SCENARIOS], help="default: all")
    parser.add_argument("--variant", action="append", choices=[*VARIANTS], help="default: all")
    parser.add_argument(
        "--seeds",
        type=_count,
        default=N_SEEDS,
        help="number of runs for each cell of the table, with seeds from 1 on",
    )
    parser.add_argument("--processes", type=_count, default=2, help="number of runs at a time")
    parser.add_argument("--through", choices=("python", "fmu"), default="python")
    return parser.parse_args(arguments)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"got {text!r}, expected a whole number from 1 on")
    return int(text)


if __name__ == "__main__":
    try:
        main()
    except OsiLidarError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(2)
