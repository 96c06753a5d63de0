"""Start of a session: preset, window size and position of the last session, frame loop."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from repose.app.audience.interfaces import read_place
from repose.app.language import language_for, use_language
from repose.app.lectures.lecture_file import Lecture
from repose.app.progress import print_line
from repose.app.signals import INTERRUPTED
from repose.app.stopping import Stop, stoppable
from repose.app.storage.photo_files import read_photo
from repose.app.storage.settings import Settings, load_settings
from repose.app.thread_option import asked_threads
from repose.app.ui import phones as phones_of_audience
from repose.app.ui.lecture_mode import offer
from repose.app.ui.panels.photo import FITTING_PRESETS, open_photo
from repose.app.window.application import FILM_TIME, Application
from repose.app.window.sdl import on_lost_display
from repose.app.window.window import Window, open_window
from repose.sim.io import presets
from repose.sim.message import Message
from repose.sim.parameters import ParameterError
from repose.sim.photo.heap_in_picture import measure_picture
from repose.sim.registry import scenes
from repose.sim.wording import described, message_of

log = logging.getLogger(__name__)

FAULT = 3
"""Exit code of a window that ended because of a program error."""
SMALLEST_START = (1280, 720)
"""Size of the window at the first start [screen points], unless the screen is smaller or much larger."""
START_SHARE = 0.8
"""Part of the screen's width and height the window takes at the first start."""


def run(
    preset: str = "",
    threads: str = "",
    side_by_side: Sequence[str] = (),
    saved: Path | None = None,
    language: str = "",
    lecture: Lecture | None = None,
    phones: str = "",
    photo: Path | None = None,
) -> int:
    """Open the window and run it until it is closed; returns the exit code.

    Ctrl-C and the signals that end programs close it too; then the run is kept and offered at the next start.
    `preset` is a name, a file or a code, by default the last preset; `saved` is the file of a run to open instead,
    `photo` a photograph to show beside a heap with as many flanks, `lecture` a lecture to offer,
    whose first experiment is shown until it starts: its engine is prepared, and no other one. `threads` is the typed
    number, by default the last choice.
    `language` is the code of a language, by default the last choice or that of the system.
    `phones` is where phones connect from the start, as typed; empty: they cannot before the user switches them on.
    `side_by_side` are typed values of the parameters that differ between experiments side by side.
    Raises `ParameterError` for a preset that cannot be used and `WindowError` if no window can be opened.
    """
    settings = load_settings()
    if language:
        settings.choices.language = language
    if trouble := use_language(settings.choices.language or system_language()):
        settings.trouble = trouble
    together = asked_threads(threads) if threads else settings.choices.threads or None
    name, chosen = _choose_preset(preset, settings) if lecture is None else first_of(lecture)
    if photo is not None:
        name, chosen = _beside_photo(photo, name, chosen)
    if side_by_side:
        chosen = presets.side_by_side(chosen, side_by_side)
    with stoppable() as stop:
        window = _open_window(settings)
        application = Application(window, settings, name, chosen, together)
        on_lost_display(partial(_leave_without_display, application))
        if saved is not None:
            application.ui.work.run_saver.open(str(saved))
        if photo is not None:
            open_photo(application.ui, str(photo))
        if lecture is not None:
            offer(application.ui, lecture)
        if phones:
            phones_of_audience.switch_on(application.ui, *read_place(phones))
        return _stay(application, stop)


def _stay(application: Application, stop: Stop) -> int:
    """Draw frames until the window is closed; only a clean end deletes the autosaved run.

    The end is clean if the user has closed the window, whether signals follow or not: a session that ends sends both.
    """
    try:
        try:
            stop.listening = True
            while not stop.requested and application.draw_frame():
                pass
            if not application.closed:
                application.listen()  # the user may have closed the window while the last frame was drawn
        finally:
            application.close(keep_run=not application.closed)
    except Exception as error:  # a program error must not lose the run
        log.exception("The window stopped.")
        print_line(f"The window ended because of a program error ({described(error)}); {_what_is_kept(application)}")
        return FAULT
    return 0 if application.closed else INTERRUPTED


def _leave_without_display(application: Application) -> int:
    """Save run, settings and film after the X server has ended, without closing anything that needs the server."""
    ui = application.ui
    with ExitStack() as ending:  # called from last to first, each also after an error of another
        ending.callback(lambda: print_line(f"The window ended because the X server did; {_what_is_kept(application)}"))
        ending.callback(ui.work.run_saver.end, not application.closed)
        ending.callback(application.settings.save)
        ending.callback(ui.work.film.wait, FILM_TIME)
        ending.callback(ui.work.run_saver.save_now)
        ending.callback(phones_of_audience.end, ui)
    return FAULT


def _what_is_kept(application: Application) -> str:
    """The end of a sentence about the saved run; call it after the run saver has ended."""
    if application.ui.work.run_saver.kept:
        return "its run was saved automatically and is offered at the next start."
    return "no run had been saved yet."


def _open_window(settings: Settings) -> Window:
    """The window with its last position and size, at first with a size that suits the screen."""
    choices = settings.choices
    width, height = choices.width, choices.height
    chosen = width is not None and height is not None
    position = None if choices.left is None or choices.top is None else (choices.left, choices.top)
    window = open_window("Repose", (width or SMALLEST_START[0], height or SMALLEST_START[1]))
    window.fit_screen(None if chosen else START_SHARE, position)
    return window


def _beside_photo(path: Path, name: str, chosen: presets.Preset) -> tuple[str, presets.Preset]:
    """The preset, or one whose heap has as many flanks as that in the photograph; a photograph without a heap, and a
    video, which takes longer to read, change nothing."""
    try:
        photo = read_photo(path)
        flanks = measure_picture(photo.pixels, step=photo.step).flank_count
    except ParameterError:
        return name, chosen  # the panel says why
    if scenes()[chosen.scene].course.flanks == flanks:
        return name, chosen
    return FITTING_PRESETS[flanks], presets.load(FITTING_PRESETS[flanks])


def system_language() -> str:
    """The preferred language of the system, if the window has this language; English otherwise."""
    from pygame.system import get_pref_locales

    return language_for([str(locale["language"]) for locale in get_pref_locales()])


def first_of(lecture: Lecture) -> tuple[str, presets.Preset]:
    """The experiment of the first step, with the name of its preset."""
    first = lecture.steps[0].preset
    assert first is not None  # the first step continues no other one
    return first.name, first


def _choose_preset(asked: str, settings: Settings) -> tuple[str, presets.Preset]:
    if asked:
        return asked, presets.load(asked)
    try:
        return settings.choices.preset, presets.load(settings.choices.preset)
    except ParameterError as error:
        settings.trouble = Message("The preset of the last session is not used: {error}", error=message_of(error))
        settings.choices.preset = presets.DEFAULT
        return presets.DEFAULT, presets.load(presets.DEFAULT)
