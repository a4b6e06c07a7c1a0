# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels as parts of others: typed and translated, and optimized only where they end up.

numba compiles a function that a kernel calls as if Python called it, too: it optimizes it, writes
its machine code and a wrapper, and does so again, with all that it has taken in, at each level
above. A part is no more than what LLVM links into the kernel that Python calls. It is compiled in
full when Python calls it itself.

Where a loop of a part is slower once it stands in a larger function, the part is optimized `alone`,
as numba does it (see `lidar_base.compiled.njit`): the errors of measurement, by a quarter, and the
writer of detections, by a half.

A kernel that works on packets is compiled `wide`. By default LLVM writes out a loop of eight rounds
before it looks for loops whose rounds are one vector instruction, so that hardly any were left: the
tracer took three times the instructions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import llvmlite.binding
import numba
import numba.core.codegen
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import register_pass
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.typed_passes import NativeLowering

from lidar_base.dispatchers.public_way import tell_of_public_way

if TYPE_CHECKING:
    from collections.abc import Callable

    from llvmlite.binding import ModuleRef
    from numba.core.compiler import CompileResult, StateDict
    from numba.core.compiler_machinery import PassManager
    from numba.core.typing.templates import Signature

_ENVIRONMENT = "_ZN08NumbaEnv"
"""How numba begins the names of variables that point to a function's environment."""


class _CalledByKernels(CPUDispatcher):
    """A kernel that is compiled once for all whole numbers that kernels hand to it.

    numba would compile it for the number 0 where a variable begins as 0, and once more for others.
    """

    def compile(self, sig: str | tuple[types.Type, ...] | Signature) -> Callable[..., object]:
        """Compile or load the kernel for arguments of some types."""
        return super().compile(tuple(map(_any_number, sig)) if isinstance(sig, tuple) else sig)


def _any_number(argument: types.Type) -> types.Type:
    """Return the type of all whole numbers for the type of one of them."""
    return types.unliteral(argument) if isinstance(argument, types.IntegerLiteral) else argument


class AloneKernel(_CalledByKernels):
    """A kernel that is optimized by itself before another one takes it in."""


class WholeKernel(CPUDispatcher):
    """A kernel for Python to call, which other kernels take in as a part."""

    taken_in_as = "part"

    @property
    def _numba_type_(self) -> types.Dispatcher:
        if not own_way_works():
            return types.Dispatcher(self)
        part = vars(self).get("_part")
        if part is None:
            part = self._part = _Part(
                self.py_func,
                targetoptions=self.targetoptions.copy(),
                pipeline_class=_COMPILERS[self.taken_in_as],
            )
        return types.Dispatcher(part)


class DisjointKernel(WholeKernel):
    """One of whose arguments no two arrays overlap, as in numba's parallel loops."""

    taken_in_as = "disjoint part"


class _WholeLibrary(JITCodeLibrary):
    """LLVM's code of a kernel and its parts, which find their environments here."""

    def _finalize_specific(self) -> None:
        super()._finalize_specific()
        for variable in self._final_module.global_variables:
            if variable.name.startswith(_ENVIRONMENT):
                environment = lookup_environment(variable.name)
                if environment is not None:
                    self._codegen.set_env(variable.name, environment)  # type: ignore[attr-defined]


class _WideLibrary(_WholeLibrary):
    """The same, where no loop is written out round by round."""

    def _optimize_final_module(self) -> None:
        if not hasattr(numba.core.codegen, "create_pass_builder"):  # numba before 0.62
            super()._optimize_final_module()
            return
        # as numba does it: first to inline, so that counts of references meet and go, and to bring
        # loops into the form of which LLVM makes vector instructions
        for level in (0, 3):
            tuning = llvmlite.binding.create_pipeline_tuning_options(speed_level=level)
            tuning.loop_vectorization, tuning.loop_unrolling = level > 0, False
            machine = self._codegen._tm  # noqa: SLF001  numba has no other way
            builder = llvmlite.binding.create_pass_builder(machine, tuning)
            passes = builder.getModulePassManager()
            if level == 0:
                passes.add_loop_rotate_pass()
                passes.add_instruction_combine_pass()
                passes.add_jump_threading_pass()
            passes.add_refprune_pass()
            passes.run(self._final_module, builder)


