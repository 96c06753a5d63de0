"""The phases that scenes have in common, the phase of an experiment, and the time at which the phase began."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from repose.sim.experiment import rest
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.phase import Pace, Phase
from repose.sim.message import Message, _

EMPTY = Phase("empty", _("empty"), begun=False)
FILLING = Phase("filling", _("filling"), runs=True, pace=Pace(6.0, "share", least=1.0))
FILLED = Phase("filled", _("filled"))
FLOWING = Phase("flowing", _("flowing"), runs=True, pace=Pace(10.0, "share"))
RESTED = Phase("rested", _("at rest"), ends=True)

POURED = (
    EMPTY,
    replace(FILLING, label=_("pouring")),
    FILLED,
    replace(FLOWING, label=_("heap forming")),
    RESTED,
)
"""Phases of a heap that is poured, in space or of clumps."""
RELEASED = EMPTY, replace(FLOWING, label=_("running"), pace=Pace(20.0, "direction")), RESTED
"""Phases of spheres or bodies that are released once and move for a given duration. What happens takes a part of it
that the direction of the scene knows: its speed is that of a film too, until the film becomes long."""


Words = Mapping[str, Callable[[Experiment], Message]]
"""The state of an experiment in words, by the name of the phase."""


def phase_in_words(
    experiment: Experiment, words: Words, share: float | None = None
) -> tuple[str, Message, float | None]:
    """`Scene.course.describe`: the phase, its words or else its label, and the completed share [-] or None."""
    own = words.get(experiment.phase)
    return experiment.phase, own(experiment) if own else experiment.present_phase.label, share


@dataclass
class PhaseState:
    """State of every scene: its phase."""

    phase: str = "empty"
    """Name of the phase, one of `Scene.course.phases`."""
    since: float = 0.0
    """Time at which the phase began [s]."""
    quiet_since: float = 0.0
    """Latest time at which the mean speed was not below the settle speed, or a grain left [s]; also written by the rule
    of rest (`repose.sim.experiment.rest`)."""
    still_since: float = 0.0
    """Latest time at which a grain moved [s]; written by the rule of rest."""
    waits_cut_short: int = 0
    """How many waits for rest have ended although grains still moved (`repose.sim.scenes.common.settling`)."""


def enter(experiment: Experiment, phase: str) -> None:
    """Begin another phase."""
    experiment.run.state.phase, experiment.run.state.since = phase, experiment.time


def rests(experiment: Experiment) -> bool:
    """Whether the grains are at rest by the rule of rest; times before the phase, or its last layer, do not count."""
    return rest.rests(experiment, experiment.run.state.since)
