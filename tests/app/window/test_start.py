"""The start of a session: the window opens before slow parts begin."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pygame
import pytest
from PIL import Image
from repose.app.lectures.lecture_file import load
from repose.app.signals import INTERRUPTED, Interrupt
from repose.app.stopping import Stop
from repose.app.storage import autosave
from repose.app.storage.settings import Settings
from repose.app.window import start
from repose.sim.io import presets
from repose.sim.io.presets import Preset

from tests.rendered_heap import Camera, render, triangle

ROOT = Path(__file__).resolve().parents[3]
NOT_YET = {"scipy.linalg", "scipy.sparse", "scipy.spatial", "scipy.stats", "matplotlib", "av", "PIL"}
"""What films, plots and shapes need: loading any of them takes longer than drawing a frame."""

FIRST_FRAME = """
import json, sys
from repose.app.storage.settings import load_settings
from repose.app.window.start import _choose_preset
from repose.app.window.window import open_offscreen

settings = load_settings()
name, chosen = _choose_preset("", settings)
window = open_offscreen((640, 480))
from repose.app.window.application import Application
application = Application(window, settings, name, chosen)
begun = []
begin, application.physics.begin = application.physics.begin, lambda: begun.append(application.renderer is not None)
application.draw_frame()
ui = application.ui
print(json.dumps([begun, ui.program.broken, len(ui.work.preset_library.titles), sorted(sys.modules)]))
application.close()
"""


@pytest.mark.gl
def test_the_first_frame_is_drawn_before_physics_starts_and_without_slow_imports(tmp_path: Path) -> None:
    environment = os.environ | {name: str(tmp_path) for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
    done = subprocess.run(
        [sys.executable, "-c", FIRST_FRAME], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    begun, broken, titles, modules = json.loads(done.stdout.splitlines()[-1])
    assert begun == [True]  # begun once, with the picture drawn
    assert broken == {}
    assert titles > 10
    assert NOT_YET.isdisjoint(modules)


SMALL = Preset("small", "Small heap", "heap", 1, {"grain_count": 30, "width": 0.012})


@pytest.fixture
def application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A window off-screen whose run has saved itself once; the test ends it."""
    monkeypatch.setattr("repose.app.storage.paths.autosave_folder", lambda: tmp_path / "autosave")
    from repose.app.window.window import open_offscreen

    window = open_offscreen((320, 240))
    from repose.app.window.application import Application

    application = Application(window, Settings(tmp_path / "settings.toml"), "small", SMALL)
    while not application.ui.snapshot.run.parameters.values or application.ui.snapshot.engine.compiling:
        assert application.draw_frame()
    application.ui.work.run_saver.save_now()
    assert list(tmp_path.glob("autosave/*/run-*.repose"))
    return application


def close_window(application: Any, how: str = "window manager") -> None:
    """What SDL reports when the user closes the window."""
    chord = pygame.event.Event(pygame.KEYDOWN, key=pygame.K_q, unicode="q", mod=pygame.KMOD_CTRL, scancode=20)
    pygame.event.post(chord if how == "Ctrl+Q" else pygame.event.Event(pygame.QUIT))


def raising(error: BaseException) -> Callable[..., Any]:
    def fail(*_: object) -> Any:
        raise error

    return fail


def offered() -> bool:
    """Whether the next start finds a run that it can go on with."""
    position = autosave.left_behind()
    if position is None:
        return False
    found = position.newest()
    position.clear()
    return found is not None and found[0].log.scene == "heap"


