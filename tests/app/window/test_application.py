"""The frame loop in an off-screen window: it draws during compiling, reacts to keys, films and ends."""

from __future__ import annotations

import ctypes
import math
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from repose.app.storage.paths import runs_folder
from repose.app.storage.settings import Settings
from repose.app.ui.places import ToolArea
from repose.app.ui.toasts import Toasts
from repose.sim.engine.world import World, copy_world
from repose.sim.experiment.experiment import Experiment
from repose.sim.io.presets import Preset
from repose.sim.registry import scenes

from tests.app.drawn_pictures import objects
from tests.snapshots import put

pytestmark = pytest.mark.gl

SMALL = Preset("small", "Small heap", "heap", 1, {"grain_count": 30, "width": 0.012})
MOST_FRAMES = 20_000
LECTURE = """
title = "One step"
[[step]]
title = "Another heap"
scene = "heap"
seed = 7
parameters = { grain_count = 30, width = 0.012 }
"""


@pytest.fixture
def application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    from repose.app.window.window import open_offscreen

    window = open_offscreen((640, 480))
    from repose.app.window import ahead
    from repose.app.window.application import Application

    monkeypatch.setattr(ahead, "CALM", math.inf)

    application = Application(window, Settings(tmp_path / "settings.toml"), "small", SMALL)
    application.ui.work.film.folder = tmp_path
    yield application
    application.close()


def until(application: Any, done: Callable[[], bool]) -> None:
    """Draw frames until something is true."""
    for _ in range(MOST_FRAMES):
        assert application.draw_frame()
        if done():
            return
    raise AssertionError("it did not happen")


