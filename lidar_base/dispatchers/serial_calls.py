# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Parallel kernels, called by one thread at a time where numba's threading layer needs it.

Of numba's layers, only ``workqueue`` ends the process if two threads call such kernels at once.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numba

try:
    from numba.core.registry import CPUDispatcher
except ImportError:  # a numba with other internals, see `lidar_base.compiled`
    CPUDispatcher = type(numba.njit(lambda: None))  # type: ignore[assignment,misc]

if TYPE_CHECKING:
    from collections.abc import Callable

    from numba.core.types import Type
    from numba.core.typing.templates import Signature

ONE_AT_A_TIME = ("workqueue",)
"""Threading layers that end the process if two threads call parallel kernels at once."""
_turn = threading.RLock()  # one lock for all kernels: a layer has one pool of threads


def running_layer() -> str:
    """Return the threading layer of the process, by its name in numba; start it if none runs."""
    kernels: Any = numba  # Any: no type annotations
    kernels.get_num_threads()
    return str(kernels.threading_layer())


class ParallelKernel(CPUDispatcher):
    """A parallel kernel that one thread at a time calls, if the threading layer needs that.

    The first call finds out which layer runs; the layer of a process never changes. If the layer
    allows concurrent calls, the kernel becomes an ordinary one, and this class costs nothing.
    """

    def compile(self, sig: str | tuple[Type, ...] | Signature) -> Callable[..., object]:
        """Start numba's threads, which the kernel's code needs, and compile or load the kernel.

        `sig` has the types of the arguments, in a form that numba's dispatcher takes. The result is
        the compiled function.
        """
        running_layer()
        return super().compile(sig)

    def __call__(self, *arguments: Any) -> Any:  # noqa: ANN401  of a kernel
        """Call the kernel."""
        if running_layer() not in ONE_AT_A_TIME:
            self.__class__ = CPUDispatcher  # type: ignore[assignment]  # as numba made it
            return self(*arguments)
        with _turn:
            return super().__call__(*arguments)


def called_in_turn(kernel: Any) -> None:  # noqa: ANN401  of numba
    """Turn a kernel into a `ParallelKernel`, in place.

    `kernel` is numba's dispatcher. Anything else is left as it is.
    """
    if isinstance(kernel, CPUDispatcher):  # else compilation is switched off
        kernel.__class__ = ParallelKernel
