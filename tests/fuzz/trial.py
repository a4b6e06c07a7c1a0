# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""One case: it is tried within limits of time and memory, and a finding is made smaller."""

import os
import re
import resource
import shutil
import signal
import time
import traceback
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.target import Wrong, accepted

REPOSITORY = Path(__file__).resolve().parents[2]
LONGEST_S = 10.0
"""Processor time that one case may take."""
MOST_MIB = 500
"""Memory that one case may take beside what the process had."""
_BARRIER_MIB = 6000
_MIB = 2**20


class Hang(BaseException):
    """A case has taken longer than it may."""


@dataclass(frozen=True)
class Finding:
    """A finding: the name of its kind, and the whole story."""

    key: str
    story: str


def write_case(folder, files):
    """Write the files of a case into a folder that holds no others."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def tried(target, folder, files, *, longest_s=LONGEST_S):
    """Try a case; return what went wrong, else the refusal, or TAKEN."""
    write_case(folder, files)
    os.chdir(folder)  # what a path without a folder names is written there
    before_mib = _peak_mib(reset=True)
    try:
        with _limited(longest_s):
            answer = accepted(target, folder)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  a panic of a library in Rust is no Exception
        return Finding(f"{target.name}: {_key(error)}", _story(error))
    grown_mib = _peak_mib() - before_mib
    if grown_mib > MOST_MIB and longest_s == LONGEST_S:
        return Finding(f"{target.name}: memory", f"took {grown_mib:.0f} MiB")
    return answer


@contextmanager
def _limited(longest_s):
    def stop(_, frame):
        while frame is not None:
            if "/numba/core/" in frame.f_code.co_filename:  # a kernel is compiled, once
                signal.setitimer(signal.ITIMER_PROF, longest_s)
                return
            frame = frame.f_back
        raise Hang(f"more than {longest_s:g} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, longest_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def set_barrier():
    """Let the process take no more memory than a machine has to spare."""
    status = Path("/proc/self/statm")
    if status.exists():
        size = int(status.read_text().split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (size + _BARRIER_MIB * _MIB, hard))


def _peak_mib(*, reset=False):
    """Return the most memory that the process has had since the last reset, 0 if unknown."""
    status, clear = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    if not status.exists():
        return 0.0
    if reset:
        clear.write_text("5")
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
    return int(found[1]) / 1024 if found else 0.0


def _key(error):
    """Return the kind of an error: its type, and the last line of the product in its story."""
    if isinstance(error, Wrong):
        text = re.sub(r"0x[0-9a-f]+|-?\d+(\.\d+)?(e[-+]?\d+)?", "N", str(error))
        return re.sub(r"/\S+", "PATH", text)[:160]
    frames = traceback.extract_tb(error.__traceback__)
    own = [
        each
        for each in frames
        if each.filename.startswith(str(REPOSITORY))
        and "/tests/" not in each.filename
        and "/.venv/" not in each.filename
    ]
    last = own[-1] if own else frames[-1]
    return f"{type(error).__name__} in {Path(last.filename).name}:{last.name}"


def _story(error):
    lines = "".join(traceback.format_exception(error, limit=-12))
    return f"{type(error).__name__}: {str(error)[:500]}\n{lines[-6000:]}"


_BETWEEN = re.compile(rb"(?<=[\n>,;}\]])")


def smaller(target, folder, case, seed, key, *, patience_s=15.0):
    """Return a case with the same finding that differs less from its seed."""
    end = time.monotonic() + patience_s

    def still(files):
        found = tried(target, folder, files)
        return isinstance(found, Finding) and found.key == key

    for name in [each for each in case if case[each] != seed.get(each)]:
        if still({**case, name: seed[name]}):
            case = {**case, name: seed[name]}
            continue
        parts = [each for each in _BETWEEN.split(case[name]) if each]
        if len(parts) < 3:
            data = case[name]
            parts = [data[at : at + 16] for at in range(0, len(data), 16)]
        size = len(parts) // 2
        while size and time.monotonic() < end:
            at = 0
            while at < len(parts) and time.monotonic() < end:
                fewer = parts[:at] + parts[at + size :]
                if still({**case, name: b"".join(fewer)}):
                    parts = fewer
                else:
                    at += size
            size //= 2
        case = {**case, name: b"".join(parts)}
    return case
