# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Sessions: processes that try cases of all targets in turn, and the one that watches them."""

import faulthandler
import json
import logging
import multiprocessing
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.fuzz.target import TAKEN
from tests.fuzz.targets import TARGETS
from tests.fuzz.trial import Finding, set_barrier, smaller, tried, write_case

SILENT_S = 120.0
"""A process whose case takes so long, and is not in Python, is ended."""
COMPILING_S = 600.0
"""Processor time for seeds, whose kernels may have to be compiled."""
_MOST_POOL = 60
_MOST_CRASHES = 50


class Worker:
    """A process that tries cases.

    Parameters
    ----------
    names : sequence of str
        The targets.
    seed : str
        Seed of everything that is drawn. The cases of a target do not depend on other targets.
    folder : Path
        For what the process keeps: the case that it tries, its tally.
    out : Path
        For findings.
    """

    def __init__(self, names, seed, folder, out):
        self._targets = [TARGETS[name] for name in names]
        self._folder = folder
        self._out = out
        self._draws = {name: random.Random(f"{seed}/{name}") for name in names}  # noqa: S311
        self._seeds = {}
        self._pool = {}
        self._spent_s = dict.fromkeys(names, 0.0)
        self.tally = {name: Counter() for name in names}
        self.keys = Counter()
        self._refusals = set()

    def start(self):
        """Have the product read all seeds, which it has to take."""
        for target in self._targets:
            with tempfile.TemporaryDirectory() as folder:  # the one of the last seed is gone
                os.chdir(folder)
                self._seeds[target.name] = list(target.seeds(Path(folder)).items())
            self._pool[target.name] = list(self._seeds[target.name])
            for name, files in self._seeds[target.name]:
                if (done := tried(target, self.case_folder, files, longest_s=COMPILING_S)) != TAKEN:
                    story = done.story if isinstance(done, Finding) else f"it is refused: {done}"
                    raise AssertionError(f"{target.name}: seed {name}: {story}")

    @property
    def case_folder(self):
        """Where the case that is tried lies."""
        return self._folder / "case"

    def next(self):
        """Try a case of the target that has had the least of its time; return its finding."""
        due = min(self._targets, key=lambda each: self._spent_s[each.name] / each.share)
        return self.try_one(due)

    def try_one(self, target):
        """Try the next case of a target; return its finding, if any."""
        begin = time.monotonic()
        draw = self._draws[target.name]
        pool = self._pool[target.name]
        name, seed = draw.choice(self._seeds[target.name] if draw.random() < 0.7 else pool)
        case = target.change(seed, draw)
        (self._folder / "what").write_text(f"{target.name}/{name.partition('+')[0]}")
        done = tried(target, self.case_folder, case)
        kind = "finding" if isinstance(done, Finding) else "refused" if done else "taken"
        self.tally[target.name][kind] += 1
        if isinstance(done, Finding):
            self._keep(target, name.partition("+")[0], case, done)
        elif self._is_new(f"{target.name}: {done}") and len(pool) < _MOST_POOL:
            pool.append((f"{name.partition('+')[0]}+", case))  # what led to a new answer may go on
        self._spent_s[target.name] += time.monotonic() - begin
        return done if isinstance(done, Finding) else None

    def _is_new(self, answer):
        """Return whether no case before had this answer, whatever its numbers and names."""
        kind = re.sub(r"'[^']*'|\"[^\"]*\"|/\S+|[-+.\d]+", "", answer)[:100]
        found = kind not in self._refusals
        self._refusals.add(kind)
        return found

    def _keep(self, target, name, case, finding):
        """Keep a finding of a new kind, made smaller, beside its story."""
        self.keys[finding.key] += 1
        slug = "".join(c if c.isalnum() else "-" for c in finding.key.partition(": ")[2])[:80]
        folder = self._out / target.name / name / slug
        if self.keys[finding.key] > 1 or folder.exists():
            return
        seed = dict(self._seeds[target.name])[name]
        case = smaller(target, self.case_folder, case, seed, finding.key)
        save(folder, {each: data for each, data in case.items() if data != seed.get(each)}, finding)

    def save_tally(self):
        """Write down how many cases there were, for the process that watches."""
        content = {"tally": self.tally, "keys": self.keys, "spent_s": self._spent_s}
        temporary = self._folder / "tally.new"
        temporary.write_text(json.dumps(content))
        temporary.replace(self._folder / "tally.json")


