"""Limits of the rate of requests."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field


@dataclass
class Rate:
    """Each key may act `burst` times at once, and `per_second` times in each second in the long run."""

    per_second: float
    burst: float
    most_keys: int = 4096
    """Keys that are remembered; those unused for the longest time are forgotten."""
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)
    """By key, what was left of the burst, and when [s]."""

    def allows(self, key: str, now: float) -> bool:
        """Whether the key may act now [s]; counts the act if so."""
        left, then = self._left.pop(key, (self.burst, now))
        left = min(left + (now - then) * self.per_second, self.burst)
        allowed = left >= 1.0
        self._left[key] = (left - allowed, now)
        if len(self._left) > self.most_keys:
            self._left.popitem(last=False)
        return allowed
