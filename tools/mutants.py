# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Mutation testing of a room: the changes of its code that the tests near it do not notice.

    python tools/mutants.py ROOM [--sample N] [--seed N]

Cosmic Ray changes one operator, number or branch of a file at a time, in a copy of the last commit;
the tests near that file run until one fails (`tools/near.py`), so all of them have to pass before.
A random sample of the mutants is tried. A mutant on which no test fails is printed with its
difference: a test is missing, or the change has no effect. A mutant whose tests take more than ten
minutes is printed, too: it hangs, or has many tests near it.
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import MutationSpec, WorkerOutcome, WorkResult

Place = tuple[int, int]
"""Line, from 1, and column."""
ROOT = Path(__file__).parents[1]
HOME = ROOT / "build" / "mutants"
LONGEST_S = 600.0
STOPPED = "timeout"
"""What Cosmic Ray gives as output of tests that it stopped; it counts their mutant as killed."""
CONFIG = """\
[cosmic-ray]
module-path = {room!r}
timeout = {timeout}
excluded-modules = ["**/__init__.py"]
test-command = {command!r}
distributor.name = "local"
"""


@contextmanager
def copied() -> Iterator[Path]:
    """Yield a temporary git worktree of the last commit, in which files may be changed."""
    tree, git = HOME / "tree", ["git", "-C", str(ROOT), "worktree"]
    shutil.rmtree(tree, ignore_errors=True)  # of a run that was killed
    subprocess.run([*git, "prune"], check=True)
    subprocess.run([*git, "add", "--quiet", "--detach", str(tree), "HEAD"], check=True)
    try:
        yield tree
    finally:
        subprocess.run([*git, "remove", "--force", str(tree)], check=True)


@cache
def unmeant(code: str) -> list[tuple[Place, Place]]:
    """Return begin and end of code without an effect at run time: annotations, type imports."""
    spans = []
    for node in ast.walk(ast.parse(code)):
        parts = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            parts.append(node)
        spans += [
            ((each.lineno, each.col_offset), (each.end_lineno, each.end_col_offset))
            for each in parts
            if each is not None
        ]
    return spans


def is_meant(mutation: MutationSpec, tree: Path) -> bool:
    """Return whether a mutation changes code that has an effect at run time."""
    code = (tree / mutation.module_path).read_text(encoding="utf-8")
    return not any(begin <= mutation.start_pos < end for begin, end in unmeant(code))


def draw(database: WorkDB, tree: Path, n_sample: int, seed: int) -> None:
    """Draw ``n_sample`` mutants at random, and mark all others as skipped."""
    items = sorted(database.work_items, key=lambda item: str(item.mutations))
    meant = [item for item in items if is_meant(item.mutations[0], tree)]
    chosen = random.Random(seed).sample(meant, min(n_sample, len(meant)))  # noqa: S311  no secret
    kept = {item.job_id for item in chosen}
    skipped = [item.job_id for item in items if item.job_id not in kept]
    database.set_multiple_results(skipped, WorkResult(WorkerOutcome.SKIPPED))
    print(f"{len(meant)} mutants, {len(chosen)} are tried", flush=True)


def print_survivors(database: WorkDB) -> int:
    """Print the mutants on which no test failed, and the totals; return the number of those."""
    places = {item.job_id: item.mutations[0] for item in database.work_items}
    tried = [each for each in database.results if each[1].worker_outcome != WorkerOutcome.SKIPPED]
    left = 0
    for job, result in tried:
        stopped = result.output == STOPPED
        if result.is_killed and not stopped:
            continue
        left += 1
        fate = f"not decided within {LONGEST_S:.0f} s" if stopped else "survived"
        print(f"\n{fate}: {places[job].module_path}:{places[job].start_pos[0]}")
        print(result.diff)
    print(f"\n{len(tried)} mutants, {len(tried) - left} killed")
    return left


def main() -> int:
    """Run the tests on mutants of a room; print the mutants that survive."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("room", help="folder or file to mutate, such as raycore/pattern")
    parser.add_argument("--sample", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    HOME.mkdir(parents=True, exist_ok=True)
    session = HOME / "session.sqlite"
    session.unlink(missing_ok=True)
    command = f"{sys.executable} tools/near.py HEAD"
    config = CONFIG.format(room=asked.room, timeout=LONGEST_S, command=command)
    (HOME / "config.toml").write_text(config, encoding="utf-8")
    words = [str(HOME / "config.toml"), str(session)]
    cosmic_ray = [str(Path(sys.executable).with_name("cosmic-ray"))]
    with copied() as tree:
        tests = {"PYTEST_ADDOPTS": "-x -n 0 -p no:cacheprovider", "PYTHONPATH": str(tree)}
        subprocess.run([*cosmic_ray, "init", *words], cwd=tree, check=True)
        with use_db(session, WorkDB.Mode.open) as database:
            draw(database, tree, asked.sample, asked.seed)
        subprocess.run([*cosmic_ray, "exec", *words], cwd=tree, env=os.environ | tests, check=True)
    with use_db(session, WorkDB.Mode.open) as database:
        return int(print_survivors(database) > 0)


if __name__ == "__main__":
    sys.exit(main())
