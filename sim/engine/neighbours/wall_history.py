"""What contacts remember, carried from one list of contacts to the next.

The same for pairs of spheres and for spheres at walls: an entry is known by two row numbers, `first` and `second`, and
`table` is `Pairs` or `Touches`. Only entries in contact remember anything. They hang in a chain at their first
row; a sphere has a handful, so the walk is short.
"""

from __future__ import annotations

from numba.extending import register_jitable


@register_jitable
def set_aside(memory, count, first, second, table):
    """Copy what the entries in contact remember; returns how many there are."""
    memory.head[:] = -1
    kept = 0
    for p in range(count):
        if table.touching[p] == 0:
            continue
        memory.first[kept] = first[p]
        memory.second[kept] = second[p]
        memory.normal_force[kept] = table.normal_force[p]
        for c in range(memory.anchor.shape[0]):
            memory.anchor[c, kept] = table.anchor[c, p]
        memory.following[kept] = memory.head[first[p]]
        memory.head[first[p]] = kept
        kept += 1
    return kept


@register_jitable
def carry_over(memory, kept, count, first, second, table):
    """Give every entry of the new list what the same entry of the old one remembered."""
    for p in range(count):
        table.touching[p] = 0
        table.normal_force[p] = 0.0
        q = memory.head[first[p]] if kept > 0 else -1
        while q >= 0 and memory.second[q] != second[p]:
            q = memory.following[q]
        if q >= 0:
            table.touching[p] = 1
            table.normal_force[p] = memory.normal_force[q]
            for c in range(memory.anchor.shape[0]):
                table.anchor[c, p] = memory.anchor[c, q]
        else:
            for c in range(memory.anchor.shape[0]):
                table.anchor[c, p] = 0.0


@register_jitable
def restore(memory, kept, first, second, table):
    """List the entries in contact alone, where the new list did not fit; returns how many there are."""
    for q in range(kept):
        first[q] = memory.first[q]
        second[q] = memory.second[q]
        table.touching[q] = 1
        table.normal_force[q] = memory.normal_force[q]
        for c in range(memory.anchor.shape[0]):
            table.anchor[c, q] = memory.anchor[c, q]
    return kept
