"""Positions of the widgets and state of the run, for programs that drive the window from outside."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from imgui_bundle import imgui
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import in_english


@dataclass
class UiProbe:
    """Rectangles of the widgets of this frame, written as JSON beside the state when a file is given."""

    path: Path | None = None
    widgets: dict[str, tuple[float, float, float, float]] = field(default_factory=dict)
    """Left, top, right, bottom [px of the window], by name."""
    _frame: int = 0

    def mark(self, name: str) -> None:
        """Record the rectangle of the widget just drawn, if it is visible."""
        if self.path is not None and imgui.is_item_visible():
            low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
            self.widgets[name] = (low.x, low.y, high.x, high.y)

    def mark_area(self, name: str, area: tuple[float, float, float, float]) -> None:
        """Record an area that is not a widget, such as a notice."""
        if self.path is not None:
            self.widgets[name] = area

    def report(self, snapshot: Snapshot, size: tuple[int, int], **extra: Any) -> None:
        """Write the file, and start a new list of widgets."""
        if self.path is None:
            return
        self._frame += 1
        state = {"frame": self._frame, "size": size, "widgets": self.widgets, "state": describe(snapshot)} | extra
        draft = self.path.with_suffix(".new")  # a reader never sees half a report
        with suppress(OSError):  # the next report follows at once
            draft.write_text(json.dumps(in_english(state)), encoding="utf-8")
            draft.replace(self.path)
        self.widgets = {}


def describe(snapshot: Snapshot) -> dict[str, Any]:
    """The numbers and messages of a snapshot without its arrays."""
    measurement = snapshot.results.slope
    return {
        "scene": snapshot.run.scene,
        "seed": snapshot.run.seed,
        "step": snapshot.run.step,
        "time": snapshot.run.time,
        "dt": snapshot.run.dt,
        "at": snapshot.history.at,
        "phase": snapshot.run.phase.name,
        "doing": snapshot.run.phase_label,
        "moving_count": snapshot.grains.moving_count,
        "mean_speed": snapshot.results.mean_speed,
        "enabled": [action.name for action in snapshot.run.actions if action.enabled],
        "parameters": dict(snapshot.run.parameters.values),
        "angle": measurement.angle if measurement is not None else None,
        "measured": snapshot.results.measured,
        "outcomes": {entry.name: entry.holds for entry in snapshot.results.outcomes},
        "refusal": snapshot.messages.refusal,
        "fault": snapshot.messages.fault.message if snapshot.messages.fault is not None else "",
        "threads": snapshot.engine.threads_asked or snapshot.engine.threads_wanted,
        "threads_crowded": snapshot.engine.threads_crowded,
        "paused": snapshot.engine.paused,
        "pull": vars(snapshot.hand.pull) if snapshot.hand.pull is not None else None,
        "push": vars(snapshot.hand.push) if snapshot.hand.push is not None else None,
        "shaking": snapshot.hand.shaking is not None,
        "facets": len(snapshot.geometry.facets),
        "compiling": snapshot.engine.compiling,
    }
