# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Lanes: vectors of sixteen numbers, with which kernels compute as with one number.

    apart_m = lanes_of(place, (X, at)) * x - height_m
    back = select(met & (apart_m < most_m), back, 0.0)

Lanes have the element type of the array from which they are read. A number that is combined with
lanes is converted to their type. A processor needs one or more vector instructions for them, but
all processors give the same results: lanes are independent, and `total` adds in a fixed order.
"""

from __future__ import annotations

import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from lidar_base.compiled import njit

N_LANES = 16
_WORD = ir.IntType(32)


class Lanes(types.Type):
    """The numba type of lanes, a vector of sixteen numbers of the type ``of``, or truth values."""

    def __init__(self, of: types.Type) -> None:
        self.of = of
        super().__init__(name=f"Lanes({of})")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    """Stores lanes as one vector of LLVM."""

    def __init__(self, manager, lanes):
        of = (
            ir.IntType(1) if lanes.of == types.boolean else manager.lookup(lanes.of).get_data_type()
        )
        super().__init__(manager, lanes, ir.VectorType(of, N_LANES))


def _vector(builder, values):
    """Return an LLVM vector of the given numbers."""
    vector = ir.Constant(ir.VectorType(values[0].type, len(values)), ir.Undefined)
    for lane, value in enumerate(values):
        vector = builder.insert_element(vector, value, ir.Constant(_WORD, lane))
    return vector


def _shuffled(builder, vector, lanes):
    """Return an LLVM vector of the elements of another one at the indices ``lanes``."""
    mask = ir.Constant(ir.VectorType(_WORD, len(lanes)), [ir.Constant(_WORD, i) for i in lanes])
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), mask)


def _as_lanes(context, builder, value, kind, to):
    """Convert lanes to the lanes type ``to``; a single number is copied to all lanes."""
    if isinstance(kind, Lanes):
        return _converted(context, builder, value, kind.of, to)
    one = _vector(builder, [context.cast(builder, value, kind, to.of)])
    return _shuffled(builder, one, [0] * N_LANES)


def _converted(context, builder, vector, of, to):
    """Convert lanes from type ``of`` to ``to``; floating point numbers are cut to integers."""
    if of == to.of:
        return vector
    result = context.get_value_type(to)
    from_float, to_float = isinstance(of, types.Float), isinstance(to.of, types.Float)
    if from_float and to_float:
        convert = builder.fpext if to.of.bitwidth > of.bitwidth else builder.fptrunc
    elif from_float:
        convert = builder.fptosi if to.of.signed else builder.fptoui
    elif to_float:
        convert = builder.sitofp if of.signed else builder.uitofp
    elif to.of.bitwidth > of.bitwidth:
        convert = builder.sext if of.signed else builder.zext
    elif to.of.bitwidth < of.bitwidth:
        convert = builder.trunc
    else:
        return vector
    return convert(vector, result)


def _shared(first, second):
    """Return the lanes type of an operation on lanes, or on lanes and a number; None for others."""
    if isinstance(first, Lanes) and isinstance(second, types.Number | types.Boolean):
        return first
    if isinstance(second, Lanes) and isinstance(first, types.Number | types.Boolean):
        return second
    return first if isinstance(first, Lanes) and first == second else None


def _teach(function, generate, *, compares=False):
    """Register an operator in numba for lanes, and for lanes with a number."""

    class Typing(AbstractTemplate):
        def generic(self, arguments, _keywords):
            if len(arguments) != 2 or (lanes := _shared(*arguments)) is None:
                return None
            return signature(Lanes(types.boolean) if compares else lanes, *arguments)

    def lower(context, builder, of, arguments):
        lanes = _shared(*of.args)
        first, second = (
            _as_lanes(context, builder, value, kind, lanes)
            for value, kind in zip(arguments, of.args, strict=True)
        )
        return generate(builder, lanes.of, first, second)

    infer_global(function)(Typing)
    for operands in ((Lanes, Lanes), (Lanes, types.Any), (types.Any, Lanes)):
        lower_builtin(function, *operands)(lower)


def _arithmetic(float_name, int_name):
    """Return a code generator of an operation, given LLVM's names of it for floats and integers."""

    def generate(builder, of, first, second):
        name = float_name if isinstance(of, types.Float) else int_name
        return getattr(builder, name)(first, second)

    return generate


def _comparison(sign):
    """Return a code generator of a comparison such as "<"."""

    def generate(builder, of, first, second):
        return _compare(builder, of, sign, first, second)

    return generate


def _compare(builder, of, sign, first, second):
    """Generate code of a comparison; NaN is unequal to everything, as with single numbers."""
    if isinstance(of, types.Float):
        ordered = builder.fcmp_unordered if sign == "!=" else builder.fcmp_ordered
        return ordered(sign, first, second)
    signed = isinstance(of, types.Integer) and of.signed
    return (builder.icmp_signed if signed else builder.icmp_unsigned)(sign, first, second)


