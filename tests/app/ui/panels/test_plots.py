"""Plots: which there are, what they show of the run, and how much of its time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import implot
from repose.app.ui.panels import plots
from repose.sim.measure.measurement import Measurement

from tests.app.ui.panels.stage import Stage, full_snapshot, open_stage


def test_plots_show_the_last_seconds_when_asked_to(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = []
    plain = implot.setup_axes_limits
    monkeypatch.setattr(implot, "setup_axes_limits", lambda *given: (limits.append(given[:4]), plain(*given)))
    stage.frame()
    assert limits[-1][:2] == (0.0, 2.0)
    stage.click("plots.span")
    stage.click("plots.span.1.0")
    assert limits[-1][:2] == (1.0, 2.0)
    # The mean speed of that second is exp(-4 t): what came before has no part in the upright axis.
    assert limits[-1][3] == pytest.approx(2.0 * np.exp(-4.0), rel=0.03)
    assert stage.ui.settings.choices.plot_span == 1.0


def test_tabs_of_what_is_not_measured_yet_are_left_out(tmp_path: Path) -> None:
    bare = full_snapshot()
    assert bare.comparison is not None
    laws = tuple(line for line in bare.comparison.lines if not line.points)
    bare.comparison = replace(bare.comparison, lines=laws)
    bare.position = np.zeros((len(bare.position), 3), np.float32)
    bare.series["angle"] = np.full(len(bare.series["time"]), np.nan)
    with open_stage(tmp_path, bare) as stage:
        assert "plots.motion" in stage.widgets
        assert not {"plots.comparison", "plots.angle"} & stage.widgets.keys()
    with open_stage(tmp_path, full_snapshot()) as stage:
        assert {"plots.comparison", "plots.angle"} <= stage.widgets.keys()


def test_every_plot_draws(stage: Stage) -> None:
    for name in ("angle", "contacts", "packing", "ledger", "comparison", "motion"):
        stage.click(f"plots.{name}")
        assert stage.ui.broken == {}


def test_what_the_scene_does_not_have_is_not_plotted(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(plots, "_draw_entry", lambda ui, entry, *rest: shown.append(entry.name))
    stage.click("plots.ledger")
    assert {"energy.translational", "energy.rotational"} <= set(shown)
    nothing = np.full(400, np.nan)
    missing = {"energy.rotational": nothing, "packing_fraction": nothing, "pressure": nothing}
    stage.ui.snapshot.series |= missing
    stage.frame(2)
    shown.clear()
    stage.frame(2)
    assert "energy.translational" in shown
    assert "energy.rotational" not in shown
    assert "plots.packing" not in stage.widgets
    assert stage.ui.broken == {}


def test_six_tabs_fit_the_column_at_larger_text_sizes(stage: Stage) -> None:
    left, right = stage.widgets["stability.gauge"][0], stage.widgets["stability.gauge"][2]
    tabs = [box for name, box in stage.widgets.items() if name.startswith("plots.") and name != "plots.span"]
    assert len(tabs) == 6
    assert min(box[0] for box in tabs) >= left
    assert max(box[2] for box in tabs) - left < 0.85 * (right - left)


def test_a_new_measurement_is_plotted_with_no_other_edit(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    plain = plots.draw_over_time
    monkeypatch.setattr(plots, "draw_over_time", lambda ui, label, *rest, **how: drawn.append(label))
    assert "plots.other" not in stage.widgets
    snapshot = stage.ui.snapshot
    added = Measurement("mean_overlap", "mean overlap", "δ", "µm", lambda system: 1e-6, scale=1e-6)
    snapshot.measurements = (*snapshot.measurements, added)
    snapshot.series["mean_overlap"] = np.full(len(snapshot.series["time"]), 2e-6)
    stage.frame(2)
    stage.click("plots.other")
    assert drawn[-1] == "mean overlap δ [µm]"
    monkeypatch.setattr(plots, "draw_over_time", plain)
    stage.frame(2)
    assert stage.ui.broken == {}
