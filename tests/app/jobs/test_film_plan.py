"""The switches of a film: known names only, and what the snapshots must contain for them."""

from __future__ import annotations

import pytest
from repose.app.jobs.film_plan import plan_film
from repose.app.jobs.requests import FilmRequest
from repose.app.render.passes import needs_forces
from repose.sim.parameters import ParameterError


def test_the_switches_named_are_on_in_film_and_picture() -> None:
    film = plan_film("film.mp4", FilmRequest(show=("rose", "displacement")))
    assert film.style.view.shown == {"rose": True, "displacement": True}
    assert needs_forces(film.style.view)
    plain = plan_film("film.mp4", FilmRequest())
    assert not needs_forces(plain.style.view)


def test_a_photoelastic_film_needs_the_forces_of_the_contacts() -> None:
    film = plan_film("film.mp4", FilmRequest(colour="photoelastic"))
    assert needs_forces(film.style.view)


def test_an_unknown_switch_is_refused_with_a_suggestion_also_without_a_film() -> None:
    with pytest.raises(ParameterError, match="Unknown switch 'roze': did you mean 'rose'"):
        FilmRequest(show=("roze",))


@pytest.mark.parametrize("name", ["film.gif", "film.webp", "shots/", "shots%05d.png"])
def test_sound_without_an_mp4_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="only an MP4 has sound"):
        plan_film(name, FilmRequest(sound=True))
    assert plan_film("film.mp4", FilmRequest(sound=True)).style.sound
    assert not plan_film("film.mp4", FilmRequest()).style.sound