def _teach_all():
    """Register arithmetic and comparisons of lanes, and the operators of masks, in numba."""
    for functions, float_name, int_name in (
        ((operator.add, operator.iadd), "fadd", "add"),
        ((operator.sub, operator.isub), "fsub", "sub"),
        ((operator.mul, operator.imul), "fmul", "mul"),
        ((operator.truediv,), "fdiv", None),
        ((operator.and_, operator.iand), None, "and_"),
        ((operator.or_, operator.ior), None, "or_"),
    ):
        for function in functions:
            _teach(function, _arithmetic(float_name, int_name))
    for function, sign in (
        (operator.lt, "<"),
        (operator.le, "<="),
        (operator.gt, ">"),
        (operator.ge, ">="),
        (operator.eq, "=="),
        (operator.ne, "!="),
    ):
        _teach(function, _comparison(sign), compares=True)
    infer_global(operator.invert)(_Inversion)
    lower_builtin(operator.invert, Lanes)(_invert)


class _Inversion(AbstractTemplate):
    """Types the operator ~ for masks, which are lanes of truth values."""

    def generic(self, arguments, _keywords):
        (mask,) = arguments
        return signature(mask, mask) if mask == Lanes(types.boolean) else None


def _invert(_context, builder, _signature, arguments):
    return builder.not_(arguments[0])


_teach_all()  # type: ignore[no-untyped-call]


def _address(context, builder, kind, array, indices, indices_kind):
    """Return the address of an array element; negative indices do not count from the end."""
    array = context.make_array(kind)(context, builder, array)
    each = cgutils.unpack_tuple(builder, indices, len(indices_kind))
    each = [
        context.cast(builder, index, of, types.uintp)
        for index, of in zip(each, indices_kind, strict=True)
    ]
    return cgutils.get_item_pointer(context, builder, kind, array, each, wraparound=False)


def _check_rows(array, indices):
    """Raise an error unless lanes of the array are contiguous and there is an index per axis."""
    if not isinstance(array, types.Array) or array.layout != "C" or array.ndim != len(indices):
        raise TypeError(f"lanes are read from and written to rows, not {array} at {indices}")


@intrinsic
def lanes_of(_typing, array, indices):
    """Return sixteen consecutive elements of a C-contiguous array along its last axis, as lanes.

    ``indices`` is a tuple with an index for each axis: the place of the first of the elements.
    Lanes are a vector, with which kernels compute as with one number. numba passes ``_typing``.
    """
    _check_rows(array, indices)
    of = Lanes(array.dtype)

    def generate(context, builder, _signature, arguments):
        address = _address(context, builder, array, arguments[0], arguments[1], indices)
        vector = context.get_value_type(of)
        align = context.get_abi_sizeof(vector.element)
        return builder.load(builder.bitcast(address, vector.as_pointer()), align=align)

    return of(array, indices), generate


@intrinsic
def put_lanes(_typing, array, indices, values):
    """Write a vector of sixteen numbers to consecutive elements of an array, along its last axis.

    ``indices`` has an index for each axis of the C-contiguous ``array``, for the first element.
    ``values`` are the lanes, or one number that is written to all; numba passes ``_typing``.
    """
    _check_rows(array, indices)
    of = Lanes(array.dtype)

    def generate(context, builder, _signature, arguments):
        address = _address(context, builder, array, arguments[0], arguments[1], indices)
        vector = context.get_value_type(of)
        align = context.get_abi_sizeof(vector.element)
        value = _as_lanes(context, builder, arguments[2], values, of)
        builder.store(value, builder.bitcast(address, vector.as_pointer()), align=align)
        return context.get_dummy_value()

    return types.void(array, indices, values), generate


