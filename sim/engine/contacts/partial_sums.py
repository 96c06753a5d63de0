"""Partial sums of forces: several threads add up the forces of pairs without waiting for each other.

The pair list is divided into ranges of equal length, and the forces of each range are added up by one thread, in list
order. A sphere belongs to the last range in which it is i: that range adds to its weight. Earlier ranges, in which the
sphere is j, have a partial sum of their own for it; these are added afterwards, in the order of the ranges. Partial
sums are few if neighbouring spheres have neighbouring rows. The ranges depend on the list and the number of spheres
only: any number of threads gives the same bits.
"""

from __future__ import annotations

import numpy as np
from repose.sim.engine.jit import compilable, overload
from repose.sim.engine.threads import share
from repose.sim.engine.workspace import CHUNK, FIRST_CHUNK, FIRST_ROW, LAST_CHUNK, LAST_ROW, SHIFT, rows_of_sums

compilable(rows_of_sums)


@compilable
def divide_pairs(threads, rows_i, rows_j, pairs, spheres):
    """Divide a list of so many `pairs` into ranges, and give each the rows of its partial sums; returns the number of
    rows of sums. `threads` are `Threads`, or a `Division` of the list alone.

    There are as many ranges as `Threads.ranges` has rows, or half as many, and so on, until each has a chunk and the
    sums take at most `rows_of_sums` rows: those of one range always do.
    """
    ranges = threads.ranges
    chunks = (pairs + CHUNK - 1) // CHUNK
    room = rows_of_sums(ranges.shape[0], spheres)
    number = ranges.shape[0]
    while number > 1 and number > chunks:
        number //= 2
    rows = divide(ranges, rows_i, rows_j, pairs, spheres, number)
    while rows > room:
        number //= 2
        rows = divide(ranges, rows_i, rows_j, pairs, spheres, number)
    threads.range_count[0] = number
    return rows


@compilable
def divide(ranges, rows_i, rows_j, pairs, spheres, number):
    """Divide the list into `number` ranges; returns the number of rows of sums that they take."""
    chunks = (pairs + CHUNK - 1) // CHUNK
    rows = spheres
    for k in range(number):
        begin, end = share(chunks, k, number)
        first = last = spheres
        if k < number - 1:
            first = np.int64(rows_i[end * CHUNK])
            last = max(first, latest(rows_j, begin * CHUNK, end * CHUNK) + 1)  # j is the later sphere of a pair
        ranges[k, FIRST_CHUNK] = begin
        ranges[k, LAST_CHUNK] = end
        ranges[k, FIRST_ROW] = first
        ranges[k, LAST_ROW] = last
        ranges[k, SHIFT] = rows - first
        rows += last - first
    return rows


def latest(rows, first, last):
    """The largest of these entries. Python runs this for lists of millions of pairs, which a loop would take a minute
    for."""
    return int(rows[first:last].max())


@overload(latest)
def _latest(rows, first, last):
    def largest(rows, first, last):
        most = np.int64(0)
        for p in range(first, last):
            most = max(most, np.int64(rows[p]))
        return most

    return largest


@compilable(forceinline=True)
def own_ranges(threads, thread):
    """First range and last range + 1 of this thread."""
    return share(threads.range_count[0], thread.id, thread.total)


@compilable(forceinline=True)
def clear_partial_sums(sums, ranges, k, width):
    """Set the partial sums of range k to zero."""
    shift = ranges[k, SHIFT]
    own = sums[(shift + ranges[k, FIRST_ROW]) * width : (shift + ranges[k, LAST_ROW]) * width]
    for at in range(own.size):
        own[at] = 0.0


@compilable(forceinline=True)
def has_partial_sums(ranges, k):
    """Whether range k adds forces to partial sums."""
    return ranges[k, FIRST_ROW] < ranges[k, LAST_ROW]


@compilable(forceinline=True)
def find_rows_of_sums(rows_of_sums, rows, ranges, k):
    """Write for each of these spheres the row of the sum to which range k adds its forces."""
    first, shift = np.uint32(ranges[k, FIRST_ROW]), np.uint32(ranges[k, SHIFT])
    for at in range(rows.size):
        rows_of_sums[at] = rows[at] + (shift if rows[at] >= first else np.uint32(0))


@compilable(forceinline=True)
def add_partial_sums(sums, threads, width, first, last):
    """Add the partial sums on the spheres first to last - 1, in the order of the ranges."""
    ranges = threads.ranges
    for k in range(threads.range_count[0]):
        begin = max(first, ranges[k, FIRST_ROW]) * width
        end = min(last, ranges[k, LAST_ROW]) * width
        if begin < end:
            start = ranges[k, SHIFT] * width
            total, part = sums[begin:end], sums[start + begin : start + end]
            for at in range(total.size):
                total[at] += part[at]
