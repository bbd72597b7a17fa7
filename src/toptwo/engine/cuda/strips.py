"""Strips as a device reads them: with the fewest instructions.

A compiled strip is an address and a length; how far apart its numbers are, and at which distance from the address they
begin, belongs to its type. All rows of an arm are then read at fixed distances from one address. Of an array each axis
would be multiplied out at every access, in twice as many bits.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.cuda import cgutils
from numba.cuda.core.imputils import RefType, iternext_impl, lower_builtin
from numba.cuda.extending import models, register_model
from numba.cuda.typing.templates import AbstractTemplate, infer_global, signature

from toptwo.engine.cuda.lanes import CELL, WIDTH, near, square, strip, table

MAIN, FAST = 1, 3
"""The address spaces of a device's main memory, and of what the lanes of a block share."""

APART = WIDTH * CELL
"""Bytes between two cells of a lane."""


CUT_OUT = frozenset({strip, near, table, square})
"""Functions that the compiler is taught here."""


class Strip(types.Type):  # type: ignore[misc]
    """Numbers of a lane."""

    def __init__(self, dtype: Any, begins: int, step: int, memory: int = MAIN) -> None:
        self.dtype, self.begins, self.step, self.memory = dtype, begins, step, memory
        super().__init__(name=f"Strip({dtype}, {begins}, {step}, {memory})")


class StripTable(types.Type):  # type: ignore[misc]
    """Strips that lie one cell apart, or, in a square, as many cells as each of them has."""

    def __init__(self, row: Strip, square: bool) -> None:
        self.row, self.square = row, square
        super().__init__(name=f"StripTable({row}, {square})")


@register_model(Strip)
@register_model(StripTable)
class StripModel(models.StructModel):  # type: ignore[misc]
    """What is known of a strip or table when code runs."""

    def __init__(self, manager: Any, kind: Any) -> None:
        members = [("address", types.uintp), ("length", types.int32)]
        super().__init__(manager, kind, members + [("rows", types.int32)] * isinstance(kind, StripTable))


def _literal(value: Any) -> int | None:
    return value.literal_value if isinstance(value, types.IntegerLiteral) else None


# --- types ------------------------------------------------------------------------------------------------------------
def _strip_from(cells: Any, first: Any, step: int) -> Strip:
    """Return the type of strips of some cells; where they begin belongs to it if it is known."""
    return Strip(cells.dtype, _literal(first) or 0, step)


@infer_global(strip)
class _StripType(AbstractTemplate):  # type: ignore[misc]
    prefer_literal = True

    def generic(self, args: Any, kws: Any) -> Any:
        cells, _, first, step, _ = args
        return signature(_strip_from(cells, first, step.literal_value), *args)


@infer_global(near)
class _NearType(AbstractTemplate):  # type: ignore[misc]
    prefer_literal = True

    def generic(self, args: Any, kws: Any) -> Any:
        cells, _, first, step, _, _ = args
        return signature(Strip(cells.dtype, first.literal_value, step.literal_value, FAST), *args)


@infer_global(table)
class _TableType(AbstractTemplate):  # type: ignore[misc]
    prefer_literal = True

    def generic(self, args: Any, kws: Any) -> Any:
        cells, _, first, step, _, _ = args
        return signature(StripTable(_strip_from(cells, first, step.literal_value), False), *args)


@infer_global(square)
class _SquareType(AbstractTemplate):  # type: ignore[misc]
    prefer_literal = True

    def generic(self, args: Any, kws: Any) -> Any:
        cells, _, first, _ = args
        return signature(StripTable(_strip_from(cells, first, 1), True), *args)


