"""The switches of a film: known names only, and what the snapshots must contain for them."""

from __future__ import annotations

import pytest
from repose.app.jobs.film_plan import plan_film
from repose.app.jobs.headless_plan import plan
from repose.app.render.passes import needs_forces
from repose.sim.parameters import ParameterError


def test_the_switches_named_are_on_in_film_and_picture() -> None:
    film = plan_film("film.mp4", (640, 360), None, show=("rose", "displacement"))
    assert film is not None
    assert film.view.shown == {"rose": True, "displacement": True}
    assert needs_forces(film.view)
    assert plan(scene="heap", show=("force_chains",)).shown == ("force_chains",)
    plain = plan_film("film.mp4", (640, 360), None)
    assert plain is not None
    assert not needs_forces(plain.view)


def test_a_photoelastic_film_needs_the_forces_of_the_contacts() -> None:
    film = plan_film("film.mp4", (640, 360), None, colour="photoelastic")
    assert film is not None
    assert needs_forces(film.view)


def test_an_unknown_switch_is_refused_with_a_suggestion_also_without_a_film() -> None:
    with pytest.raises(ParameterError, match="Unknown switch 'roze': did you mean 'rose'"):
        plan_film("", (640, 360), None, show=("roze",))