class WholeCompiler(Compiler):
    """Compiles a kernel with its parts, without the function by which C would call it."""

    library: type[JITCodeLibrary] = _WholeLibrary

    def define_pipelines(self) -> list[PassManager]:
        """Return numba's passes; what they write goes into a library of parts."""
        if not own_way_works():
            own: list[PassManager] = super().define_pipelines()
            return own
        self.state.flags.no_cfunc_wrapper = True
        self.state.library = _library_of(self.library, self.state)
        passes: list[PassManager] = super().define_pipelines()
        return passes


class WideCompiler(WholeCompiler):
    """Compiles a kernel with its parts, all short loops as vector instructions."""

    library = _WideLibrary


class _Part(_CalledByKernels):
    """A kernel that kernels call and Python does not."""

    def add_overload(self, cres: CompileResult) -> None:
        self.overloads[tuple(cres.signature.args)] = cres  # type: ignore[attr-defined]


class _PartLibrary(JITCodeLibrary):
    """LLVM's code of a part, as numba wrote it."""

    def _optimize_functions(self, ll_module: ModuleRef) -> None:
        ll_module.data_layout = self._final_module.data_layout

    def _optimize_final_module(self) -> None:
        """Leave it to the kernel that takes it in."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    """Writes LLVM's code of a part, and makes it known to kernels under an entry of its own."""

    _name = "part_lowering"

    def run_pass(self, state: StateDict) -> bool:
        state.flags.no_compile = state.flags.no_cpython_wrapper = True
        state.flags.no_cfunc_wrapper = True
        state.library = _library_of(_PartLibrary, state)
        super().run_pass(state)
        entry = object()
        state.targetctx.insert_user_function(entry, state.cr.fndesc, [state.library])
        state.cr = state.cr._replace(cfunc=entry)
        return True


class _PartCompiler(Compiler):
    """Compiles a part."""

    disjoint = False

    def define_pipelines(self) -> list[PassManager]:
        self.state.flags.noalias = self.disjoint
        managers: list[PassManager] = super().define_pipelines()
        for manager in managers:
            manager.passes = [
                (_PartLowering if each is NativeLowering else each, words)
                for each, words in manager.passes
            ]
            manager.finalize()
        return managers


class _DisjointPartCompiler(_PartCompiler):
    """Compiles a part of whose arguments no two arrays overlap."""

    disjoint = True


def own_way_works() -> bool:
    """Return whether this numba compiles a small kernel with a part; find out at the first kernel.

    A name that is used while a kernel is compiled shows only then that it is no longer there.
    """
    if _Trial.verdict is None:
        _Trial.verdict = True  # for the trial itself
        try:
            _try()
        except Exception as error:  # noqa: BLE001  of whatever kind numba's insides raise
            _Trial.verdict = False
            tell_of_public_way(error)
    return _Trial.verdict


class _Trial:
    """Whether numba has the insides that are used here; None until that was tried."""

    verdict: bool | None = None


def _try() -> None:
    """Compile and call a kernel that takes in a part."""

    def double(number: float) -> float:
        return 2.0 * number

    part = numba.njit(pipeline_class=WholeCompiler)(double)
    part.__class__ = WholeKernel
    whole = numba.njit(pipeline_class=WideCompiler)(lambda number: part(number) + 1.0)
    if whole(1.5) != 4.0:
        raise ValueError("a kernel with a part gives another number")


_COMPILERS = {"part": _PartCompiler, "disjoint part": _DisjointPartCompiler}


def _library_of(kind: type[JITCodeLibrary], state: StateDict) -> JITCodeLibrary:
    """Return a new library for the function that is compiled."""
    library = kind(cpu_target.target_context.codegen(), state.func_id.func_qualname)
    library.enable_object_caching()
    return library
