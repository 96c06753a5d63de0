"""The pictures of a film: the first ones, properties of all, the last ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from repose.app.render.director import CARD, FADE, REST, STILL, Director, FilmStyle, film_colour, room_below_result
from repose.app.render.film_words import film_words
from repose.app.render.framing import picture_room
from repose.app.render.pacing import pace
from repose.app.storage.view_settings import View
from repose.app.window.picture import PictureMaker
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.headless import run_experiment
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import plain
from repose.sim.registry import scenes
from repose.sim.scenes.common.phases import FILLING, FLOWING, RESTED

from tests.app.fake_heap import fake_heap
from tests.english import english
from tests.snapshots import with_fields

SIZE = (640, 360)
FPS = 10.0


class Shots:
    """Draws nothing and keeps what was asked for."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def read(self, snapshot: Snapshot, view: View, size: Any, camera: Any, **more: Any) -> Any:
        self.asked.append({"snapshot": snapshot, "view": view, "camera": camera, **more})
        return np.full((size[1], size[0], 3), len(self.asked), np.uint8)


@pytest.fixture
def shots() -> Shots:
    return Shots()


def pictures(director: Director, *snapshots: Snapshot) -> list[Any]:
    made = [picture for snapshot in snapshots for picture in director.take(snapshot)]
    return [*made, *director.ending()]


def test_a_film_begins_with_a_fading_title_card_and_ends_with_a_still(shots: Shots) -> None:
    made = pictures(Director(shots.read, FilmStyle(SIZE, FPS, View(), speed=0.5)), fake_heap())
    rest = round(REST * FPS)
    assert len(made) == round(CARD * FPS) + 1 + rest + round(STILL * FPS)
    opacity = [shot["film"].card for shot in shots.asked]
    assert opacity[0] == 1.0
    fading = opacity[1 : round(FADE * FPS)]
    assert all(a > b for a, b in zip([1.0, *fading], fading))
    assert set(opacity[-rest - 1 :]) == {0.0}
    assert {shot["film"].speed for shot in shots.asked[:-rest]} == {0.5}
    assert all(np.array_equal(picture, made[-1]) for picture in made[-round(STILL * FPS) :])


def test_a_film_that_ends_while_grains_flow_holds_a_still_that_shows_every_grain(shots: Shots) -> None:
    heap = with_fields(fake_heap(measured=False), phase=FLOWING)
    moving = np.flatnonzero(~heap.grains.fixed)
    director = Director(shots.read, FilmStyle(SIZE, FPS, View(), speed=1.0))
    for k in range(4):  # the column runs out to the right, the foremost grains beyond the box of the scene
        position = heap.grains.position.copy()
        position[moving, 0] *= 1.0 + 0.2 * k
        position[moving[:3], 0] = 0.022 + 0.003 * k + 0.001 * np.arange(3)
        newest = with_fields(heap, position=position, time=heap.run.time + 0.1 * k)
        list(director.take(newest))
    assert newest.grains.position[:, 0].max() > heap.geometry.box[1][0]
    held = list(director.ending())[-round(STILL * FPS) :]
    assert all(np.array_equal(picture, held[-1]) for picture in held)
    camera = shots.asked[-1]["camera"]
    pixels = camera.world_to_pixel(newest.grains.position[moving], SIZE)
    radius = newest.grains.radius[moving, None] / camera.resolution(SIZE)
    assert (pixels - radius >= 0.0).all()
    assert (pixels + radius <= SIZE).all()


def test_a_film_without_words_has_one_picture_for_each_snapshot(shots: Shots) -> None:
    made = pictures(Director(shots.read, FilmStyle(SIZE, FPS, View(), words=False)), fake_heap(), fake_heap())
    assert len(made) == 2
    assert all(shot["film"] is None and shot["plain"] for shot in shots.asked)


