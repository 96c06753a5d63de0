"""Record: a video of the run on the simulation's clock, so that the video is smooth on a slow machine too."""

from __future__ import annotations

from pathlib import Path

import pygame
from imgui_bundle import imgui
from repose.app.language import decimal_sign, translated
from repose.app.render.pacing import describe_speed
from repose.app.render.text import draw_text, note
from repose.app.render.theme import colour32
from repose.app.storage.film import FORMATS, FRAME_RATES, SIZES, SPEEDS
from repose.app.storage.recorder import names_of
from repose.app.ui.keys import Key
from repose.app.ui.panels import Panel
from repose.app.ui.toasts import show_toast
from repose.app.ui.ui import Ui
from repose.app.ui.whole_film import ONE_RUN
from repose.app.ui.widgets import button, checkbox, choose, row, tooltip
from repose.sim.message import Message, Number, _, joined, plain, plural

SLOWER = _("Films while the run goes on, which waits for every picture; 'Film the whole run' does not slow it down.")


def draw(ui: Ui) -> None:
    """Draw the buttons, which stay visible, then file, size, frames per second and speed, which scroll if needed."""
    film = ui.work.film
    label, emphasis = (_("End the recording"), ui.palette.bad) if film.running else (_("Record"), None)
    half = (imgui.get_content_region_avail().x - imgui.get_style().item_spacing.x) / 2
    free = film.running or not film.finishing
    if button(ui, "record.button", label, hint="V", emphasis=emphasis, enabled=free, width=half, help=SLOWER):
        start_or_stop(ui)
    imgui.same_line()
    if button(
        ui,
        "record.picture",
        _("Picture"),
        hint=_("Ctrl+P"),
        width=half,
        help=_("As PNG of the size below, and grains and forces as SVG, with seed, version and parameters inside."),
    ):
        ui.control.actions["save_picture"]()
    _draw_whole_film(ui)
    imgui.begin_disabled(film.running)
    _draw_choices(ui)
    imgui.end_disabled()
    if film.running:
        row(
            _("Filmed"),
            plural(
                "{count} frame, {seconds} s",
                "{count} frames, {seconds} s",
                count=film.frames,
                seconds=Number(film.seconds, format=".1f"),
            ),
            ui,
            ui.palette.bad,
        )
    elif film.finishing:
        note(_("Completing the file…"), ui.palette.muted)
    elif film.path is not None and film.frames:
        row(
            _("Last film"),
            plural(
                "{count} frame, {seconds} s",
                "{count} frames, {seconds} s",
                count=film.frames,
                seconds=Number(film.seconds, format=".1f"),
            ),
            ui,
        )
    if film.path is not None:
        row(_("File"), names_of(Path(film.path.name), [Path(part.name) for part in film.parts]), ui)
        tooltip(ui, joined(list(map(str, film.parts or (film.path,))), "\n"))
    if film.trouble:
        note(film.trouble, ui.palette.bad)


def _draw_whole_film(ui: Ui) -> None:
    """The button that films the run from its beginning, or ends this film, and its progress."""
    whole = ui.work.whole_film
    label = _("End this film") if whole.running else _("Film the whole run")
    several = bool(ui.beside.runs)
    help = (
        ONE_RUN
        if several
        else _(
            "From its beginning to now, computed again by another process: the run in the window does not wait for "
            "pictures, as it does while it is recorded. The camera follows the grains."
        )
    )
    if button(
        ui, "record.whole", label, hint=_("Ctrl+Shift+V"), enabled=not several or whole.running, help=help, width=-1.0
    ):
        film_whole_run(ui)
    if whole.share is not None:
        imgui.progress_bar(whole.share, imgui.ImVec2(-1.0, 0.0))
        ui.probe.mark("record.progress")


def film_whole_run(ui: Ui) -> None:
    """Film the run from its beginning, or end this film."""
    whole, scene = ui.work.whole_film, ui.snapshot.run.scene
    if whole.running:
        whole.stop()
        show_toast(ui, _("The film of the whole run is ended before it is complete."))
    elif ui.beside.runs:
        show_toast(ui, ONE_RUN, bad=True)
    else:
        whole.start(scene, ui.work.preset_library.title(scene), ui.view)


