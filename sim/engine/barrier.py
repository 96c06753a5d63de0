"""The gate where threads that step one world together meet, and what is whose.

Every thread runs the same compiled loop with its own number, `part`. They meet a few times per step, which costs less
than a microsecond. At the gate a thread turns a few times, then lets others run: on a machine with other work to do a
thread that only turned would wait for the end of somebody's time slice.
"""

from __future__ import annotations

import os

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, register_jitable

TURNS = 100
"""At the gate before another thread is let run."""
ROUND = 8
"""Entry of the gate that counts how often all have met, a cache line from the one that counts who is there."""

_let_others_run = types.ExternalFunction("SwitchToThread" if os.name == "nt" else "sched_yield", types.int32())


def _pointer(context, builder, signature, args):
    array = context.make_array(signature.args[0])(context, builder, args[0])
    return cgutils.get_item_pointer(context, builder, signature.args[0], array, [args[1]], wraparound=False)


@intrinsic
def _add(typing, table, entry, value):
    """Add to an entry at once; returns what was there before."""

    def generate(context, builder, signature, args):
        return builder.atomic_rmw("add", _pointer(context, builder, signature, args), args[2], "seq_cst")

    return types.int64(table, types.intp, types.int64), generate


@intrinsic
def _read(typing, table, entry):
    """An entry as it is now, and with it all that was written before it."""

    def generate(context, builder, signature, args):
        return builder.load_atomic(_pointer(context, builder, signature, args), "seq_cst", 8)

    return types.int64(table, types.intp), generate


@register_jitable
def meet(crew):
    """Wait until all threads are here."""
    parts = crew.tally.shape[0]
    if parts == 1:
        return
    gate = crew.gate
    seen = _read(gate, ROUND)
    if _add(gate, 0, 1) == parts - 1:
        _add(gate, 0, -parts)
        _add(gate, ROUND, 1)
        return
    turns = 0
    while _read(gate, ROUND) == seen:
        turns += 1
        if turns > TURNS:
            _let_others_run()


@register_jitable
def share(count, part, parts):
    """First and last + 1 of the things that are this thread's."""
    return count * part // parts, count * (part + 1) // parts