@pytest.mark.gl
def test_a_clean_end_deletes_the_automatic_saves(application: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    close_window(application)
    assert start._stay(application, Stop()) == 0
    assert not offered()


@pytest.mark.gl
@pytest.mark.parametrize("how", ["window manager", "Ctrl+Q"])
@pytest.mark.parametrize("signals", ["none", "in the frame", "before the frame", "at the end", "at the end, impatient"])
def test_a_window_that_the_user_closes_ends_cleanly_also_if_signals_follow(
    application: Any, monkeypatch: pytest.MonkeyPatch, how: str, signals: str
) -> None:
    stop, frame, end = Stop(), application.draw_frame, application.ui.work.film.stop

    def asking(*_: object) -> None:
        stop.requested = True
        if signals.endswith("impatient"):
            raise Interrupt

    def last_frame() -> bool:
        if signals == "in the frame":  # the events of the frame have been read: the signal comes with the next ones
            monkeypatch.setattr(application, "draw_frame", frame)
            assert application.draw_frame()
            asking()
            close_window(application, how)
            return True
        return bool(frame())

    monkeypatch.setattr(application, "draw_frame", last_frame)
    if signals != "in the frame":
        close_window(application, how)
    if signals == "before the frame":
        asking()
    if signals.startswith("at the end"):
        monkeypatch.setattr(application.ui.work.film, "stop", lambda: (end(), asking()))
    if signals.endswith("impatient"):
        with pytest.raises(Interrupt):
            start._stay(application, stop)
    else:
        assert start._stay(application, stop) == 0
    assert application.window._handle is None
    assert not offered()


@pytest.mark.gl
def test_a_second_ctrl_q_changes_nothing(application: Any) -> None:
    for _ in range(2):
        close_window(application, "Ctrl+Q")
    assert start._stay(application, Stop()) == 0
    assert not offered()


@pytest.mark.gl
@pytest.mark.parametrize("when", ["in a frame", "in a frame and at the end", "at the end of a good session"])
def test_after_an_error_of_the_window_the_saved_run_is_offered_and_reported(
    application: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], when: str
) -> None:
    broken = raising(RuntimeError("no such\nwidget"))
    if "frame" in when:
        monkeypatch.setattr(application, "draw_frame", broken)
    else:
        close_window(application)
    if "end" in when:
        monkeypatch.setattr(application.gui, "close", broken)
    assert start._stay(application, Stop()) == start.FAULT
    assert "(RuntimeError: no such); its run was saved automatically and is offered" in capsys.readouterr().err
    assert application.window._handle is None  # what follows in the end is done all the same
    assert offered()


@pytest.mark.gl
def test_a_run_continues_when_the_settings_cannot_be_saved(application: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    close_window(application)
    monkeypatch.setattr(application.settings, "save", raising(MemoryError()))
    assert start._stay(application, Stop()) == start.FAULT
    assert offered()


@pytest.mark.gl
@pytest.mark.parametrize("impatient", [False, True])
def test_after_a_signal_the_saved_run_is_offered(
    application: Any, monkeypatch: pytest.MonkeyPatch, impatient: bool
) -> None:
    if impatient:
        monkeypatch.setattr(application, "draw_frame", raising(Interrupt()))
        with pytest.raises(Interrupt):
            start._stay(application, Stop())
    else:
        assert start._stay(application, Stop(requested=True)) == INTERRUPTED
    assert offered()


def test_a_window_for_a_lecture_begins_with_its_first_experiment_and_not_with_that_of_the_last_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[tuple[str, Preset]] = []

    class Begun(Exception):
        """The window would be made now."""

    def application(window: Any, settings: Settings, name: str, chosen: Preset, threads: int | None) -> None:
        begun.append((name, chosen))
        raise Begun

    settings = Settings(tmp_path / "settings.toml")
    settings.choices.preset = "drum"
    monkeypatch.setattr(start, "load_settings", lambda: settings)
    monkeypatch.setattr(start, "_open_window", lambda settings: None)
    monkeypatch.setattr(start, "Application", application)
    for lecture, scene in ((None, "drum"), (load("granular-flow"), "hourglass_glass")):
        with pytest.raises(Begun):
            start.run(lecture=lecture)
        assert begun[-1][1].scene == scene
    assert begun[-1] == ("hourglass-glass", load("granular-flow").steps[0].preset)
    assert settings.choices.preset == "drum"


def test_a_photograph_is_opened_beside_a_heap_with_as_many_flanks(tmp_path: Path) -> None:
    two, one = tmp_path / "two.png", tmp_path / "one.png"
    pixels = render(triangle(25.0), Camera(size=(480, 270)))
    Image.fromarray(pixels).save(two)
    Image.fromarray(pixels[:, 240:]).save(one)
    against_wall, from_point = presets.load("thesis-heap"), presets.load("two-sided")
    assert start._beside_photo(two, "thesis-heap", against_wall)[0] == "two-sided"
    assert start._beside_photo(one, "two-sided", from_point)[0] == presets.DEFAULT
    mine = replace(from_point, values={"grain_count": 120})
    assert start._beside_photo(two, "mine.toml", mine) == ("mine.toml", mine), "it has two flanks, its values stay"
    for name in ("heap.mp4", "missing.jpg"):
        assert start._beside_photo(tmp_path / name, "thesis-heap", against_wall) == ("thesis-heap", against_wall)
