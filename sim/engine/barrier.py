"""The gate where threads that step one world together meet, and what is whose.

Every thread runs the same compiled loop with its own number, `part`. They meet a few times per step, which costs less
than a microsecond. At the gate a thread turns a few times, then lets others run: on a machine with other work to do a
thread that only turned would wait for the end of somebody's time slice. A thread that does not come within the time
limit breaks the gate: then nobody waits there any more, now or later.
"""

from __future__ import annotations

import os
import time
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, register_jitable
from repose.sim.engine.workspace import BROKEN, PATIENCE, ROUND

TURNS = 100
"""At the gate before another thread is let run."""
GLANCE = 64
"""Times another thread is let run between two looks at the clock."""
LONGEST_WAIT = 1000
"""What passes between two looks counts as no more [ms]: after a stop of the whole process nobody is late."""

_let_others_run = types.ExternalFunction("SwitchToThread" if os.name == "nt" else "sched_yield", types.int32())


def _pointer(context, builder, signature, args):
    array = context.make_array(signature.args[0])(context, builder, args[0])
    return cgutils.get_item_pointer(context, builder, signature.args[0], array, [args[1]], wraparound=False)


def _at_once(operation: str) -> Any:
    @intrinsic
    def change(typing, table, entry, value):
        """Change an entry at once; returns what was there before."""

        def generate(context, builder, signature, args):
            return builder.atomic_rmw(operation, _pointer(context, builder, signature, args), args[2], "seq_cst")

        return types.int64(table, types.intp, types.int64), generate

    return change


_add, _set_bits = _at_once("add"), _at_once("or")


@intrinsic
def _read(typing, table, entry):
    """An entry as it is now, and with it all that was written before it."""

    def generate(context, builder, signature, args):
        return builder.load_atomic(_pointer(context, builder, signature, args), "seq_cst", 8)

    return types.int64(table, types.intp), generate


@intrinsic
def _clock(typing):
    """Milliseconds since some moment, whatever is done to the date."""

    def generate(context, builder, signature, args):
        number, word = ir.IntType(64), ir.IntType(32)
        if os.name == "nt":
            read = cgutils.get_or_insert_function(builder.module, ir.FunctionType(number, ()), "GetTickCount64")
            return builder.call(read, ())
        stamp = cgutils.alloca_once(builder, ir.LiteralStructType((number, number)))
        kind = ir.FunctionType(word, (word, stamp.type))
        read = cgutils.get_or_insert_function(builder.module, kind, "clock_gettime")
        builder.call(read, (word(time.CLOCK_MONOTONIC), stamp))
        seconds, rest = (builder.load(cgutils.gep_inbounds(builder, stamp, 0, field)) for field in (0, 1))
        return builder.add(builder.mul(seconds, number(1000)), builder.sdiv(rest, number(1_000_000)))

    return types.int64(), generate


@register_jitable
def meet(crew):
    """Wait until all threads are here; returns whether they have all been here."""
    parts = crew.tally.shape[0]
    if parts == 1:
        return True
    gate = crew.gate
    seen = _read(gate, ROUND)
    if seen < 0:
        return False
    if _add(gate, 0, 1) == parts - 1:
        _add(gate, 0, -parts)
        _add(gate, ROUND, 1)
        return True
    turns = 0
    while turns < TURNS and _read(gate, ROUND) == seen:
        turns += 1
    wait(gate, seen)
    return _read(gate, ROUND) & ~BROKEN != seen


@register_jitable
def wait(gate, seen):
    """Let others run until all are at the gate, and break it if that takes too long."""
    turns = 0
    waited = 0
    before = 0
    while _read(gate, ROUND) == seen:
        _let_others_run()
        turns += 1
        if turns % GLANCE == 0:
            now = _clock()
            waited += min(now - before, LONGEST_WAIT) if before > 0 else 0
            before = now
            if waited > gate[PATIENCE]:
                _set_bits(gate, ROUND, BROKEN)


@register_jitable
def share(count, part, parts):
    """First and last + 1 of the things that are this thread's."""
    return count * part // parts, count * (part + 1) // parts
