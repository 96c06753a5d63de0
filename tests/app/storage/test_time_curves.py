"""Plots of several runs have every run with its label; laws that all runs share exist once."""

from __future__ import annotations

import numpy as np
from repose.app.storage.time_curves import curves_of_runs, together
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.take_snapshot import sorted_measurements
from repose.sim.measure.display import Axis, Curve, Line
from repose.sim.message import plain

from tests.english import english
from tests.snapshots import snapshot_of


def run(label: str, end: float) -> Snapshot:
    series = {"time": np.linspace(0.0, end, 5), "kinetic_energy": np.full(5, end)}
    return snapshot_of(
        label=label,
        series=series,
        quantities=tuple(entry.sampled(2) for entry in sorted_measurements()),
        position=np.zeros((0, 2)),
    )


def test_a_plot_over_time_has_a_line_for_every_run_from_its_beginning_in_one_unit_of_time() -> None:
    (curve,) = curves_of_runs((run("μ = 0.1", 0.05), run("μ = 0.2", 0.5)), "motion")
    assert str(curve.x_label) == "simulated time t [s]"
    assert [str(line.label) for line in curve.lines] == ["μ = 0.1", "μ = 0.2"]
    assert [float(line.x[-1]) for line in curve.lines] == [0.05, 0.5]
    assert curves_of_runs((Snapshot(), Snapshot()), "motion") == ()


def test_points_of_every_run_keep_their_labels_and_a_common_law_exists_once() -> None:
    x = np.linspace(0.0, 1.0, 3)

    def plot(value: float) -> tuple[Curve, ...]:
        points = Line("measured", x, value * x, points=True)
        return (
            Curve(
                "force",
                plain("Force"),
                Axis(plain("x")),
                Axis(plain("y")),
                (points, Line("law", x, x), Line("fit", x, value * x, fitted=True)),
            ),
        )

    (both,) = together((snapshot_of(label="A"), snapshot_of(label="B")), (plot(2.0), plot(3.0)))
    assert english([line.label for line in both.lines]) == ["measured, A", "law", "fit, A", "measured, B", "fit, B"]
    assert [line.group for line in both.lines] == [0, 0, 0, 1, 1], "the colours of runs, and of their fits"
