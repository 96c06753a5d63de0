"""The course of a step: its actions one after another, each once the one before has come to its end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from repose.app.lectures.lecture_file import Step
from repose.sim.experiment.snapshot import Action

UNDER_WAY = ("filling", "flowing", "tilting", "sliding", "trickling")
"""Phases that end by themselves: no action continues the experiment, even where the share done is not known."""


def goes_on(phase: str, progress: float | None) -> bool:
    """Whether the experiment goes on by itself."""
    return progress is not None or phase in UNDER_WAY


@dataclass
class Course:
    """What is still to be done in a step."""

    step: Step
    left: list[str] = field(default_factory=list)
    """Actions not yet done, the next one first."""
    carried: int = 0
    """How many of them are those of earlier steps, which are done as fast as possible."""

    @classmethod
    def of(cls, step: Step, carried: Iterable[str] = ()) -> Course:
        """The course of a step that begins while these actions of earlier steps are still to be done."""
        before = [*carried]
        return cls(step, [*before, *step.actions], len(before))

    def due(self, actions: Iterable[Action], phase: str, progress: float | None) -> str:
        """Name of the action that is to be done now; empty while there is none to do."""
        possible = {action.name for action in actions if action.enabled}
        return self.left[0] if self.left and self.left[0] in possible and not goes_on(phase, progress) else ""

    def did(self) -> None:
        """Record that the action that was due is done."""
        del self.left[0]
        self.carried = max(self.carried - 1, 0)

    def is_over(self, phase: str, progress: float | None, at_rest: bool) -> bool:
        """Whether nothing is left to do, and the phase of the step's end is reached. `at_rest` says whether nothing
        moves: a change of parameters may set grains in motion before the phase tells it."""
        if self.left:
            return False
        if self.step.until:
            return phase == self.step.until
        return not goes_on(phase, progress) and (at_rest or not self.step.values)
