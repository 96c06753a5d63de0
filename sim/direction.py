"""Direction of a scene: what the audience should see, in which colour, with which plot, how fast and from where.

It is data: window, films and the list of scenes follow it as long as the user has chosen nothing else, and a preset
replaces the parts in which its question differs from that of the scene.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import ClassVar

from repose.sim.message import EMPTY, Message, as_message
from repose.sim.scene_fields import SceneRecord, refused_value

OWN = "own"
"""Colour: those of the labelled spheres, or of the parts of bodies, that the scene names; sand if it names none."""
LOOKS = ("photoelastic", "sand", "clay", "plain")
"""Colours that show no quantity: looks of grains."""
OBLIQUE = "three-quarter"
"""The usual direction of view in space."""
VIEWS = ("front", "side", "top", OBLIQUE)
"""Directions of view in space."""
SWITCHES = (
    "box",
    "stress_field",
    "tracks",
    "force_chains",
    "velocity_arrows",
    "displacement",
    "measurement",
    "labels",
    "instruments",
    "rose",
    "periodic_images",
    "scale_bar",
    "legend",
    "caption",
)
"""Names of the switches of the picture; those of plug-ins come in addition (`repose.sim.io.presets.switches`)."""
SLOWEST, FASTEST = 1e-6, 1e3
"""Limits of a speed [-]."""
LONGEST = 3600.0
"""Limit of the duration [s]."""


@dataclass(frozen=True, kw_only=True)
class Direction(SceneRecord):
    """How a scene is shown to an audience."""

    PLACE: ClassVar[str] = "direction"

    see: Message
    """What the audience should see, one sentence."""
    answer: Message = EMPTY
    """The answer of the run, a template with values of the scene's own answer (`Course.answer_values`), for a preset
    whose question is not that of the scene; empty for the scene's own sentence."""
    colour: str
    """Colour of the grains: the name of a record of `repose.sim.colours`, one of `LOOKS`, or `OWN`."""
    plot: str
    """Name of the plot that opens: a curve of the scene or a tab of measurements."""
    speed: float
    """Simulated time per wall time, in units of `SceneLimits.time_scale` [-]."""
    seconds: float
    """Wall time from the start to the end of the phenomenon at this speed, roughly [s]."""
    speeds: Mapping[str, float] = field(default_factory=dict)
    """Other speeds by the name of the phase; in a film a phase with a `Pace` has the speed of its pace."""
    span: tuple[float, float] | None = None
    """Range of the colour [SI]; None for the rule of the colour."""
    show: tuple[str, ...] = ()
    """Names of switches of the picture that are on, besides those that are always on."""
    look: str = OBLIQUE
    """In space: the direction of view, one of `VIEWS`."""
    tilted: bool = True
    """Whether the picture is turned so that gravity points down: a tilted table is drawn tilted."""

    def __post_init__(self) -> None:
        """Raise `ParameterError` for a number that is out of range."""
        for name in ("see", "answer"):  # those of a plug-in may be plain texts
            object.__setattr__(self, name, as_message(getattr(self, name)))
        if not can_be_filled(self.answer.template):
            raise refused_value("direction", "answer", self.answer.template)
        if not 0.0 < self.seconds <= LONGEST:
            raise refused_value("direction", "seconds", self.seconds)
        for name, speed in (("speed", self.speed), *(("speeds", speed) for speed in self.speeds.values())):
            if not SLOWEST <= speed <= FASTEST:
                raise refused_value("direction", name, speed)
        if self.look not in VIEWS:
            raise refused_value("direction", "look", self.look)
        if self.span is not None and not -math.inf < self.span[0] < self.span[1] < math.inf:
            raise refused_value("direction", "span", self.span)

    def speed_in(self, phase: str) -> float:
        """The speed in the phase of this name, in units of the time scale of the scene."""
        return self.speeds.get(phase, self.speed)


def can_be_filled(template: str, values: Collection[str] | None = None) -> bool:
    """Whether a template contains only `values`, without formats and conversions, which belong to the scene's sentence;
    without `values` they may have any names."""
    try:
        parts = [part for part in Formatter().parse(template) if part[1] is not None]
    except ValueError:  # a brace that is not closed
        return False
    known = all(name in values if values is not None else name.isidentifier() for _, name, _, _ in parts if name)
    return known and all(name and not form and not conversion for _, name, form, conversion in parts)


NOT_DIRECTED = Direction(see=EMPTY, colour="layer", plot="motion", speed=1.0, seconds=10.0)
"""The direction of a snapshot before there is an experiment, and of scenes made of data: layers, or sand."""
