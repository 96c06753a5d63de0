"""A colour of grains is one file: a column of snapshots, a choice in menu, films and lectures, a legend, an export."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from repose.app.render.colours import COLOURINGS, Ranges, colouring_of
from repose.app.render.passes.legend import describe
from repose.app.ui.panels.view import colour_titles
from repose.sim import Material, Simulation, place_spheres, registry
from repose.sim.experiment.export_state import state_of
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.io.exported_state import grain_columns
from repose.sim.measure.colour_source import Grains, colour_values, sums_over_contacts

from tests.small_worlds import use_plain_engine

COLOUR = '''
"""Height above the lowest grain."""

from repose.sim.colours.colour import GrainColour

COLOUR = GrainColour("height", "height of the grain", "h", "m", lambda grains: grains.world.motion[2, 0], order=15)
'''


@pytest.fixture
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "height.py").write_text(COLOUR, encoding="utf-8")
    monkeypatch.setenv(registry.FOLDER, str(tmp_path))
    registry.forget_plugins()
    yield tmp_path
    monkeypatch.undo()
    registry.forget_plugins()


def fallen() -> Simulation:
    """Two spheres, one of which presses on the other."""
    glass = Material(young=1e7, poisson=0.25, density=2500.0, restitution=0.8, friction=0.4)
    simulation = place_spheres([[0.0, 0.0, 1e-3], [0.0, 0.0, 2.99e-3]], 1e-3, glass, gravity=0.0, dt=1e-6)
    simulation.step(1)
    return simulation


def test_a_colour_of_one_file_is_shown_everywhere(plugins: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not registry.troubles()
    use_plain_engine(monkeypatch)
    assert list(COLOURINGS)[:4] == ["automatic", "speed", "height", "force"]  # films, pictures and lectures ask it
    assert str(colour_titles()["height"]) == "height of the grain"
    simulation, snapshot = fallen(), Snapshot()
    take_snapshot(simulation.experiment, snapshot)
    assert snapshot.grains.columns["height"] == pytest.approx([1e-3, 2.99e-3], rel=1e-3)
    colouring = colouring_of("height", snapshot)
    span = Ranges().shown(colouring, snapshot, follows=False)
    assert span[1] == pytest.approx(2.99e-3, rel=0.05)
    assert str(describe(colouring, span)[0]) == "height of the grain  h  [mm]"
    columns = grain_columns(state_of(simulation.experiment))
    assert columns["height [m]"].tolist() == simulation.position[:, 2].tolist()


def test_without_the_file_the_choices_and_the_exported_columns_are_those_of_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_plain_engine(monkeypatch)
    shipped = ["speed", "force", "pressure", "coordination", "cluster", "size", "members", "layer"]
    assert list(COLOURINGS) == ["automatic", *shipped, "photoelastic", "sand", "clay", "plain"]
    assert list(colour_titles()) == list(COLOURINGS)
    names = list(grain_columns(state_of(fallen().experiment)))
    assert names[-4:] == ["radius [m]", "mass [kg]", "normal force [N]", "contacts"]


def test_sums_over_contacts_are_left_out_where_they_take_time(monkeypatch: pytest.MonkeyPatch) -> None:
    use_plain_engine(monkeypatch)
    world = fallen().world
    assert not colour_values(world)["force"].any()
    sums = sums_over_contacts(world)
    assert set(sums) == {"force", "pressure", "coordination", "cluster"}
    assert sums["coordination"].tolist() == [1.0, 1.0]
    assert sums["force"].dtype == np.float32
    assert (sums["pressure"] > 0.0).all()


@pytest.mark.parametrize("name", ["speed", "force", "pressure", "coordination", "cluster", "size", "members", "layer"])
def test_every_colour_has_a_number_for_each_sphere_and_a_range(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    use_plain_engine(monkeypatch)
    simulation, snapshot = fallen(), Snapshot()
    take_snapshot(simulation.experiment, snapshot)
    colour = registry.records("colours")[name]
    values = colour.values(Grains(simulation.world))
    assert values.shape == (2,)
    low, high = colour.span(values.astype(np.float32), snapshot)
    assert low < high
    assert colour.fixed((low, high), snapshot)[1] > low
    assert str(colour.legend)
    assert str(colour.title)
