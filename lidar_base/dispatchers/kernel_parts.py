# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels as parts of other kernels: LLVM optimizes a part only inside the kernel that calls it.

numba compiles each function that a kernel calls as if Python called it, too. It optimizes the
function and writes machine code and a wrapper, and repeats this for the calling functions, which
contain it. A part here is only LLVM code, which is linked into the kernel that Python calls. If
Python calls the part itself, the part is also compiled in full.

Some loops run slower inside a larger function. Such a part is optimized `alone`, as numba does (see
`lidar_base.compiled.njit`). This made the measurement errors a quarter faster, and the writer of
detections twice as fast.

A kernel that works on packets is compiled `wide`. By default LLVM unrolls a loop of eight rounds
before it looks for loops to vectorize, and then finds hardly any: the tracer needed three times
the instructions.
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
    """A kernel that is compiled once for an integer argument, whatever its value.

    numba would compile it once for a literal such as 0, and once more for other integers.
    """

    def compile(self, sig: str | tuple[types.Type, ...] | Signature) -> Callable[..., object]:
        """Compile or load the kernel for arguments of some types."""
        return super().compile(tuple(map(_any_number, sig)) if isinstance(sig, tuple) else sig)


def _any_number(argument: types.Type) -> types.Type:
    """Return int64 or the like for the type of an integer literal; other types unchanged."""
    return types.unliteral(argument) if isinstance(argument, types.IntegerLiteral) else argument


class AloneKernel(_CalledByKernels):
    """A kernel that LLVM optimizes by itself before it is linked into the kernels that call it."""


class WholeKernel(CPUDispatcher):
    """A kernel that Python and other kernels can call.

    For a call from Python, it is compiled in full. Into another kernel, only its LLVM code is
    linked, which is then optimized together with that kernel.
    """

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
    """A kernel that Python and other kernels can call, and whose array arguments never overlap.

    It differs from `WholeKernel` only inside a kernel that calls it: there LLVM may assume that no
    two arrays overlap, as numba lets it in parallel loops. The caller has to ensure this.
    """

    taken_in_as = "disjoint part"


class _WholeLibrary(JITCodeLibrary):
    """LLVM code of a kernel and its parts; sets the variables that point to their environments."""

    def _finalize_specific(self) -> None:
        super()._finalize_specific()
        for variable in self._final_module.global_variables:
            if variable.name.startswith(_ENVIRONMENT):
                environment = lookup_environment(variable.name)
                if environment is not None:
                    self._codegen.set_env(variable.name, environment)  # type: ignore[attr-defined]


class _WideLibrary(_WholeLibrary):
    """LLVM code of a kernel and its parts, optimized without unrolling loops."""

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
    """Compiles a kernel with its parts, without a wrapper for calls from C.

    It is the ``pipeline_class`` of a kernel in ``numba.njit``. A part is a kernel that this kernel
    calls, and whose LLVM code is linked into it.

    Attributes
    ----------
    library : type
        Class of the object that holds the LLVM code, a subclass of numba's JITCodeLibrary.
    """

    library: type[JITCodeLibrary] = _WholeLibrary

    def define_pipelines(self) -> list[PassManager]:
        """Return numba's compiler passes, after setting where they put their LLVM code.

        The code goes to a new object of the class `library`, which links the parts. numba calls
        this method for each kernel. If numba lacks the private parts, its own passes are returned.
        """
        if not own_way_works():
            own: list[PassManager] = super().define_pipelines()
            return own
        self.state.flags.no_cfunc_wrapper = True
        self.state.library = _library_of(self.library, self.state)
        passes: list[PassManager] = super().define_pipelines()
        return passes


class WideCompiler(WholeCompiler):
    """Compiles a kernel with its parts, and short loops to vector instructions."""

    library = _WideLibrary


class _Part(_CalledByKernels):
    """The form of a kernel that other kernels call and link in; Python cannot call it."""

    def add_overload(self, cres: CompileResult) -> None:
        self.overloads[tuple(cres.signature.args)] = cres  # type: ignore[attr-defined]


class _PartLibrary(JITCodeLibrary):
    """LLVM code of a part, not optimized."""

    def _optimize_functions(self, ll_module: ModuleRef) -> None:
        ll_module.data_layout = self._final_module.data_layout

    def _optimize_final_module(self) -> None:
        """Do nothing: the code is optimized in the kernel that links it in."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    """Writes the LLVM code of a part, and registers the part, so that kernels can call it."""

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
    """Compiles a part, see `_Part`."""

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
    """Compiles a part whose array arguments never overlap."""

    disjoint = True


def own_way_works() -> bool:
    """Return whether this version of numba can link one kernel's LLVM code into another kernel.

    The first call compiles a small pair of kernels to find out, and logs a warning if it fails.
    Only a trial can tell, because numba uses some of its private names only when it compiles.
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
    """Whether numba has the private parts that are used here; None until the first trial."""

    verdict: bool | None = None


def _try() -> None:
    """Compile and call a kernel that contains a part; raise any error if this does not work."""

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