def test_a_film_shows_layers_from_the_first_to_the_last_picture(shots: Shots) -> None:
    heap = fake_heap(measured=False)
    early = with_fields(
        heap, phase=FILLING, progress=0.25, columns=heap.grains.columns | {"layer": heap.grains.columns["layer"] // 4}
    )
    late = with_fields(heap, phase=FILLING, progress=1.0)
    pictures(Director(shots.read, FilmStyle(SIZE, FPS, View(), speed=1.0)), early, late)
    assert {shot["view"].colour_by for shot in shots.asked} == {"layer"}


def test_a_film_uses_the_view_settings_of_the_user(shots: Shots) -> None:
    view = View(colour_by="speed")
    director = Director(shots.read, FilmStyle(SIZE, FPS, view, speed=1.0))
    list(director.take(fake_heap()))
    view.shown = {"force_chains": True}
    list(director.take(fake_heap()))
    assert shots.asked[0]["view"].colour_by == "speed"
    assert shots.asked[-1]["view"].shown == {"force_chains": True, "caption": True}
    assert film_colour("size", fake_heap()) == "size"


def test_the_parameters_on_the_card_are_those_of_the_lecture_and_those_that_differ(shots: Shots) -> None:
    parameters = scenes()["heap"].parameters.checked({"friction": 0.3, "wall_stiffness_factor": 3.0})
    pictures(
        Director(shots.read, FilmStyle(SIZE, FPS, View())), with_fields(fake_heap(), parameters=parameters, seed=7)
    )
    words = shots.asked[0]["film"]
    assert words.title == scenes()["heap"].title  # no preset's
    assert "μ = 0.3" in english(words.parameters)
    assert "k_w/k_n = 3" in english(words.parameters)
    assert "seed 7" in str(words.origin)
    assert len(words.parameters) <= 5


def test_the_title_of_a_film_is_that_of_the_preset(shots: Shots) -> None:
    pictures(Director(shots.read, FilmStyle(SIZE, FPS, View(), title=plain("Moon"))), fake_heap())
    assert {str(shot["film"].title) for shot in shots.asked} == {"Moon"}


class Filmed:
    """A small heap, run and filmed: every picture as it is, and the same without its words."""

    def __init__(self, maker: PictureMaker) -> None:
        self.pictures: list[Any] = []
        self.phases: list[str] = []
        self.cards: list[float] = []
        self.plain: dict[int, Any] = {}
        self.last: dict[str, Any] = {}
        self.ending: list[Any] = []
        self._maker = maker

    def read(self, snapshot: Snapshot, view: View, size: Any, camera: Any, **more: Any) -> Any:
        picture = self._maker.read(snapshot, view, size, camera, **more)
        self.last = {"snapshot": replace(snapshot), "camera": camera}
        self.phases.append(snapshot.run.phase.name)
        self.cards.append(more["film"].card)
        self.plain[len(self.pictures)] = lambda: self._maker.read(replace(snapshot), view, size, camera, plain=True)
        if len(self.pictures) == 0:
            self.plain[0] = self.plain[0]()
        self.pictures.append(picture)
        return picture


@pytest.fixture(scope="module")
def filmed(picture_maker: PictureMaker) -> Filmed:
    made = Filmed(picture_maker)
    director = Director(made.read, FilmStyle(SIZE, FPS, View()))
    kept: list[Snapshot] = []

    def take(snapshot: Snapshot) -> float:
        kept.append(replace(snapshot))
        for _ in director.take(kept[-1]):
            pass
        return director.interval

    run_experiment(new_experiment("heap", scenes()["heap"].test_values), on_frame=take, at_phases=True)
    made.ending = list(director.ending())
    return made


@pytest.mark.gl
def test_the_first_pictures_show_only_the_title_card(filmed: Filmed) -> None:
    first = filmed.pictures[0].astype(int)
    background = first[0, 0]
    written = np.abs(first - background).max(axis=2) > 60
    assert 0.003 < written.mean() < 0.2
    rows = np.flatnonzero(written.any(axis=1))
    assert SIZE[1] * 0.1 < rows.min() < rows.max() < SIZE[1] * 0.9
    assert not (np.abs(filmed.plain[0].astype(int) - background).max(axis=2) > 60)[: round(SIZE[1] * 0.4)].any()


@pytest.mark.gl
def test_at_the_end_grains_fill_a_good_part_of_the_picture(filmed: Filmed) -> None:
    snapshot, camera = filmed.last["snapshot"], filmed.last["camera"]
    assert snapshot.run.phase.name == "rested"
    moving = ~snapshot.grains.fixed
    pixels = camera.world_to_pixel(snapshot.grains.position[moving], SIZE)
    radius = snapshot.grains.radius[moving, None] / camera.resolution(SIZE)
    low, high = (pixels - radius).min(axis=0), (pixels + radius).max(axis=0)
    assert (low >= 0.0).all()
    assert (high <= SIZE).all()
    result = film_words(snapshot, 1.0, ending=True).result
    assert len(result) == 1, "the answer"
    _, above, _, below = room_below_result(picture_room(SIZE, 1.0), result, SIZE, View(), snapshot)
    assert max((high[0] - low[0]) / SIZE[0], (high[1] - low[1]) / (SIZE[1] - above - below)) > 0.7
    assert high[1] > 0.8 * SIZE[1]
    plain = filmed.plain[len(filmed.pictures) - 1]()
    y, x = np.rint(pixels[:, 1]).astype(int), np.rint(pixels[:, 0]).astype(int)
    lit = np.abs(plain.astype(int) - plain[0, -1]).max(axis=2) > 30
    assert lit[y, x].all()
    area = float(np.pi * (radius**2).sum()) / (SIZE[0] * SIZE[1])
    assert area > 0.05
    assert lit.mean() > 0.9 * area


@pytest.mark.gl
def test_the_angle_is_drawn_on_the_last_pictures(filmed: Filmed) -> None:
    last = filmed.pictures[-1].astype(int)
    drawn = np.abs(last - filmed.plain[len(filmed.pictures) - 1]().astype(int)).max(axis=2) > 100
    heap = filmed.last["camera"].world_to_pixel([(0.0, 0.0), (0.02, 0.02)], SIZE)
    above = drawn[round(SIZE[1] * 0.25) : round(heap[0, 1]), round(heap[0, 0]) : round(heap[1, 0])]
    assert above.mean() > 0.01
    still = round(STILL * FPS)
    assert len(filmed.ending) == still + round(REST * FPS)
    assert all(np.array_equal(picture, last) for picture in filmed.ending[-still:])


@pytest.mark.gl
def test_filling_takes_less_than_two_thirds_of_the_film(filmed: Filmed) -> None:
    run = [phase for phase, card in zip(filmed.phases, filmed.cards, strict=True) if card == 0.0]
    assert run.count("filling") / len(run) < 0.4
    assert run.count("flowing") / len(run) > 0.3
    assert run.count("rested") >= round(REST * FPS)


@pytest.mark.gl
def test_a_grain_has_the_same_colour_in_an_early_and_a_late_picture(picture_maker: PictureMaker) -> None:
    heap = fake_heap(measured=False)
    early = with_fields(heap, phase=FILLING, progress=0.6, layers=15)
    late = with_fields(
        early, phase=RESTED, progress=None, columns=heap.grains.columns | {"layer": heap.grains.columns["layer"] + 0}
    )
    late.grains.columns["layer"][-1] = 14.0
    colours, grain = [], len(heap.grains.radius) // 2
    seen: list[Any] = []

    def read(*shot: Any, **more: Any) -> Any:
        picture = picture_maker.read(*shot, **more)
        x, y = shot[3].world_to_pixel(shot[0].grains.position[grain], SIZE)
        seen.append((picture[round(float(y)), round(float(x))], more["film"].card))
        return picture

    director = Director(read, FilmStyle(SIZE, FPS, View(), speed=1.0))
    for snapshot in (early, late):
        list(director.take(snapshot))
        colours.append(seen[-1][0].astype(int))
    assert seen[-1][1] == 0.0
    assert np.abs(colours[0] - colours[1]).max() <= 2


def test_pacing_and_director_agree_on_the_speed(shots: Shots) -> None:
    director, pacing = Director(shots.read, FilmStyle(SIZE, FPS, View())), None
    heap = with_fields(fake_heap(), scene="heap", phase=FLOWING)
    for k in range(120):
        snapshot = with_fields(heap, time=0.01 * k)
        list(director.take(snapshot))
        pacing = pace(pacing, snapshot, 0.0 if k == 0 else 1.0 / FPS)
        assert director.speed == pacing.speed
        assert director.interval == pacing.speed / FPS