def test_handles_of_instruments_are_drawn_where_the_picture_is_while_the_camera_glides(
    application: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from repose.app.render.renderer import Renderer
    from repose.app.ui.tools import place_instrument

    ui, seen, gliding = application.ui, list[tuple[str, Any]](), [False]
    until(application, lambda: ui.snapshot.run.parameters.values and not ui.snapshot.engine.compiling)
    drawn, glide = Renderer.draw, application.pictures.update

    def draw(self: Any, tiles: Any, *rest: Any, **options: Any) -> None:
        seen.append(("picture", tiles[0].camera))
        drawn(self, tiles, *rest, **options)

    def update(ui: Any, elapsed: float) -> None:
        glide(ui, elapsed)
        if gliding[0]:
            ui.states[ToolArea].corner = 1.0, 1.0  # as in a window in which the buttons of the tools have room
            ui.camera = replace(ui.camera, centre=(1e-3 * len(seen), ui.camera.centre[1]))

    monkeypatch.setattr(Renderer, "draw", draw)
    monkeypatch.setattr(application.pictures, "update", update)
    tool = replace(place_instrument.TOOL, on_picture=lambda ui: seen.append(("handles", ui.camera)))
    monkeypatch.setattr("repose.app.ui.panels.mouse.chosen_tool", lambda ui: tool)
    gliding[0] = True
    for _ in range(4):
        assert application.draw_frame()
    cameras = [camera for what, camera in seen if what == "handles"]
    assert len(cameras) >= 2
    assert len({camera.centre for camera in cameras}) == len(cameras), "the camera glides"
    for (before, of_picture), (what, of_handles) in pairwise(seen):
        if what == "handles":
            assert (before, of_picture) == ("picture", of_handles)


def press(key: str, unicode: str = "", mod: str = "NONE") -> None:
    import pygame

    held = getattr(pygame, f"KMOD_{mod}")
    pygame.event.post(
        pygame.event.Event(pygame.KEYDOWN, key=getattr(pygame, f"K_{key}"), unicode=unicode, mod=held, scancode=0)
    )


def test_the_window_draws_during_compiling_and_then_reacts_to_keys(application: Any) -> None:
    ui = application.ui
    assert application.draw_frame()
    until(application, lambda: ui.snapshot.run.parameters.values)
    press("f", "f")
    until(application, lambda: ui.snapshot.grains.moving_count > 0)
    press("p", "\x10", "CTRL")
    until(application, lambda: bool(ui.work.run_saver.message or ui.work.run_saver.trouble))
    assert str(ui.work.run_saver.message).startswith("Picture written to")
    with Image.open(runs_folder() / "heap-picture-1.png") as picture:
        assert picture.size == ui.work.film.size
        assert "seed: 1" in picture.text["Description"].splitlines()
    assert 'name="seed">1<' in (runs_folder() / "heap-picture-1.svg").read_text("utf-8")
    press("TAB", "\t")
    until(application, lambda: not ui.view.ui_visible)
    assert ui.window.inset == (0.0, 0.0, 0.0, 0.0)
    press("F1")
    until(application, lambda: ui.mode.help_open)
    assert ui.program.broken == {}


def test_a_run_that_is_opened_comes_from_no_preset(application: Any, tmp_path: Path) -> None:
    ui, kept = application.ui, tmp_path / "kept.repose"
    until(application, lambda: ui.snapshot.run.parameters.values)
    assert str(ui.work.preset_library.title("heap")) == "Small heap"
    ui.work.run_saver.save(str(kept))
    until(application, kept.exists)
    drop(kept)
    until(application, lambda: ui.work.preset_library.current == "")
    assert str(ui.work.preset_library.title("heap")) == str(scenes()["heap"].title)


class DropEvent(ctypes.Structure):
    """SDL's record of a file that is dropped."""

    _fields_ = (
        ("kind", ctypes.c_uint32),
        ("timestamp", ctypes.c_uint32),
        ("file", ctypes.c_void_p),
        ("window", ctypes.c_uint32),
        ("rest", ctypes.c_uint8 * 64),  # SDL copies as much as its largest event has
    )


def drop(path: Path) -> None:
    """What SDL does when a file is dropped on the window."""
    import pygame
    from repose.app.window import sdl

    library = sdl.library()
    library.SDL_strdup.restype = ctypes.c_void_p
    event = DropEvent(kind=pygame.DROPFILE, file=library.SDL_strdup(str(path).encode()))
    assert library.SDL_PushEvent(ctypes.byref(event)) == 1


def test_files_dropped_on_the_window_start_a_preset_and_become_a_body_or_are_refused(
    application: Any, tmp_path: Path
) -> None:
    from repose.app.ui.toasts import Toasts
    from repose.app.window import sdl

    if sdl.library() is None:
        pytest.skip("the SDL library of pygame was not found")
    ui, preset, mesh, bad = application.ui, tmp_path / "mine é.toml", tmp_path / "body.obj", tmp_path / "bad.toml"
    preset.write_text('title = "Mine"\nscene = "heap"\n[parameters]\ngrain_count = 31\nwidth = 0.012\n')
    bad.write_text('scene = "heap"\n[parameters]\ngrain_count = -1\n')
    mesh.write_text("v 0 0 0\n")
    until(application, lambda: ui.snapshot.run.parameters.values)

    def told() -> list[str]:
        return [str(toast.text) for toast in ui.states[Toasts].shown]

    for path, words in ((mesh, "clump workshop (W)"), (bad, "grain_count")):
        drop(path)
        until(application, lambda words=words: any(words in text for text in told()))
    assert ui.snapshot.run.parameters.values["grain_count"] == 30
    drop(preset)
    until(application, lambda: ui.snapshot.run.parameters.values["grain_count"] == 31)
    assert str(ui.work.preset_library.title("heap")) == "Mine"
    press("w", "w")
    until(application, lambda: ui.mode.overlay == "workshop")
    ui.work.workshop.stop()
    drop(mesh)
    until(application, lambda: ui.work.workshop.recipe.file == str(mesh))
    until(application, lambda: not ui.work.workshop.working)
    assert str(mesh) in str(ui.work.workshop.trouble)
    assert ui.program.broken == {}


def test_a_window_that_a_program_drives_compiles_nothing_ahead(application: Any, tmp_path: Path) -> None:
    asked: list[object] = []
    application._ahead.tick = asked.append
    assert application.draw_frame()
    assert len(asked) == 1
    application.ui.probe.path = tmp_path / "report.json"
    assert application.draw_frame()
    assert application.draw_frame()
    assert (len(asked), application.ui.probe.path.exists()) == (1, True)


def test_the_scene_at_rest_is_shown_while_the_engine_is_compiled_and_keys_wait(
    application: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ui, compiling, compiled = application.ui, threading.Event(), threading.Event()

    def slow(world: World) -> World:
        compiling.set()
        assert compiled.wait(60.0)
        return copy_world(world)

    monkeypatch.setattr("repose.sim.experiment.activation.is_compiled", lambda *_: compiling.is_set())
    monkeypatch.setattr("repose.sim.experiment.activation.copy_world", slow)
    press("f", "f")
    assert application.draw_frame()  # before there is a scene that knows this key
    assert not ui.snapshot.run.actions
    until(application, lambda: compiling.is_set() and ui.snapshot.serial > 0)
    assert ui.snapshot.engine.compiling
    assert ui.snapshot.grains.fixed.any()
    assert ui.snapshot.run.parameters.values
    application.draw_frame()
    assert any("as soon as" in str(toast.text) for toast in ui.states[Toasts].shown)
    assert ui.snapshot.grains.moving_count == 0
    compiled.set()
    until(application, lambda: not ui.snapshot.engine.compiling and ui.snapshot.grains.moving_count > 0)
    assert ui.snapshot.run.phase.name == "filling"


def test_name_picture_and_camera_of_a_chosen_scene_change_together_and_progress_is_shown_until_then(
    application: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pygame
    from repose.app.ui.panels.scenes import choose_preset
    from repose.sim.experiment import changes

    ui, gate, make = application.ui, threading.Event(), changes._made_world
    ui.probe.path, preset = tmp_path / "report.json", tmp_path / "next.toml"
    preset.write_text('title = "Next"\nscene = "heap"\nseed = 5\n[parameters]\ngrain_count = 31\nwidth = 0.012\n')
    until(application, lambda: ui.snapshot.run.parameters.values and not ui.snapshot.engine.compiling)
    pygame.event.post(pygame.event.Event(pygame.MOUSEMOTION, pos=(400.0, 200.0), rel=(0, 0), buttons=(0, 0, 0)))
    pygame.event.post(pygame.event.Event(pygame.MOUSEWHEEL, precise_x=0.0, precise_y=-20.0))
    application.draw_frame()
    zoomed = ui.camera.resolution(ui.window.size)

    def slowly(*arguments: Any) -> Any:
        assert gate.wait(60.0)
        return make(*arguments)

    monkeypatch.setattr(changes, "_made_world", slowly)
    choose_preset(ui, str(preset))
    application.draw_frame()
    told: list[str] = []
    monkeypatch.setattr(
        "repose.app.ui.panels.notices_over_picture._draw_awaited",
        lambda preset, ui: told.append(ui.work.preset_library.titles[preset]),
    )
    press("a", "a")  # for the scene that has been chosen
    assert not ui.control.edits.set({"friction": 0.3})
    assert "Next is being built" in str(ui.control.edits.refusals["friction"])
    until(application, lambda: bool(told))
    assert (str(ui.work.preset_library.title("heap")), ui.snapshot.run.seed, str(told[0])) == ("Small heap", 1, "Next")
    assert ui.camera.resolution(ui.window.size) == zoomed
    gate.set()
    seen: set[tuple[str, int, bool]] = set()

    def arrived() -> bool:
        seen.add(
            (
                str(ui.work.preset_library.title("heap")),
                ui.snapshot.run.seed,
                ui.camera.resolution(ui.window.size) < 0.5 * zoomed,
            )
        )
        return ui.snapshot.run.seed == 5

    until(application, arrived)
    assert seen <= {("Small heap", 1, False), ("Next", 5, True)}
    assert ui.snapshot.run.parameters.values["grain_count"] == 31
    assert ui.work.preset_library.awaited == []
    assert ui.control.edits.set({"friction": 0.3})
    until(application, lambda: ui.snapshot.run.phase.name == "filling")


def test_the_wheel_zooms_at_the_pointer_moved_in_the_same_frame(application: Any) -> None:
    import pygame

    ui = application.ui
    until(application, lambda: ui.snapshot.run.parameters.values)
    for at in ((300.0, 200.0), (360.0, 260.0)):
        before = ui.camera.pixel_to_world(at, ui.window.size)
        pygame.event.post(pygame.event.Event(pygame.MOUSEMOTION, pos=at, rel=(0, 0), buttons=(0, 0, 0)))
        pygame.event.post(pygame.event.Event(pygame.MOUSEWHEEL, precise_x=0.0, precise_y=2.0))
        application.draw_frame()
        assert ui.camera.pixel_to_world(at, ui.window.size) == pytest.approx(before, abs=1e-9)
        assert not application.pictures.all[0].control.follows_grains


def test_position_and_size_of_the_window_are_stored_but_not_those_of_full_screen(application: Any) -> None:
    import pygame

    choices = application.settings.choices
    pygame.event.post(pygame.event.Event(pygame.WINDOWMOVED, x=120, y=80))
    pygame.event.post(pygame.event.Event(pygame.WINDOWRESIZED, x=900, y=700))
    application.draw_frame()
    application.window.fullscreen = True
    pygame.event.post(pygame.event.Event(pygame.WINDOWMOVED, x=0, y=0))
    pygame.event.post(pygame.event.Event(pygame.WINDOWRESIZED, x=1920, y=1080))
    application.draw_frame()
    assert (choices.left, choices.top, choices.width, choices.height) == (120, 80, 900, 700)


def test_a_film_ends_with_the_window_and_has_all_its_frames(application: Any) -> None:
    import av

    ui = application.ui
    until(application, lambda: ui.snapshot.run.parameters.values)
    ui.work.film.size, ui.work.film.fps = (160, 90), 30
    press("v", "v")
    until(application, lambda: ui.work.film.frames >= 5)
    press("v", "v")
    until(application, lambda: not ui.work.film.running and not ui.work.film.finishing)
    with av.open(str(ui.work.film.path)) as container:
        assert sum(1 for _ in container.decode(video=0)) == ui.work.film.frames


def test_without_the_video_library_the_film_key_gives_a_message_and_pictures_can_be_recorded(
    application: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ui = application.ui
    until(application, lambda: ui.snapshot.run.parameters.values)
    monkeypatch.setitem(sys.modules, "av", None)
    ui.work.film.size, ui.work.film.fps = (160, 90), 30
    press("v", "v")
    until(application, lambda: bool(ui.work.film.trouble))
    assert "PyAV cannot be loaded" in str(ui.work.film.trouble)
    assert not ui.work.film.running
    ui.work.film.format = ".png"
    press("v", "v")
    until(application, lambda: ui.work.film.frames >= 3)
    press("v", "v")
    until(application, lambda: not ui.work.film.running and not ui.work.film.finishing)
    assert len(list(ui.work.film.path.glob("*.png"))) == ui.work.film.frames >= 3
    assert not ui.work.film.trouble


def test_the_run_before_a_lecture_is_not_drawn_behind_its_first_step(
    application: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from repose.app.render.renderer import Renderer
    from repose.app.ui.lecture_mode import open_lecture, wish

    ui, drawn, draw = application.ui, [], Renderer.draw
    until(application, lambda: ui.snapshot.run.seed == 1 and not ui.snapshot.engine.compiling)
    (tmp_path / "one.toml").write_text(LECTURE, encoding="utf-8")
    assert not open_lecture(ui, str(tmp_path / "one.toml"))

    def note(renderer: Renderer, tiles: Any, *arguments: Any, **more: Any) -> None:
        drawn.append((ui.mode.lecture.on, tiles[0].snapshot.run.seed))
        assert not tiles[0].snapshot.engine.compiling, "the engine of the heap is ready"
        draw(renderer, tiles, *arguments, **more)

    monkeypatch.setattr(Renderer, "draw", note)
    wish(ui, "begin")
    until(application, lambda: ui.mode.lecture.entered)
    wish(ui, "leave")
    until(application, lambda: not ui.mode.lecture.on and ui.mode.lecture.kept is None)
    assert {seed for on, seed in drawn if on} == {7}
    assert drawn[-1] == (False, 1)


def test_panels_stay_in_every_second_frame_where_frames_take_long_and_nobody_is_at_mouse_or_keyboard(
    application: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from repose.app.ui import layout
    from repose.app.window.application import ALL_DRAWN

    ui, drawn = application.ui, list[int]()
    until(application, lambda: not ui.snapshot.engine.compiling)
    monkeypatch.setattr(layout, "draw_panels", lambda ui: drawn.append(1))
    reported = list[int]()
    monkeypatch.setattr(type(ui.probe), "report", lambda *_, **__: reported.append(1))
    monkeypatch.setattr(application._pace, "wait", lambda most: 60.0)

    def panels_drawn(frames: int) -> int:
        drawn.clear()
        reported.clear()
        for _ in range(frames):
            assert application.draw_frame()
        assert len(reported) == len(drawn), "a report names the widgets of its frame"
        return len(drawn)

    press("ESCAPE")
    application._pace.is_limited = False
    assert panels_drawn(ALL_DRAWN + 20) == ALL_DRAWN + 20
    application._pace.is_limited = True
    assert panels_drawn(20) == 10
    press("ESCAPE")
    assert panels_drawn(ALL_DRAWN) == ALL_DRAWN
    assert panels_drawn(20) == 10
    changes: dict[str, Callable[[], object]] = {
        "none": lambda: None,
        "theme": lambda: setattr(application.settings.choices, "theme", "light"),
        "presentation": lambda: setattr(ui.mode, "presenting", True),
        "plot": lambda: setattr(ui.mode, "overlay", "large_plot"),
        "run": lambda: put(ui.snapshot, logs=ui.snapshot.history.logs + 1),
    }
    drawn_after = {}
    monkeypatch.setattr(application.physics, "latest", lambda: ui.snapshot)
    for name, change in changes.items():  # without an event, as at the end of a step of a lecture
        while application._kept:
            panels_drawn(1)
        change()
        drawn_after[name] = panels_drawn(1)
    assert drawn_after == {"none": 0, "theme": 1, "presentation": 1, "plot": 1, "run": 1}


def test_a_window_without_size_is_not_drawn(application: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(application.window), "size", property(lambda self: (0, 0)))
    for _ in range(3):
        assert application.draw_frame()


def test_a_request_to_quit_ends_the_loop(application: Any) -> None:
    import pygame

    pygame.event.post(pygame.event.Event(pygame.QUIT))
    assert not application.draw_frame()


def test_choices_are_stored_when_the_window_closes(application: Any, tmp_path: Path) -> None:
    press("c", "c")
    application.draw_frame()
    application.settings.save()
    assert 'colour_by = "speed"' in (tmp_path / "settings.toml").read_text(encoding="utf-8")


@pytest.mark.case("G06")
def test_a_shader_refused_by_the_driver_is_reported_and_the_experiment_continues(
    application: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import repose.app.render.renderer
    from repose.app.render.gpu import ShaderError

    ui = application.ui

    def refused(name: str) -> None:
        raise ShaderError(f"Shader {name}.glsl does not link: bad luck")

    with monkeypatch.context() as patch:
        patch.setattr(repose.app.render.renderer, "Program", refused)
        until(application, lambda: ui.snapshot.run.parameters.values)
        assert "bad luck" in ui.program.broken["picture"]
        press("f", "f")
        until(application, lambda: ui.snapshot.grains.moving_count > 0)
        ui.work.film.start()
        until(application, lambda: bool(ui.work.film.trouble))
        assert "picture cannot be drawn" in str(ui.work.film.trouble)
    del ui.program.broken["picture"]
    assert application.draw_frame()
    assert ui.program.broken == {}


@pytest.mark.case("G08", "G09", "R15")
@pytest.mark.parametrize("times", [8, pytest.param(100, marks=pytest.mark.slow)])
def test_a_window_of_any_size_and_often_without_one_films_whole_pictures_at_the_size_of_the_film(
    application: Any, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    import av

    ui, at = application.ui, (640, 480)
    monkeypatch.setattr(type(application.window), "size", property(lambda self: at))
    until(application, lambda: ui.snapshot.run.parameters.values)
    ui.work.film.size, ui.work.film.fps, ui.work.film.words = (160, 90), 30, False
    press("f", "f")
    press("v", "v")
    before = objects()
    for number in range(2 * times):
        at = (0, 0) if number % 2 else ((1, 1), (1, 5000), (17, 300), (640, 480))[number // 2 % 4]
        assert application.draw_frame()
    until(application, lambda: ui.work.film.frames >= 5)
    press("v", "v")
    until(application, lambda: not ui.work.film.running and not ui.work.film.finishing)
    at = (640, 480)
    application.draw_frame()
    assert (ui.program.broken, str(ui.work.film.trouble)) == ({}, "")
    with av.open(str(ui.work.film.path)) as container:
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
    assert len(frames) == ui.work.film.frames
    assert {frame.shape for frame in frames} == {(90, 160, 3)}
    assert min(frame.std() for frame in frames) > 5.0  # grains on a ground, no black picture
    after = objects(50 * times + 400)
    assert all(after[kind] - before[kind] <= 3 for kind in after), (before, after)  # those of the film, once


@pytest.mark.case("G15", "G17")
@pytest.mark.parametrize("loss", ["out of memory", "every object"])
def test_a_driver_without_memory_and_the_loss_of_all_objects_are_reported_and_another_try_draws_again(
    application: Any, loss: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import OpenGL.GL as gl
    from OpenGL.error import GLError
    from repose.app.render.gpu import Instances

    ui = application.ui
    until(application, lambda: ui.snapshot.run.parameters.values and application.renderer is not None)
    application.draw_frame()
    with monkeypatch.context() as patch:
        if loss == "every object":
            application.renderer.destroy()
        else:

            def refused(*_: object) -> None:
                raise GLError(gl.GL_OUT_OF_MEMORY, description=b"out of memory")

            patch.setattr(Instances, "draw", refused)
        until(application, lambda: "picture" in ui.program.broken)
    assert ui.program.broken["picture"]
    step = ui.snapshot.run.step
    press("f", "f")
    until(application, lambda: ui.snapshot.run.step > step)
    del ui.program.broken["picture"]
    application.draw_frame()
    assert ui.program.broken == {}


@pytest.mark.case("T08")
def test_a_physics_thread_that_failed_is_reported_and_replaced(
    application: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ui = application.ui
    until(application, lambda: ui.snapshot.run.parameters.values)
    ui.control.edits.set({"friction": 0.4})
    until(application, lambda: ui.snapshot.run.parameters.values["friction"] == 0.4)

    def broken(experiment: Experiment, steps: int, to_rest: bool) -> int:
        raise RuntimeError("a grain too many")

    with monkeypatch.context() as patch:
        patch.setattr("repose.sim.experiment.side_by_side.advance", broken)
        patch.setattr("traceback.print_exc", lambda: None)
        until(application, lambda: ui.program.dead)
        until(application, lambda: "a grain too many" in str(ui.snapshot.messages.latest))
    application.draw_frame()
    ui.control.actions["revive"]()
    until(
        application,
        lambda: not ui.program.dead and ui.snapshot.messages.fault is None and ui.snapshot.run.parameters.values,
    )
    assert ui.snapshot.run.parameters.values["friction"] == 0.4
    press("f", "f")
    until(application, lambda: ui.snapshot.grains.moving_count > 0)
    assert ui.program.broken == {}
