"""The course of a step: its actions in order, each after the end of the action before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from repose.app.lectures.lecture_file import Step
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import EMPTY, Message

RUN_ALL = "run"
"""The action that carries out all other actions of the scene."""


def goes_on(shot: Snapshot) -> bool:
    """Whether the experiment continues without an action; its fraction done can be unknown."""
    return shot.run.progress is not None or shot.run.phase.runs


def _runs(shot: Snapshot) -> Sequence[Snapshot]:
    return shot, *shot.beside


@dataclass
class LectureCourse:
    """Actions of a step that remain, and experiments that have reached its end."""

    step: Step
    left: list[str] = field(default_factory=list)
    """Actions not yet done, the next one first."""
    carried: int = 0
    """Number of these actions that belong to earlier steps; they are done as fast as possible."""
    ended: set[int] = field(default_factory=set)
    """Numbers of the experiments side by side that have come to the end of the step."""

    @classmethod
    def of(cls, step: Step, carried: Iterable[str] = ()) -> LectureCourse:
        """The course of a step that first does the actions `carried`, which earlier steps have left undone."""
        before = [*carried]
        return cls(step, [*before, *step.actions], len(before))

    def due(self, shot: Snapshot) -> str:
        """Name of the action to do now; empty if no action is left or possible, or while an experiment goes on."""
        action = self.left[0] if self.left else ""
        possible = any(offered.name == action and offered.enabled for offered in shot.run.actions)
        # `run` does not wait: begun before the next phase, it does each action at the same step in every run.
        waits = action != RUN_ALL and any(map(goes_on, _runs(shot)))
        return action if possible and not waits else ""

    def obstacle(self, shot: Snapshot) -> Message:
        """Why the next action is never due, in one sentence; empty if the action is due now or can still become due."""
        if not self.left or not shot.run.at_rest or any(map(goes_on, _runs(shot))) or self.due(shot):
            return EMPTY
        offered = ", ".join(action.name for action in shot.run.actions if action.enabled) or "none"
        return Message(
            "The step waits for the action {left}, which is not possible now; possible: {offered}. "
            "List the actions of the step in their order.",
            left=self.left[0],
            offered=offered,
        )

    def did(self) -> None:
        """Record that the due action is done."""
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
            return shot.run.phase.name == self.step.until
        # A change of parameters may set grains in motion before the phase changes.
        return not goes_on(shot) and (shot.run.at_rest or not self.step.values)
