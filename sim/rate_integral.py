"""The integral of a rate over time, such as the phase of a shaken box or the angle of a turned table.

While the rate is constant, it is begins + rate (t − since), without a sum of many steps; a change of the rate changes
no value, so that a phase stays continuous when its frequency changes.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class RateIntegral:
    """An integral up to now, and the rate at which it goes on; part of the state of a scene."""

    begins: float = 0.0
    """Its value at the last change of the rate."""
    since: float = 0.0
    """Time of this change [s]."""
    rate: float = 0.0
    """Its growth per second since then."""

    def at(self, time: float) -> float:
        """Its value at a time after the last change [s]."""
        return self.begins + self.rate * (time - self.since)

    def go_on(self, time: float, rate: float) -> None:
        """Let it grow at this rate from now on."""
        if rate != self.rate:
            self.begins, self.since, self.rate = self.at(time), time, rate
