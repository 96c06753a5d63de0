"""Speed of a film in each phase of an experiment, if the user has not set a speed: the pace that the phase declares, or
the speed that the direction of the scene gives it.

The duration of a phase is estimated from the fraction done, or from the time that grains need to fall. The speed is a
round number and seldom changes, because it is written on the picture.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from repose.sim.experiment.phase import NOT_BEGUN, Pace, Phase
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import Message, Number, _, formatted, joined, with_prefix
from repose.sim.scales import nice_step

COLLAPSE = 3.3
"""Time in which a column of height h collapses, in units of sqrt(h/g): Lube et al., J. Fluid Mech. 508 (2004)."""
PATIENCE = 0.25
"""Fraction of its film time for which a phase can continue before its duration can be estimated [-]."""
TOO_SHORT = 0.3
"""A phase that would end within this fraction of its film time is shown slower [-]."""
SLOWEST, FASTEST = 1e-8, 1e3
"""Limits of the speed [simulated s per s of film]."""


@dataclass(frozen=True)
class Pacing:
    """The present speed and the data from which it follows."""

    speed: float
    """Simulated seconds per second of film."""
    phase: Phase = NOT_BEGUN
    spent: float = 0.0
    """Film time of this phase so far [s]."""
    began: float = 0.0
    """Simulated time at the beginning of the phase [s]."""
    first_share: float = 0.0
    """Fraction done at the beginning of the phase."""
    share: float = 0.0
    """Fraction done at the last estimate of the duration."""
    raise_at: float = math.inf
    """Film time of this phase from which the next higher speed is taken [s]."""


def pace(last: Pacing | None, snapshot: Snapshot, elapsed: float) -> Pacing:
    """The speed at a snapshot, `elapsed` seconds of film after the snapshot before."""
    share = snapshot.run.progress or 0.0
    rule = snapshot.run.phase.pace
    if last is None or snapshot.run.phase != last.phase or snapshot.run.time < last.began:
        before = last.speed if last is not None else 1.0
        speed = _first_speed(rule, snapshot, before) if rule else directed_speed(snapshot)
        return Pacing(speed, snapshot.run.phase, 0.0, snapshot.run.time, share, share, _first_raise(rule))
    now = replace(last, spent=last.spent + elapsed)
    if rule is None:
        return now
    if rule.known_from in ("share", "direction") and share > now.share and now.spent < rule.seconds:
        # The estimate is updated only when the share rises, because layers are poured one at a time.
        now = replace(now, share=share, raise_at=max(now.raise_at, rule.seconds))
        whole = (snapshot.run.time - now.began) / (share - now.first_share) * (1.0 - now.first_share)
        left = whole * (1.0 - share) / now.speed
        if now.spent + left > rule.seconds and rule.known_from == "share":
            now = replace(now, speed=_round_up(left * now.speed / (rule.seconds - now.spent), rule))
        elif now.spent + left < TOO_SHORT * rule.seconds:
            now = replace(now, speed=min(now.speed, _round_up(whole / rule.seconds, rule)))
    if now.spent >= now.raise_at:
        now = replace(now, speed=_round_up(1.01 * now.speed, rule), raise_at=now.raise_at + 1.0)
    return now


def directed_speed(snapshot: Snapshot) -> float:
    """Simulated over wall time in the present phase by the direction of the scene [-]."""
    return snapshot.run.direction.speed_in(snapshot.run.phase.name) * snapshot.run.time_scale


def pacer(fps: float) -> Callable[[Snapshot], float]:
    """A function that returns the simulated time from each frame of a film to the next [s]."""
    last: Pacing | None = None

    def interval(snapshot: Snapshot) -> float:
        nonlocal last
        last = pace(last, snapshot, 0.0 if last is None else 1.0 / fps)
        return last.speed / fps

    return interval


def describe_speed(speed: float | None) -> Message:
    """A speed in words: "20 × slow motion", "real time", "5 × time lapse"."""
    if speed is None:
        return _("as fast as possible")
    if speed <= 0.0:
        return _("at rest")
    if 0.9 <= speed <= 1.1:
        return _("real time")
    factor = max(speed, 1.0 / speed)
    shown = f"{factor:.2g}" if factor < 99.5 else f"{round(factor, 2 - len(str(int(factor)))):.0f}"
    kind = _("time lapse") if speed > 1.0 else _("slow motion")
    return joined((Number(float(shown), format="g"), kind), " × ")


def clock_text(snapshot: Snapshot) -> Message:
    """The simulated time: "1.234 s", and "37.9 µs" in a scene of microseconds."""
    if snapshot.run.time_scale == 1.0:
        return formatted(snapshot.run.time, ".3f", "s")
    return with_prefix(snapshot.run.time, "s", 3)


def _first_raise(rule: Pace | None) -> float:
    """Film time from which the speed is raised [s]; early for a phase whose fraction done does not rise."""
    if rule is None:
        return math.inf
    return PATIENCE * rule.seconds if rule.known_from == "share" else rule.seconds


def _first_speed(rule: Pace, snapshot: Snapshot, before: float) -> float:
    """The speed at the beginning of a phase; the fraction done corrects the speed later."""
    if snapshot.run.time_scale < 1.0 or rule.known_from == "direction":
        return directed_speed(snapshot)
    if rule.known_from == "before":
        return max(before, rule.least)
    up = snapshot.grains.position.shape[1] - 1
    tops = snapshot.grains.position[~snapshot.grains.fixed, up]
    tops = tops[np.isfinite(tops)]
    base = (snapshot.geometry.focus or snapshot.geometry.box)[0][up]
    height = max(float(np.quantile(tops, 0.99)) - base, 0.0) if tops.size else 0.0
    gravity = float(snapshot.run.parameters.values.get("gravity", 9.81))
    if height <= 0.0 or gravity <= 0.0:
        return max(1.0, rule.least)
    return _round_up(COLLAPSE * math.sqrt(height / gravity) / rule.seconds, rule)


def _round_up(speed: float, rule: Pace) -> float:
    """The next of 1, 2, 5 times a power of ten within the limits."""
    return min(max(nice_step(max(speed, SLOWEST), 1), rule.least, SLOWEST), FASTEST)
