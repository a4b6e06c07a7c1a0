# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Fuzz what reads the files of others: ``python -m tests.fuzz --minutes 30 --seed 1``.

Each finding is a folder below --out with STORY.txt and the files that differ from its seed, made
small. Once it is mended, move the folder to tests/fuzz/corpus, without its story.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.session import Session, tell
from tests.fuzz.targets import TARGETS
from tests.fuzz.trial import Finding, tried


def main():
    """Run a session, or try one case again; exit code 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("out/fuzz"))
    parser.add_argument("--only", action="append", help="start of a target's name; repeatable")
    parser.add_argument("--again", type=Path, help="try a finding again: OUT/TARGET/SEED/NAME")
    options = parser.parse_args()
    if options.again:
        sys.exit(_again(options.again))
    starts = tuple(options.only or [""])
    names = [name for name in TARGETS if name.startswith(starts)]
    options.out = options.out.absolute()  # cases are tried in folders of their own
    options.out.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    session = Session(names, seed=options.seed, minutes=options.minutes, out=options.out)
    tally, keys = session.run(options.workers)
    tell(f"{'target':28} {'cases':>8} {'taken':>8} {'refused':>8} {'findings':>8}")
    for name, counts in sorted(tally.items()):
        row = [sum(counts.values()), *(counts[each] for each in ("taken", "refused", "finding"))]
        tell(f"{name:28} " + " ".join(f"{each:8,}" for each in row))
    total = sum(sum(counts.values()) for counts in tally.values())
    tell(f"{total:,} cases in {(time.monotonic() - begin) / 60.0:.1f} min, seed {options.seed}")
    for key, count in keys.most_common():
        tell(f"{count:6,}  {key}")
    sys.exit(bool(keys))


def _again(folder):
    target = TARGETS[folder.parent.parent.name]
    with tempfile.TemporaryDirectory() as home:
        seeds = Path(home) / "seeds"
        seeds.mkdir()
        seed = target.seeds(seeds)[folder.parent.name]
        names = [each for each in folder.rglob("*") if each.is_file() and each.name != "STORY.txt"]
        own = {each.relative_to(folder).as_posix(): each.read_bytes() for each in names}
        done = tried(target, Path(home) / "case", {**seed, **own})
    tell(done.story if isinstance(done, Finding) else done or "taken")
    return isinstance(done, Finding)


if __name__ == "__main__":
    main()
