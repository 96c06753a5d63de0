"""The latest value of something that costs time, and when it is computed again."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Value = TypeVar("Value")


def until_changed(cost: float) -> float:
    """No end of validity: the value is computed again only for other objects."""
    return math.inf


@dataclass
class Latest:
    """The latest value, what it was computed of, and when it is due again."""

    value: Any = None
    of: tuple[object, ...] = ()
    due: float = -math.inf
    """Wall time from which it is computed again even if nothing has changed [s]."""

    def get(
        self, of: tuple[object, ...], make: Callable[[], Value], wait: Callable[[float], float] = until_changed
    ) -> Value:
        """The value for the objects `of`, which `make` computes if it is due or if one of them is another.

        Numbers, names and tuples among the objects are compared by value, all others by identity. `wait` is the time
        from the end of a computation to the next one [s], as a function of its duration [s].
        """
        now = time.perf_counter()
        if now >= self.due or len(of) != len(self.of) or not all(map(_same, of, self.of)):
            self.value, self.of = make(), of
            cost = time.perf_counter() - now
            self.due = now + cost + wait(cost)
        value: Value = self.value
        return value


def _same(now: object, before: object) -> bool:
    return now is before or (isinstance(now, bool | int | float | str | tuple) and now == before)