def save(folder, files, finding):
    """Write the files of a finding, and its story in a file beside them."""
    write_case(folder, files)
    (folder / "STORY.txt").write_text(f"{finding.key}\n{finding.story}\n")


def tell(line):
    """Show a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _work(names, seed, folder, out, minutes):
    """Try cases until the time is over; the body of a process."""
    os.nice(5)
    stderr = (folder / "stderr").open("w")
    faulthandler.enable(stderr)
    os.dup2(stderr.fileno(), 2)
    logging.getLogger().addHandler(logging.NullHandler())
    worker = Worker(names, seed, folder, out)
    worker.start()
    set_barrier()
    end = time.monotonic() + 60.0 * minutes
    saved = 0.0
    while time.monotonic() < end:
        if (found := worker.next()) is not None and worker.keys[found.key] == 1:
            tell(found.key)
        if time.monotonic() > saved + 2.0:
            worker.save_tally()
            saved = time.monotonic()
    worker.save_tally()
    (folder / "done").touch()


class Session:
    """Processes that fuzz targets side by side; one that has died is followed by another.

    Parameters
    ----------
    names : sequence of str
        The targets.
    seed : str
        Of all that is drawn.
    minutes : float
        How long the session goes on, once seeds are read.
    out : Path
        For findings.
    """

    def __init__(self, names, *, seed, minutes, out):
        self._names = names
        self._seed = seed
        self._out = out
        self._minutes = minutes
        self._end = time.monotonic() + 60.0 * minutes
        self._folders = []
        self._crashes = Counter()

    def run(self, workers=2):
        """Fuzz; return the tally by target, and how often each kind of finding came."""
        with tempfile.TemporaryDirectory(prefix="fuzz-") as home:
            running = [self._started(Path(home)) for _ in range(workers)]
            while running:
                time.sleep(0.5)
                ended = [one for one in running if not one[0].is_alive() or _silent(one[1])]
                for process, folder in ended:
                    running.remove((process, folder))
                    crash = _ended(process, folder, self._out)
                    if crash is not None:
                        self._note(crash)
                        if time.monotonic() < self._end:
                            running.append(self._started(Path(home)))
            return _sum(self._folders, self._crashes)

    def _started(self, home):
        folder = home / str(len(self._folders))
        folder.mkdir()
        self._folders.append(folder)
        left = min(self._minutes, max(0.0, self._end - time.monotonic()) / 60.0)
        given = (self._names, f"{self._seed}/{folder.name}", folder, self._out, left)
        process = multiprocessing.get_context("spawn").Process(target=_work, args=given)
        process.start()
        return process, folder

    def _note(self, crash):
        self._crashes[crash] += 1
        tell(crash)
        if self._crashes.total() > _MOST_CRASHES:
            raise RuntimeError(f"too many processes have died: {self._crashes}")


def _silent(folder):
    """Return whether a process has been with one case for too long."""
    what = folder / "what"
    return what.exists() and time.time() - what.stat().st_mtime > SILENT_S


def _ended(process, folder, out):
    """Return how a process has died, None if it has done its work; keep the case that killed it."""
    kind = "crash"
    if process.is_alive():
        kind = "hang"
        os.kill(process.pid, signal.SIGABRT)
        process.join(10.0)
        process.kill()
    process.join()
    if (folder / "done").exists():
        return None
    story = (folder / "stderr").read_text(errors="replace")[-6000:]
    what = folder / "what"
    if not what.exists():
        raise RuntimeError(f"a process did not come to its first case: {story}")
    key = f"{what.read_text()}: {kind}, exit code {process.exitcode}"
    target = out / what.read_text() / f"{kind}-{len(list(out.rglob('STORY.txt')))}"
    shutil.copytree(folder / "case", target, dirs_exist_ok=True)
    (target / "STORY.txt").write_text(f"{key}\n{story}\n")
    return key


def _sum(folders, crashes):
    tally = {}
    keys = Counter(crashes)
    for folder in folders:
        file = folder / "tally.json"
        if file.exists():
            content = json.loads(file.read_text())
            keys.update(content["keys"])
            for name, counts in content["tally"].items():
                tally.setdefault(name, Counter()).update(counts)
    return tally, keys