@intrinsic
def gathered(_typing, array, index):
    """Return the elements of a C-contiguous array (n,) at sixteen indices, as a vector (lanes).

    ``index`` has the indices, lanes of integers, which are not checked; numba passes ``_typing``.
    """
    if not isinstance(array, types.Array) or array.ndim != 1 or array.layout != "C":
        raise TypeError(f"lanes are gathered from rows, not {array}")
    of, address_type = Lanes(array.dtype), Lanes(types.intp)

    def generate(context, builder, _signature, arguments):
        source = context.make_array(array)(context, builder, arguments[0])
        start = builder.ptrtoint(source.data, context.get_value_type(types.intp))
        start = _as_lanes(context, builder, start, types.intp, address_type)
        each = _converted(context, builder, arguments[1], index.of, address_type)
        size = ir.Constant(context.get_value_type(types.intp), of.of.bitwidth // 8)
        step = _as_lanes(context, builder, size, types.intp, address_type)
        return _gather(context, builder, of, builder.add(start, builder.mul(each, step)))

    return of(array, index), generate


def _gather(context, builder, of, address):
    """Return the values at sixteen addresses."""
    vector = context.get_value_type(of)
    pointers = ir.VectorType(vector.element.as_pointer(), N_LANES)
    mask = ir.VectorType(ir.IntType(1), N_LANES)
    kind = ir.FunctionType(vector, [pointers, _WORD, mask, vector])
    kind_name = f"{'f' if isinstance(of.of, types.Float) else 'i'}{of.of.bitwidth}"
    name = f"llvm.masked.gather.v{N_LANES}{kind_name}.v{N_LANES}p0"
    gather = cgutils.get_or_insert_function(builder.module, kind, name)
    align = ir.Constant(_WORD, of.of.bitwidth // 8)
    everywhere = ir.Constant(mask, [1] * N_LANES)
    nothing = ir.Constant(vector, ir.Undefined)
    return builder.call(gather, [builder.inttoptr(address, pointers), align, everywhere, nothing])


@intrinsic
def select(_typing, mask, where, elsewhere):
    """Return in each of sixteen lanes ``where`` if ``mask`` is true there, else ``elsewhere``.

    ``mask`` is lanes of truth values; the others are lanes or numbers. numba passes ``_typing``.
    """
    of = where if isinstance(where, Lanes) else elsewhere
    of = of if isinstance(of, Lanes) else Lanes(types.unliteral(where))

    def generate(context, builder, _signature, arguments):
        chosen = _as_lanes(context, builder, arguments[1], where, of)
        other = _as_lanes(context, builder, arguments[2], elsewhere, of)
        return builder.select(arguments[0], chosen, other)

    return of(mask, where, elsewhere), generate


@njit(cache=True, nogil=True, inline="always")
def held_within(values, low, high):
    """Return sixteen numbers, ``values``, clipped to ``low`` .. ``high``; NaN becomes ``low``."""
    values = select(values > low, values, low)
    return select(values < high, values, high)


@intrinsic
def converted(_typing, values, kind):
    """Convert sixteen numbers, ``values``, to another type, ``kind``, such as `numpy.float64`.

    A single number is copied to all lanes. numba passes ``_typing``.
    """
    of = Lanes(kind.dtype)

    def generate(context, builder, _signature, arguments):
        return _as_lanes(context, builder, arguments[0], values, of)

    return of(values, kind), generate


@intrinsic
def lane_numbers(_typing):
    """Return a vector (lanes) of the numbers 0 to 15, uint32; numba passes ``_typing``."""
    of = Lanes(types.uint32)

    def generate(context, _builder, _signature, _arguments):
        return ir.Constant(context.get_value_type(of), list(range(N_LANES)))

    return of(), generate


def _tree(builder, vector, join):
    """Reduce lanes to one: join the lower with the upper half, again and again (16, 8, .., 1)."""
    half = N_LANES // 2
    while half:
        low, high = range(half), range(half, 2 * half)
        vector = join(_shuffled(builder, vector, low), _shuffled(builder, vector, high))
        half //= 2
    return builder.extract_element(vector, ir.Constant(_WORD, 0))


@intrinsic
def total(_typing, values):
    """Return the sum of sixteen numbers, ``values``; numba passes ``_typing``.

    The order is fixed: the lower half plus the upper half, which are added again, and so on.
    """

    def generate(_context, builder, _signature, arguments):
        add = builder.fadd if isinstance(values.of, types.Float) else builder.add
        return _tree(builder, arguments[0], add)

    return values.of(values), generate


def _extreme(values, sign):
    """Return a code generator of the least ("<") or greatest (">") lane."""

    def generate(_context, builder, _signature, arguments):
        def join(first, second):
            is_it = _compare(builder, values.of, sign, first, second)
            return builder.select(is_it, first, second)

        return _tree(builder, arguments[0], join)

    return generate


@intrinsic
def least(_typing, values):
    """Return the least of sixteen numbers, ``values``, none NaN; numba passes ``_typing``."""
    return values.of(values), _extreme(values, "<")


@intrinsic
def most(_typing, values):
    """Return the greatest of sixteen numbers, ``values``, none NaN; numba passes ``_typing``."""
    return values.of(values), _extreme(values, ">")


@intrinsic
def bits_of(_typing, mask):
    """Return the lanes ``mask`` as bits of a uint64, the first lowest; numba passes ``_typing``."""

    def generate(_context, builder, _signature, arguments):
        bits = builder.bitcast(arguments[0], ir.IntType(N_LANES))
        return builder.zext(bits, ir.IntType(64))

    return types.uint64(mask), generate


@intrinsic
def first_bit(_typing, _bits):
    """Return the index of the lowest 1 in ``_bits`` (uint64, not 0); numba passes ``_typing``."""

    def generate(_context, builder, _signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate
