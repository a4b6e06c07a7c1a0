# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The script of ``make lint`` that holds kernels to the conventions for their arguments."""

from pathlib import Path

import pytest

from tests.scenarios.scripts import script

checker = script(Path(__file__).resolve().parents[2] / "tools" / "check_kernels.py")

GOOD = '''
class Hits(NamedTuple):
    range_m: object

@njit(cache=True, nogil=True, inline="always")
def _product(first, second, matrix_out):
    matrix_out[0, 0] = first[0, 0] * second[0, 0]

@numba.njit
def _count(rays):
    total = np.zeros(3)
    for ray in rays:
        total[0] += ray
    # Out: a comment in the body opens no group
    return total

@njit(cache=True, nogil=True)
def _trace_block(
    # Scene:
    scene,
    # Sensor: what it is made of,
    # in two lines
    sensor,
    # In: rays
    rays,
    block,
    # In: and what they met before
    before,
    # Work:
    packet,
    # In and out:
    deal,
    # Out: a row for each ray
    hits_out,  # see Hits
):
    """Trace a block."""
    packet[:] = 0.0
    deal[0] += 1
    hits_out.range_m[block] = rays[block]
    kept = hits_out.range_m[block:]
    kept[0], rays = 1.0, before

@njit(parallel=True)
def trace(
    scene, sensor, rays, before,
    # Out:
    hits_out,
):
    for block in prange(2):
        _trace_block(scene, sensor, rays, block, before, rays, rays, hits_out)
'''
LIST = """
[tool.mypy]
packages = ["core"]
[[tool.mypy.overrides]]
module = ["numba.*"]
ignore_missing_imports = true
[[tool.mypy.overrides]]
module = [%s]
disallow_untyped_defs = false
"""


def kernel(*lines, body="pass"):
    return "\n".join(["@njit(cache=True)", "def one(", *lines, "):", f"    {body}", ""])


def problems(folder, listed='"core.trace_kernels"', **sources):
    """Return what the checker finds in a package of some files."""
    (folder / "core").mkdir()
    (folder / "pyproject.toml").write_text(LIST % listed)
    for name, source in sources.items():
        (folder / "core" / f"{name}.py").write_text(source)
    return checker.check(folder)


def test_kernels_that_keep_the_rules_pass(tmp_path):
    plain = "def compile(function):\n    return numba.njit()(function)\n"
    assert problems(tmp_path, trace_kernels=GOOD, compiled=plain) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (kernel("a,", "# Out:", "b,"), "output b does not end in _out"),
        (kernel("# In:", "a_out,"), "a_out ends in _out, but its group is 'In'"),
        (kernel("# Work:", "a_out,"), "a_out ends in _out, but its group is 'Work'"),
        (kernel("# Scene:", "a_out,"), "a_out ends in _out, but its group is 'settings'"),
        (kernel("# In and out:", "a_out,"), "a_out ends in _out, but its group is 'In and out'"),
        (kernel("a_out, b,"), "output a_out comes before b"),
        (kernel("# In:", "a,", "# Scene:", "b,"), "group 'Scene' comes after 'In'"),
        (kernel("# Work:", "a,", "# In: more", "b,"), "group 'In' comes after 'Work'"),
        (kernel("# Out:", "a_out,", "# Work:", "b,"), "group 'Work' comes after 'Out'"),
        (kernel("# Out:", "a_out,", "# In and out:", "b,"), "'In and out' comes after 'Out'"),
        (kernel("a,", "# Scene:", "b,"), "arguments before the group 'Scene' are in none"),
        (kernel("a,", "# Work and out:", "b,"), "unknown group 'Work and out', expected one of"),
        (kernel("a,", "# Outputs:", "b,"), "unknown group 'Outputs', expected one of In, Work,"),
        (kernel("# the rays", "a,"), "the comment line 'the rays' names no group"),
        (kernel("a, b", body="a[0] = b"), "a is written to, but is neither work memory nor"),
        (kernel("# In:", "a, b", body="a.x[0] += b"), "a is written to"),
        (kernel("# In:", "a", body="a[0].x, b = 1, 2"), "a is written to"),
        (kernel("# Sensor:", "a", body="a.x = 1"), "a is written to"),
    ],
)
@pytest.mark.parametrize("decorator", ["@njit(cache=True)", "@numba.njit", "@jit"])
def test_a_kernel_that_breaks_a_rule_is_named_with_its_line(tmp_path, source, expected, decorator):
    source = "\n\n" + source.replace("@njit(cache=True)", decorator)
    (problem,) = problems(tmp_path, trace_kernels=source)
    assert problem.startswith("core/trace_kernels.py:4: one: ")
    assert expected in problem


def test_every_problem_of_a_kernel_is_told(tmp_path):
    source = kernel("# Out:", "a,", "# In:", "b_out,")
    found = problems(tmp_path, trace_kernels=source)
    assert len(found) == 3


def test_a_compiled_function_in_another_file_is_found(tmp_path):
    method = "class A:\n    @staticmethod\n    @njit\n    def one(a):\n        return a\n"
    found = problems(tmp_path, "", trace=kernel("a"), kernels_of_trace=method, kernels="x = 1\n")
    assert [each.split(":")[0] for each in found] == ["core/kernels_of_trace.py", "core/trace.py"]
    assert all("compiled functions stand in kernels.py or *_kernels.py" in each for each in found)


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        ("", "core.trace_kernels has kernels without types and is not listed"),
        ('"core.trace_kernels", "core.gone_kernels"', "core.gone_kernels is listed for mypy, but"),
        ('"core.trace_kernels", "core.kernels"', "core.kernels is listed for mypy, but"),
        ('"core.trace_kernels", "core.trace_kernels"', "core.trace_kernels is listed for mypy twi"),
    ],
)
def test_the_list_of_mypy_is_that_of_the_kernel_files_without_types(tmp_path, listed, expected):
    typed = "@njit\ndef one(a: int) -> int:\n    return a\n"
    (problem,) = problems(tmp_path, listed, trace_kernels=GOOD, kernels=typed)
    assert problem.startswith(f"pyproject.toml: {expected}")