@infer_global(len)
class _Length(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(types.int32, args[0]) if isinstance(args[0], Strip | StripTable) else None


@infer_global(operator.getitem)
class _Read(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        of, index = args
        if isinstance(of, Strip | StripTable) and isinstance(index, types.Integer):
            return signature(of.dtype if isinstance(of, Strip) else of.row, of, index)
        return None


@infer_global(operator.setitem)
class _Write(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        of, index, _ = args
        if isinstance(of, Strip) and isinstance(index, types.Integer):
            return signature(types.none, of, index, of.dtype)
        return None


# --- code -------------------------------------------------------------------------------------------------------------
def _place(context: Any, builder: Any, kind: Any, value: Any = None) -> Any:
    return cgutils.create_struct_proxy(kind)(context, builder, value)


def _column(builder: Any, array: Any, lane: Any) -> Any:
    """Return the address of the first cell of a lane."""
    count = cgutils.unpack_tuple(builder, array.shape, 3)[1]
    word = count.type
    base = builder.ptrtoint(array.data, word)
    tile, column = builder.lshr(lane, word(WIDTH.bit_length() - 1)), builder.and_(lane, word(WIDTH - 1))
    offset = builder.add(builder.mul(tile, builder.mul(count, word(APART))), builder.mul(column, word(CELL)))
    return builder.add(base, offset)


def _made(length: int, rows: int = 0) -> Callable[..., Any]:
    """Return what makes a strip or table, whose length and number of rows are these arguments."""

    def make(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        def argument(place: int, kind: Any) -> Any:
            return context.cast(builder, args[place], sig.args[place], kind)

        address = _column(builder, _place(context, builder, sig.args[0], args[0]), argument(1, types.intp))
        if _literal(sig.args[2]) is None:
            first = argument(2, types.intp)
            address = builder.add(address, builder.mul(first, first.type(APART)))
        made = _place(context, builder, sig.return_type)
        made.address, made.length = address, argument(length, types.int32)
        if rows:
            made.rows = argument(rows, types.int32)
        return made._getvalue()

    return make


@lower_builtin(near, types.VarArg(types.Any))
def _made_near(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """Return a strip in fast memory: all of it belongs to the lanes, whose number is known when a kernel starts."""
    whole = ir.ArrayType(context.get_data_type(sig.return_type.dtype), 0)
    memory = builder.module.globals.get("near") or cgutils.add_global_variable(builder.module, whole, "near", FAST)
    memory.linkage, memory.align = "external", CELL
    lane = context.cast(builder, args[1], sig.args[1], types.intp)
    column = builder.mul(builder.and_(lane, lane.type(WIDTH - 1)), lane.type(CELL))
    made = _place(context, builder, sig.return_type)
    made.address = builder.add(builder.ptrtoint(memory, lane.type), column)
    made.length = context.cast(builder, args[4], sig.args[4], types.int32)
    return made._getvalue()


lower_builtin(strip, types.VarArg(types.Any))(_made(4))
lower_builtin(table, types.VarArg(types.Any))(_made(4, 5))
lower_builtin(square, types.VarArg(types.Any))(_made(3, 3))


@lower_builtin(len, Strip)
def _strip_length(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _place(context, builder, sig.args[0], args[0]).length


@lower_builtin(len, StripTable)
def _table_length(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _place(context, builder, sig.args[0], args[0]).rows


def _index(context: Any, builder: Any, kind: Any, value: Any, length: Any) -> Any:
    """Return an index as a number of 32 bits, widened: one instruction then multiplies and adds it."""
    short = context.cast(builder, value, kind, types.int32)
    if kind != types.int32:  # counted from the end if negative; the variable of `range(len(row))` is not
        from_end = builder.add(short, length)
        short = builder.select(builder.icmp_signed("<", short, short.type(0)), from_end, short)
    return builder.zext(short, context.get_value_type(types.intp))


def _cell(context: Any, builder: Any, kind: Any, strip: Any, index_type: Any, index: Any) -> Any:
    """Return a pointer to a number of a strip."""
    word, strip = context.get_value_type(types.intp), _place(context, builder, kind, strip)
    far = builder.mul(_index(context, builder, index_type, index, strip.length), word(kind.step * APART))
    address = builder.add(builder.add(strip.address, far), word(kind.begins * APART))
    return builder.inttoptr(address, ir.PointerType(context.get_data_type(kind.dtype), kind.memory))


@lower_builtin(operator.getitem, Strip, types.Integer)
def _read(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind, index = sig.args
    return builder.load(_cell(context, builder, kind, args[0], index, args[1]))


@lower_builtin(operator.setitem, Strip, types.Integer, types.Any)
def _write(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind, index, given = sig.args
    value = context.cast(builder, args[2], given, kind.dtype)
    builder.store(value, _cell(context, builder, kind, args[0], index, args[1]))
    return context.get_dummy_value()


@lower_builtin(operator.getitem, StripTable, types.Integer)
def _row(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind, index = sig.args
    whole, row = _place(context, builder, kind, args[0]), _place(context, builder, kind.row)
    word = context.get_value_type(types.intp)
    apart = builder.mul(builder.sext(whole.length, word), word(APART)) if kind.square else word(APART)
    row.address = builder.add(whole.address, builder.mul(_index(context, builder, index, args[1], whole.rows), apart))
    row.length = whole.length
    return row._getvalue()


# --- loops ------------------------------------------------------------------------------------------------------------
def _unforeseen(builder: Any, count: Any) -> Any:
    """Return a whole number as it is, so that no compiler knows what it will be."""
    bits = count.type.width
    letter = {32: "r", 64: "l"}[bits]
    move = ir.InlineAsm(ir.FunctionType(count.type, [count.type]), f"mov.u{bits} $0, $1;", f"={letter},{letter}")
    return builder.call(move, [count], attrs=("readnone", "nounwind"))


def _next(context: Any, builder: Any, sig: Any, args: Any, result: Any) -> None:
    """Go on in a range, as numba-cuda does, but so that no loop is unrolled.

    Lanes seldom agree on what a loop does next. A copy of its body for each of several steps saves them nothing, and
    the code of most rules would no longer fit where a device keeps what it runs.
    """
    state = _place(context, builder, sig.args[0], args[0])
    count = builder.load(state.count)
    going = builder.icmp_signed(">", count, count.type(0))
    result.set_valid(going)
    with builder.if_then(going):
        value = builder.load(state.iter)
        result.yield_(value)
        builder.store(_unforeseen(builder, builder.sub(count, count.type(1), flags=["nsw"])), state.count)
        builder.store(builder.add(value, state.step, flags=["nsw"]), state.iter)


for _range in (types.range_iter32_type, types.range_iter64_type):
    lower_builtin("iternext", _range)(iternext_impl(RefType.BORROWED)(_next))
