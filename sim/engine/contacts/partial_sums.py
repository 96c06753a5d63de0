"""Partial sums of forces: several threads add up the forces of pairs without waiting for each other.

The pair list is divided into ranges of equal length, and the forces of each range are added up by one thread, in list
order. A sphere belongs to the last range in which it is i: that range adds to its weight. Earlier ranges, in which the
sphere is j, have a partial sum of their own for it; these are added afterwards, in the order of the ranges. Partial
sums are few if neighbouring spheres have neighbouring rows. If they have not, a range has room for the sums of many
spheres, to few of which it adds: these are noted at each rebuild, and only their sums are cleared and added. The ranges
depend on the list and the number of spheres only: any number of threads gives the same bits.
"""

from __future__ import annotations

import numpy as np
from repose.sim.engine.contacts.sphere_rows import entry
from repose.sim.engine.jit import compilable, overload
from repose.sim.engine.threads import share
from repose.sim.engine.workspace import (
    CHUNK,
    FIRST_CHUNK,
    FIRST_ROW,
    LAST_CHUNK,
    LAST_ROW,
    PARTIAL_COUNT,
    SHIFT,
    rows_of_sums,
)

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


@compilable
def note_partial_sums(threads, rows_i, rows_j, begin, end):
    """Write the spheres to whose partial sums the pairs of the ranges begin to end - 1 add forces."""
    ranges = threads.ranges
    for k in range(begin, end):
        first, last = ranges[k, FIRST_CHUNK] * CHUNK, ranges[k, LAST_CHUNK] * CHUNK
        start, room = start_of_partial(ranges, k), ranges[k, LAST_ROW] - ranges[k, FIRST_ROW]
        ranges[k, PARTIAL_COUNT] = 0
        if room > 0:
            noted = threads.partial[start : start + room]
            ranges[k, PARTIAL_COUNT] = note_later(noted, rows_i[first:last], rows_j[first:last], ranges[k, FIRST_ROW])


@compilable(forceinline=True)
def start_of_partial(ranges, k):
    """Entry of `Threads.partial` at which the spheres of range k begin. There is room for as many spheres as the range
    has rows in `Threads.sums`."""
    return ranges[k, SHIFT] + ranges[k, FIRST_ROW] - (ranges[0, SHIFT] + ranges[0, FIRST_ROW])


def note_later(noted, rows_i, rows_j, first):
    """Write those of the rows of both lists to `noted`, in order and once, that are at least `first`; returns their
    number. Python runs this for lists of millions of pairs."""
    both = np.concatenate([rows_i, rows_j])
    later = np.unique(both[both >= first])
    noted[: later.size] = later
    return later.size


@overload(note_later)
def _note_later(noted, rows_i, rows_j, first):
    def mark_and_list(noted, rows_i, rows_j, first):
        for at in range(noted.size):
            noted[at] = 0
        for rows in (rows_i, rows_j):
            for p in range(rows.size):
                if rows[p] >= first:
                    noted[rows[p] - first] = 1
        number = 0
        for at in range(noted.size):
            if noted[at] > 0:
                noted[number] = first + at
                number += 1
        return number

    return mark_and_list


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
def clear_partial_sums(sums, threads, k, width):
    """Set the partial sums of range k to zero."""
    shift, start = threads.ranges[k, SHIFT], start_of_partial(threads.ranges, k)
    for at in range(start, start + threads.ranges[k, PARTIAL_COUNT]):
        for c in range(width):
            sums[entry(shift + threads.partial[at], width, c)] = 0.0


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
    for k in range(threads.range_count[0]):
        shift, start = threads.ranges[k, SHIFT], start_of_partial(threads.ranges, k)
        for at in range(start, start + threads.ranges[k, PARTIAL_COUNT]):
            row = np.int64(threads.partial[at])
            if first <= row < last:
                for c in range(width):
                    sums[entry(row, width, c)] += sums[entry(shift + row, width, c)]
