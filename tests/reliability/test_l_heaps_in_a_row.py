"""L04, T09: many heaps in one process, stepped by two threads and closed, leave no memory, thread or file."""

from __future__ import annotations

import pytest

from tests.reliability.heaps_in_a_row import heaps_in_a_row


@pytest.mark.slow
def test_twenty_heaps_in_one_process_leave_memory_threads_and_files_as_they_were() -> None:
    held = heaps_in_a_row(20)
    for number, now in enumerate(held, 1):
        print(f"after heap {number}: {now.memory:.1f} MB, {now.threads} threads, {now.files} open files")
    first, last = held[4], held[-1]  # until then caches fill up
    assert len(held) == 20
    assert last.threads == first.threads
    assert last.files == first.files
    assert last.memory == pytest.approx(first.memory, abs=5.0)