def draw_indicator(ui: Ui, width: float) -> None:
    """Red dot, length and file of the recording in progress, whatever tab is open; a click ends it."""
    film, size = ui.work.film, imgui.ImVec2(width, imgui.get_frame_height())
    if not (film.running or film.finishing):
        imgui.dummy(size)
        return
    imgui.invisible_button("##recording", size)
    ui.probe.mark("record.indicator")
    if film.running and imgui.is_item_clicked():
        film.stop()
    low, draw = imgui.get_item_rect_min(), imgui.get_window_draw_list()
    radius, pad = 5.0 * ui.window.scale, imgui.get_style().frame_padding
    draw.add_circle_filled(
        imgui.ImVec2(low.x + 2 * radius, low.y + size.y / 2),
        radius,
        colour32(ui.palette.bad if film.running else ui.palette.muted),
    )
    tooltip(
        ui,
        Message(
            "{value} {path}\nClick, or key V, ends the recording.",
            value=_("Recording") if film.running else _("Completing"),
            path=str(film.path),
        ),
    )
    length = Number(film.seconds, "s", ".1f").written(decimal_sign())
    text = f"{length}  {film.path.name if film.path else ''}"
    draw.push_clip_rect(low, imgui.ImVec2(low.x + size.x, low.y + size.y), True)
    draw_text(low.x + 4 * radius, low.y + pad.y, text, ui.palette.text)
    draw.pop_clip_rect()


def _draw_choices(ui: Ui) -> None:
    film = ui.work.film
    imgui.align_text_to_frame_padding()
    imgui.text_disabled(translated(_("File")))
    imgui.same_line()
    suffix = imgui.calc_text_size(film.format).x + imgui.get_style().item_inner_spacing.x
    imgui.set_next_item_width(imgui.get_content_region_avail().x - suffix)
    __, film.name = imgui.input_text_with_hint("##name", ui.snapshot.run.scene, film.name)
    ui.probe.mark("record.name")
    tooltip(ui, Message("Written to {folder}; a name already taken gets a number.", folder=str(film.folder)))
    imgui.same_line(0.0, imgui.get_style().item_inner_spacing.x)
    imgui.text_disabled(film.format)
    film.format = choose(ui, "record.format", _("Format"), FORMATS, film.format) or film.format
    sizes = {f"{w}x{h}": plain(f"{w} × {h}") for w, h in SIZES}
    size = choose(ui, "record.size", _("Size"), sizes, f"{film.size[0]}x{film.size[1]}")
    if size is not None:
        width, height = size.split("x")
        film.size = int(width), int(height)
    rate = choose(
        ui, "record.fps", _("Frames"), {str(r): Message("{r} per second", r=r) for r in FRAME_RATES}, str(film.fps)
    )
    if rate is not None:
        film.fps = int(rate)
    speeds = {"None": _("by phase"), **{str(s): describe_speed(s) for s in SPEEDS}}
    speed = choose(ui, "record.speed", _("Speed"), speeds, str(film.speed))
    if speed is not None:
        film.speed = None if speed == "None" else float(speed)
    tooltip(
        ui,
        _(
            "By phase: filling takes at most 6 s, the collapse is in slow motion. The speed is always written on the "
            "picture."
        ),
    )
    film.words = checkbox(
        ui,
        "record.words",
        _("Title, clock, parameters"),
        film.words,
        _("Adds a title card, clock, parameters and legend to the film, and the result for two seconds at the end."),
    )
    if film.format == ".mp4":
        film.sound = checkbox(
            ui,
            "record.sound",
            _("Sound of impacts"),
            film.sound,
            _("Impacts as clicks in the film, the louder the more energy contacts dissipate."),
        )


def start_or_stop(ui: Ui) -> None:
    """Start a recording, or end the one in progress; while the file of the last one is completed, say so."""
    film = ui.work.film
    if film.running:
        film.stop()
    elif film.finishing:
        name = film.path.name if film.path is not None else ""
        show_toast(ui, Message("The file of the last film is still being completed: {name}.", name=name))
    else:
        film.start(ui.snapshot.run.scene)


KEYS = (
    Key("record", plain("V"), _("start or end a video"), _("Picture"), start_or_stop, characters="vV"),
    Key(
        "film_whole_run",
        _("Ctrl+Shift+V"),
        _("film the run from its beginning"),
        _("Picture"),
        film_whole_run,
        codes=(pygame.K_v,),
        ctrl=True,
        shift=True,
    ),
)
PANEL = Panel("record", _("Record"), 40, "tools", draw, keys=KEYS)
