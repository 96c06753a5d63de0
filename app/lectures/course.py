"""The course of a step: its actions one after another, each once the one before has come to its end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from repose.app.lectures.lecture_file import Step
from repose.sim.experiment.snapshot import Snapshot

RUN_ALL = "run"
"""The action that does all others of the scene."""
UNDER_WAY = ("filling", "flowing", "tilting", "sliding", "trickling")
"""Phases that end by themselves: no action continues the experiment, even where the share done is not known."""


def goes_on(shot: Snapshot) -> bool:
    """Whether the experiment goes on by itself."""
    return shot.progress is not None or shot.phase in UNDER_WAY


def _runs(shot: Snapshot) -> Sequence[Snapshot]:
    return shot, *shot.beside


@dataclass
class Course:
    """What is still to be done in a step."""

    step: Step
    left: list[str] = field(default_factory=list)
    """Actions not yet done, the next one first."""
    carried: int = 0
    """How many of them are those of earlier steps, which are done as fast as possible."""
    ended: set[int] = field(default_factory=set)
    """Numbers of the experiments side by side that have come to the end of the step."""

    @classmethod
    def of(cls, step: Step, carried: Iterable[str] = ()) -> Course:
        """The course of a step that begins while these actions of earlier steps are still to be done."""
        before = [*carried]
        return cls(step, [*before, *step.actions], len(before))

    def due(self, shot: Snapshot) -> str:
        """Name of the action that is to be done now; empty while there is none to do, or an experiment goes on."""
        action = self.left[0] if self.left else ""
        possible = any(offered.name == action and offered.enabled for offered in shot.actions)
        # Asked for before the next phase, the whole experiment does each of its actions at the same step in every run.
        waits = action != RUN_ALL and any(map(goes_on, _runs(shot)))
        return action if possible and not waits else ""

    def did(self) -> None:
        """Record that the action that was due is done."""
        del self.left[0]
        self.carried = max(self.carried - 1, 0)

    def is_over(self, shot: Snapshot) -> bool:
        """Whether nothing is left to do, and every experiment has reached the phase of the step's end."""
        if self.left:
            return False
        runs = _runs(shot)
        self.ended |= {number for number, run in enumerate(runs) if self._ends(run)}
        return len(self.ended) == len(runs)

    def _ends(self, shot: Snapshot) -> bool:
        if self.step.until:
            return shot.phase == self.step.until
        # A change of parameters may set grains in motion before the phase tells it.
        return not goes_on(shot) and (shot.at_rest or not self.step.values)
