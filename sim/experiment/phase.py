"""A phase of an experiment as data: everything that window, films, lectures, studies and restarts ask of a phase.

A scene declares its phases in `Scene.course.phases`; its state holds the name of the present one. No module besides the
scenes decides by the name of a phase.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from repose.sim.message import EMPTY, Message
from repose.sim.scene_fields import refused_value

KnownFrom = Literal["share", "fall", "before", "direction"]


@dataclass(frozen=True)
class Pace:
    """Wanted duration of a phase in a film, and how its simulated duration is estimated."""

    seconds: float
    """Largest film time [s]; after this time the speed rises every second."""
    known_from: KnownFrom
    """Source of the simulated duration: the fraction done (share); the collapse of a column of the present height
    (fall); none, and the speed does not change (before) or is that of the direction of the scene (direction)."""
    least: float = 0.0
    """Smallest speed [simulated s per s of film]."""

    def __post_init__(self) -> None:
        if not 0.0 < self.seconds < math.inf:
            raise refused_value("pace", "seconds", self.seconds)
        if self.known_from not in get_args(KnownFrom):
            raise refused_value("pace", "known_from", self.known_from)


@dataclass(frozen=True)
class Phase:
    """One phase of a scene."""

    name: str
    """Name in run files, in results and in lectures (`until`)."""
    label: Message
    """The phase in a word or two, without a capital letter."""
    runs: bool = False
    """Whether it ends by itself: no action of the user is due."""
    begun: bool = True
    """Whether something has begun that a restart would discard; if not, a parameter that takes effect at the next start
    takes effect at once."""
    ends: bool = False
    """Whether the run has come to its end: slow grains count as grains at rest without a wait."""
    pace: Pace | None = None
    """Speed of a film; None for the speed that the direction of the scene gives the phase."""

    def __post_init__(self) -> None:
        if self.pace is not None and not isinstance(self.pace, Pace):
            raise refused_value("phase", "pace", self.pace, self.name)


NOT_BEGUN = Phase("", EMPTY, begun=False)
"""The phase of a snapshot before there is an experiment."""
