"""A run and its results in a notebook: a picture, tables, no text as HTML, tables of pandas if it is there."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree

import pytest
from repose.sim import ParameterError, Simulation
from repose.sim.experiment import notebook_view
from repose.sim.experiment.notebook_view import RunResults
from repose.sim.experiment.snapshot import Fault
from repose.sim.message import plain

from tests.small_worlds import use_plain_engine

EVIL = "<script>alert('1')</script>&"


@pytest.fixture(scope="module")
def simulation():
    with pytest.MonkeyPatch.context() as patch:
        use_plain_engine(patch)
        run = Simulation("heap", {"grain_count": 8, "width": 0.01, "friction": 0.3}, seed=5)
        run.act("run")
        run.step(60)
        yield run


def test_a_run_shows_its_picture_its_readings_and_its_parameters(simulation: Simulation) -> None:
    shown = simulation._repr_html_()
    page = ElementTree.fromstring(shown)  # every element is closed and every text escaped
    circles = [entry for entry in page.iter() if entry.tag.endswith("circle")]
    assert len(circles) == simulation.world.sphere_count
    cells = ["".join(cell.itertext()) for cell in page.iter("td")]
    friction = next(k for k, cell in enumerate(cells) if cell.startswith("friction"))
    assert cells[friction + 1] == "0.3"
    first = next(page.iter("details")).find(".//strong")
    assert first is not None, "what differs from the defaults comes first"


def test_no_text_of_a_run_is_html(simulation: Simulation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation.experiment, "fault", Fault(plain(EVIL)))
    assert EVIL not in simulation._repr_html_()
    assert "&lt;script&gt;" in simulation._repr_html_()
    assert EVIL not in RunResults({EVIL: EVIL})._repr_html_()


def test_a_large_run_is_not_drawn(simulation: Simulation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook_view, "MOST_DRAWN", 3)
    shown = simulation._repr_html_()
    assert "<svg" not in shown
    assert "are not drawn here" in shown


def test_results_are_a_table_and_stay_what_json_has(simulation: Simulation) -> None:
    results = simulation.results()
    assert isinstance(results, dict)
    page = ElementTree.fromstring(results._repr_html_())
    cells = ["".join(cell.itertext()) for cell in page.iter("td")]
    assert cells[cells.index("steps") + 1] == "60"
    assert "energy.damping" in cells


def test_samples_and_results_are_tables_of_pandas(simulation: Simulation) -> None:
    pytest.importorskip("pandas")
    frame = simulation.to_frame()
    assert list(frame.index) == list(simulation.series("time").time)
    assert list(frame["kinetic_energy"]) == list(simulation.series("kinetic_energy").values)
    assert frame.attrs["units"]["kinetic_energy"] == "J"
    single = simulation.series("kinetic_energy").to_frame()
    assert list(single["values"]) == list(frame["kinetic_energy"])
    assert simulation.results().to_frame()["energy.damping"][0] == simulation.energy().damping


def test_without_pandas_a_table_is_refused_in_a_sentence(
    simulation: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    for table in (simulation.to_frame, simulation.series("kinetic_energy").to_frame, simulation.results().to_frame):
        with pytest.raises(ParameterError, match="pip install pandas"):
            table()
