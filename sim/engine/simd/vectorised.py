"""Vectorised functions: one body, which plain Python runs and from which compiled code gets vector instructions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.typing.templates import infer, infer_global, make_intrinsic_template
from repose.sim.engine.compiler import TablesAt, table_at
from repose.sim.engine.simd.lanes import LONG, Table, Value

ANSWERS: dict[type | None, Any] = {None: types.void, int: types.int64, bool: types.boolean}
"""numba's types of the answers of bodies."""


class TablesOf:
    """The tables of a record (`TablesAt`), or of a named tuple, while a body is compiled."""

    def __init__(self, context: Any, builder: Any, kind: TablesAt, address: Any) -> None:
        self._at = context, builder, kind, address

    def __getattr__(self, name: str) -> Any:
        context, builder, kind, address = self._at
        return _read(context, builder, kind.kinds[name], table_at(context, builder, kind, address, name))


def vectorised(body: Callable | None = None, *, answer: type | None = None) -> Any:
    """Decorator: where compiled code calls the function, its body is run once by the compiler, on `Table` and `Value`
    in place of tables and numbers, and writes the vector instructions.

    A body is straight: lengths of tuples decide what it does, numbers do not (`branch` and `select` do). Its answer is
    of the type `answer`: nothing, `int` or `bool`.
    """
    if body is None:
        return lambda body: vectorised(body, answer=answer)
    given = list(inspect.signature(body).parameters.values())

    def definition(typing: Any, *kinds: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            made = body(*(_read(context, builder, kind, arg) for kind, arg in zip(signature.args, args, strict=True)))
            return context.get_dummy_value() if made is None else made.ir

        return ANSWERS[answer](*kinds), generate

    typing = inspect.Parameter("typing", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    definition.__dict__["__signature__"] = inspect.Signature([typing, *given])  # by which numba knows the arguments
    template = make_intrinsic_template(body, definition, body.__name__)
    infer(template)
    infer_global(body, types.Function(template))
    return body


def _read(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """What a body sees of an argument of compiled code."""
    if isinstance(kind, TablesAt):
        return TablesOf(context, builder, kind, value)
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        return Table(builder, array.data, cgutils.unpack_tuple(builder, array.shape))
    if isinstance(kind, types.BaseTuple):
        items = [_read(context, builder, *item) for item in zip(kind.types, cgutils.unpack_tuple(builder, value))]
        return kind.instance_class(*items) if hasattr(kind, "instance_class") else tuple(items)
    if isinstance(kind, types.Integer) and kind.bitwidth < LONG.width:
        value = (builder.sext if kind.signed else builder.zext)(value, LONG)
    return Value(builder, value)
