"""The frame loop of the window: read events, take the newest snapshot, draw picture and panels, film.

Physics runs in a separate thread; neither thread waits for the other.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from repose.app.render.camera import Box, Camera2D, Size
from repose.app.render.colours import AUTOMATIC, COLOURINGS, DARK, LIGHT, shown_as
from repose.app.render.director import Director, FilmStyle
from repose.app.render.orbit import Camera, Camera3D
from repose.app.render.pacing import pacer
from repose.app.render.passes import needs_contacts, needs_forces
from repose.app.render.pictures_side_by_side import Together
from repose.app.render.still import still
from repose.app.signals import Interrupt, held
from repose.app.sound.speaker import Speaker
from repose.app.storage.film import Film
from repose.app.storage.run_saver import RunSaver
from repose.app.storage.settings import Settings
from repose.app.ui import directed, lecture_mode, phones, replay_control
from repose.app.ui.compared_photo import ComparedPhoto
from repose.app.ui.compared_video import ComparedVideo
from repose.app.ui.edits import Edits
from repose.app.ui.pause_and_speed import Transport
from repose.app.ui.photo_calibration import PhotoCalibration
from repose.app.ui.picture_areas import beside_results, insets, results_area, run_at
from repose.app.ui.places import free_of_actions, free_of_buttons, over_picture
from repose.app.ui.preset_library import PresetLibrary, being_built
from repose.app.ui.studies import Studies
from repose.app.ui.ui import Ui
from repose.app.ui.ui_probe import UiProbe
from repose.app.ui.undo import UndoHistory
from repose.app.window.ahead import Ahead
from repose.app.window.camera_control import CameraControl
from repose.app.window.cameras_side_by_side import Pictures
from repose.app.window.event_order import EventOrder
from repose.app.window.gestures import Gestures
from repose.app.window.notes_window import NotesWindow
from repose.app.window.pace import FramePace
from repose.app.window.physics import Physics
from repose.app.window.turning import Turning
from repose.app.window.window import Window
from repose.sim.experiment.preset_start import start_of
from repose.sim.io import presets
from repose.sim.message import _
from repose.sim.wording import described

if TYPE_CHECKING:
    import pygame
    from repose.app.render.renderer import Renderer
    from repose.app.ui.panels import Shown

log = logging.getLogger(__name__)

REPORT_VARIABLE = "REPOSE_REPORT"
"""Environment variable: path of a file for widgets and state, for programs that drive the window."""
STARTING_INTERVAL = 0.05
"""Wall time between two frames before the engine is ready [s]: loading the loops needs the interpreter, and
would take 1.5 times as long with pictures at full rate."""
PRESENTED = 1.6
"""Smallest text size of a presentation relative to the usual one [-]."""
ALL_DRAWN = 10
"""Frames after an event in which the panels are drawn: ImGui passes on what belongs to one event in several frames."""
SAVE_INTERVAL = 300
"""Frames between two checks whether settings must be saved."""
PICTURE = "picture"
"""Name of the picture in `Ui.program.broken`."""
PHYSICS_TIME, FILM_TIME = 1.0, 1.5
"""Wall time to wait for physics to stop and for a film to be completed after the window has closed [s]."""


class Application:
    """Window, physics thread, picture and panels of one session."""

    def __init__(
        self, window: Window, settings: Settings, preset_name: str, preset: presets.Preset, threads: int | None = None
    ) -> None:
        # Only now that a window is open may OpenGL be imported (see `repose.app.window.window`).
        with held():
            from imgui_bundle import implot
        from repose.app.render.imgui_backend import ImguiBackend
        from repose.app.render.textures import Textures
        from repose.app.window.actions import make_actions

        self.window, self.settings = window, settings
        self.gui = ImguiBackend()
        implot.create_context()
        self.renderer: Renderer | None = None
        self.pictures, self.turning, self.gestures = Pictures(), Turning(), Gestures()
        self.notes = NotesWindow(window)
        self.still_control = CameraControl()
        """Camera control of a picture that a panel shows instead of the run."""
        first, *others = preset.runs
        self.physics = Physics(
            first.scene, first.values, first.seed, first.ready, threads, first.direction, first.instruments
        )
        if others:
            self.physics.send(start_of(preset))
        self.ui = make_ui(self.physics, settings, self._direct)
        self.physics.holds = partial(replay_control.holds, self.ui)
        self.ui.control.edits.waits = partial(replay_control.defers, self.ui)
        self.ui.window.bold = self.gui.bold
        self.ui.work.preset_library.refresh()
        self.ui.work.preset_library.note(replace(preset.card, name=preset_name))
        self.textures = Textures()
        self.ui.window.texture = self.textures.texture
        self.ui.work.run_saver.take_picture = self.ui.work.preset_library.take_picture = self._take_picture
        self.ui.work.run_saver.take_photo = self.ui.states[ComparedPhoto].for_file
        self.ui.control.actions.update(make_actions(self.ui, self._control, window, self.physics, self._draw_still))
        self.ui.control.actions["quit"] = self._note_closed
        self.ui.control.actions["look_aside"] = partial(self.pictures.look_aside, self.ui)
        self.ui.control.actions["look_back"] = partial(self.pictures.look_back, self.ui)
        lecture_mode = self.ui.mode.lecture
        lecture_mode.suspend, lecture_mode.frame_box = self._set_pictures_aside, self._frame_box
        lecture_mode.turn_to = self._turn_to
        lecture_mode.resume = partial(self.pictures.resume, self.ui)
        if preset_name != settings.choices.preset:
            settings.choices.view.colour_by = AUTOMATIC  # the colours of the last session belong to its scene
        self.physics.set_speed(self.ui.control.transport.speed)
        self.ui.work.run_saver.begin()
        self._theme: object = None
        self._pointer = (0.0, 0.0)
        self._frames = self._since_event = 0
        self._kept = False
        """Whether the last frame showed the panels of the one before."""
        self._drawn: object = None
        """What the place of panels and picture depends on, in the last frame."""
        self._ahead = Ahead()
        self._clock = time.perf_counter()
        self._waiting: list[pygame.Event] = []
        """Letters pressed before the first picture of the scene."""
        self._order = EventOrder()
        self.closed = False
        """Whether the user has closed the window: with Ctrl+Q, or by the window manager."""
        self._pace = FramePace(window.vsync)

    def draw_frame(self) -> bool:
        """Draw one frame; returns False when the window must close."""
        ui, size = self.ui, self.window.size
        self.listen()
        if self.closed:
            return False
        self.physics.show_contacts(needs_contacts(ui.view))
        self.physics.show_forces(needs_forces(ui.view))
        newest = self.physics.latest()
        if ui.work.preset_library.see(newest):
            self.pictures.begin(ui)
        self.pictures.see(ui, newest)
        self.physics.chosen = ui.beside.chosen
        ui.program.dead = self.physics.dead
        ui.control.edits.see(ui.snapshot)
        ui.control.edits.busy = being_built(ui.work.preset_library)
        ui.events.see(ui.snapshot, ui.control.edits)
        lecture_mode.see(ui)
        directed.see(ui)
        replay_control.follow(ui, time.perf_counter())
        phones.see(ui)
        self.notes.see(ui)
        if not ui.states[replay_control.Replay].on:  # a copy at an earlier step would lack what came after it
            ui.work.run_saver.tick()
        ui.work.recent_runs.see(ui.work.run_saver)
        if ui.work.run_saver.opened:
            ui.work.run_saver.opened, ui.mode.overlay = False, ""
            ui.control.edits.forget()
            ui.work.preset_library.expect()
            if ui.work.run_saver.photo:
                ui.states[ComparedPhoto].restore(ui.work.run_saver.photo)
                ui.work.run_saver.photo = b""
        if min(size) > 0:
            ui.window.size = size
            self._fit(size)
            if self._keeps_panels(size):
                self._draw_picture(size, texts=False)
                self.gui.draw_again()
            else:
                self.gui.begin_frame(size, ui.window.scale)
                self._draw_panels()
                elapsed = self._elapsed()
                if self.gestures.tool is None:  # a camera that moves would move the pointer over the grains
                    self.pictures.update(ui, elapsed)
                self.turning.update(ui)
                self.gestures.update(ui, covered=self._shown() is not None)
                self._draw_picture(size)
                self.gui.end_frame()
                self.gui.update_cursor()
            phones.give_picture(ui, self._read_window)
            self.window.swap()
        if not ui.work.run_saver.opening:
            self.physics.begin()  # after the first frame, because loading or compiling the loops takes seconds
        ui.states[Speaker].hear(newest, ui.settings.choices.sound)
        ui.work.film.pump()
        ui.work.whole_film.tick()
        ui.work.page.tick()
        if not self._kept:
            self._report()
        self._frames += 1
        if self._frames % SAVE_INTERVAL == 0:
            self.settings.save()
        if ui.probe.path is None:  # a program that drives the window, such as a test, decides what is compiled
            self._ahead.tick(ui)
        if ui.snapshot.serial == 0 or ui.snapshot.engine.compiling:
            time.sleep(STARTING_INTERVAL)
        ui.window.fps = self._pace.wait(self.ui.settings.choices.frame_rate)
        return True

    def _keeps_panels(self, size: Size) -> bool:
        """Whether this frame shows the panels, texts and camera of the last one with new grains: every second frame,
        where a frame takes too much processor time, while nobody uses mouse or keyboard."""
        from imgui_bundle import imgui

        self._since_event += 1
        idle = self._since_event > ALL_DRAWN and not imgui.is_any_mouse_down() and self.gestures.tool is None
        ui = self.ui
        # A new run, a step of a lecture or a plate can begin without an event: old panels and camera do not fit it.
        layout = (size, ui.window.inset, ui.window.band, ui.window.scale, ui.palette, ui.mode.overlay)
        drawn = (layout, ui.snapshot.run.scene, ui.snapshot.history.logs, len(ui.beside.runs))
        same = drawn == self._drawn and self._shown() is None and not self.window.resized
        self._kept = idle and same and self._pace.is_limited and not self._kept
        self._drawn = drawn
        return self._kept

    def listen(self) -> None:
        """Pass the events since the last call to keys, panels and camera; note whether the user closes the window."""
        self._listen(self._order.due(self.window.poll(), self.gui.io.want_capture_mouse))

    def close(self, keep_run: bool = False) -> None:
        """End film, window and physics; an unfinished film is completed if that is quick.

        With `keep_run` the run is saved and offered at the next start. If one step of closing fails, the run is kept
        too, the other steps are done, and then the error is raised. A signal ends the present step only.
        """
        from repose.app.ui.file_dialog import dismiss

        ui = self.ui
        with ExitStack() as ending:  # called from last to first
            ending.push(lambda kind, *_: self._end_saves(keep_run or kind not in (None, Interrupt)))
            ending.callback(self.settings.save)
            ending.callback(ui.work.film.wait, FILM_TIME)
            ending.callback(self._stop_physics)
            ending.callback(self._ahead.stop)
            ending.callback(self._close_window)
            ending.callback(dismiss, ui)
            ending.callback(ui.work.repeats.runs.end)
            ending.callback(phones.end, ui)
            ending.callback(ui.states[Speaker].close)
            ending.callback(ui.work.studies.runs.end)
            ending.callback(ui.states[PhotoCalibration].runs.end)
            ending.callback(ui.states[ComparedVideo].stop)
            ending.callback(ui.work.workshop.end)
            ending.callback(ui.work.whole_film.stop)
            ending.callback(ui.work.page.stop)
            if keep_run:
                ending.callback(ui.work.run_saver.save_now)
            ending.callback(ui.work.run_saver.wait)
            ending.callback(replay_control.end_now, ui)  # what was asked for in a replay waits for its end
            ending.callback(ui.work.film.stop)

    def _end_saves(self, keep: bool) -> None:
        with held():  # half of the saves would be offered as a run that ended unexpectedly
            self.ui.work.run_saver.end(keep)

    def _close_window(self) -> None:
        from imgui_bundle import imgui, implot

        with ExitStack() as ending:
            ending.callback(self.window.close)
            ending.callback(self.notes.close)
            imgui.set_current_context(self.gui.context)
            ending.callback(self.gui.close)
            ending.callback(implot.destroy_context)
            self.textures.destroy()
            if self.renderer is not None:
                self.renderer.destroy()

    def _stop_physics(self) -> None:
        # Compiling cannot be interrupted; such a thread ends with the program.
        physics = threading.Thread(target=self.physics.stop, daemon=True)
        physics.start()
        physics.join(PHYSICS_TIME)

    def _report(self) -> None:
        from repose.app.ui.toasts import Toasts
        from repose.app.ui.tools import chosen_tool

        ui, film = self.ui, self.ui.work.film
        ui.probe.report(
            ui.snapshot,
            ui.window.size,
            side_by_side=[
                {"label": shot.run.label, "time": shot.run.time, "step": shot.run.step} for shot in ui.beside.runs
            ],
            chosen=ui.beside.chosen,
            fps=ui.window.fps,
            help=ui.mode.help_open,
            inset=ui.window.inset,
            scale=ui.window.scale,
            events=[(event.at, event.kind, event.text) for event in ui.events.shown],
            toasts=[toast.text for toast in ui.states[Toasts].shown],
            speed=ui.control.transport.speed,
            colour_by=ui.view.colour_by,
            tool=chosen_tool(ui).name,
            selected=ui.view.selected,
            highest_grain=self._highest_grain() if ui.probe.path is not None else None,
            cut=ui.view.cut_axis,
            turned=self.turning.angle,
            direction=(ui.camera.azimuth, ui.camera.elevation) if isinstance(ui.camera, Camera3D) else None,
            metres_per_pixel=ui.camera.resolution(ui.window.size),
            refusals=ui.control.edits.refusals,
            workshop=ui.work.workshop.described(),
            lecture=self._lecture(),
            audience=phones.described(ui),
            film={"running": film.running or film.finishing, "frames": film.frames, "path": str(film.path or "")},
            broken=ui.program.broken,
        )

    def _lecture(self) -> dict[str, Any]:
        mode = self.ui.mode.lecture
        return {
            "opened": mode.lecture.name if mode.lecture is not None else "",
            "on": mode.on,
            "step": mode.number + 1,
            "entered": mode.entered,
            "left": mode.course.left if mode.course is not None else [],
            "over": mode.over,
            "kept": mode.kept is not None,
        }

    def _highest_grain(self) -> list[float] | None:
        """Position of the highest movable grain in the window [px]; None if no grain can move."""
        snapshot = self.ui.snapshot
        rows = np.flatnonzero(np.isfinite(snapshot.grains.mass))
        if not rows.size:
            return None
        position = snapshot.grains.position[rows[snapshot.grains.position[rows, -1].argmax()]]
        pixel: list[float] = self.ui.camera.world_to_pixel(position, self.ui.window.size).tolist()
        return pixel

    def _read_window(self) -> tuple[int, int, bytes]:
        """Width, height and pixels of the picture that is about to be shown, the lowest row first."""
        import OpenGL.GL as gl

        width, height = self.window.size
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        return width, height, bytes(gl.glReadPixels(0, 0, width, height, gl.GL_RGB, gl.GL_UNSIGNED_BYTE))

    def _note_closed(self) -> None:
        self.closed = True

    def _listen(self, events: list[pygame.Event]) -> None:
        """Pass events to keys, panels and camera, until one of them closes the window."""
        if events:
            self._since_event = 0
        import pygame
        from repose.app.ui.dropped_files import take_dropped
        from repose.app.ui.keys import dispatch, find_key, is_escape, is_letter, scene_keys
        from repose.app.ui.panels import all_keys, edits_shown, with_edits
        from repose.app.ui.toasts import show_toast
        from repose.app.ui.tools import chosen_tool

        keys = (*scene_keys(self.ui.snapshot), *all_keys())
        if self.ui.snapshot.serial and not self.ui.work.preset_library.awaited:
            events, self._waiting = [*self._waiting, *events], []
        else:  # the keys of a scene are known only after its start
            known = all_keys()
            unknown = [
                event for event in events if is_letter(event) and find_key(known, event.key, event.unicode, 0) is None
            ]
            self._waiting += unknown
            events = [event for event in events if event not in unknown]
        for event in events:
            if self.notes.takes(event):
                continue
            if event.type in (pygame.QUIT, pygame.WINDOWCLOSE):
                self.closed = True
            if self.closed:
                return
            if event.type in (pygame.WINDOWRESIZED, pygame.WINDOWMOVED):
                self._remember_place(event)
            if event.type == pygame.DROPFILE:
                with with_edits(self.ui, edits_shown(self.ui)):
                    refusal = take_dropped(self.ui, event.file)
                if refusal:
                    show_toast(self.ui, refusal, bad=True)
            # Wheel events carry no position: use the last position of the mouse, which ImGui has one frame later.
            self._pointer = event.dict.get("pos", self._pointer)
            # ImGui does not get keys that were used here: Tab would move its focus into a text field.
            # The arrow keys act in a panel while the panel has the keyboard.
            own = () if self.gui.io.nav_visible else chosen_tool(self.ui).keys
            with with_edits(self.ui, edits_shown(self.ui)):
                used = dispatch(event, (*own, *keys), self.ui, self.gui.io.want_text_input)
            if not used or is_escape(event):
                self.gui.process_event(event)
                self._move_camera(event, not self.gui.io.want_capture_mouse)

    def _set_pictures_aside(self) -> object:
        self.pictures.now.camera = self.ui.camera
        return self.pictures.suspend(self.ui)

    def _frame_box(self, box: Box | None) -> None:
        for picture in self.pictures.all:
            picture.control.frame_box(box)

    def _turn_to(self, look: str) -> None:
        for picture in self.pictures.all:
            picture.control.turn_to(look)

    def _control(self) -> CameraControl:
        """Camera control of the shown picture."""
        return self.pictures.now.control if self._shown() is None else self.still_control

    def _shown(self) -> Shown | None:
        """The picture that a panel shows instead of the run; None if there is none."""
        from repose.app.ui.panels import instead

        panel = instead(self.ui)
        return panel.picture(self.ui) if panel is not None else None

    def _move_camera(self, event: pygame.event.Event, free: bool) -> None:
        """Pass an event to the camera of the shown picture; `free` is False if the pointer is on a panel."""
        import pygame

        shown = self._shown()
        if shown is None and free and event.type == pygame.MOUSEBUTTONDOWN:
            self.pictures.choose(self.ui, run_at(self.ui, *self._pointer))
            self.physics.chosen = self.ui.beside.chosen
        if shown is not None:
            self.still_control.handle(event, shown.camera, self.window.size, self._pointer, free)
        elif not (self.turning.handle(event, self.ui, free) or self.gestures.handle(event, self.ui, free)):
            self.pictures.now.control.handle(event, self.ui.camera, self.window.size, self._pointer, free)

    def _fit(self, size: Size) -> None:
        """Set scale, colours and the area of the picture from window and settings."""
        from repose.app.render.theme import apply, interface_scale
        from repose.app.ui.layout import fit
        from repose.app.ui.panels.presentation import LETTERS

        ui, palette, choices = self.ui, self.ui.palette, self.settings.choices
        ui.view.dark = palette.dark
        wanted = max(choices.font_scale, PRESENTED) if ui.mode.presenting else choices.font_scale
        ui.view.text_scale = wanted * palette.zoom
        ui.view.letters = LETTERS if ui.mode.presenting else 0.0
        ui.window.scale = interface_scale(size, self.window.content_scale, wanted, palette, ui.mode.presenting)
        fit(ui)
        if self._theme != (choices.theme, ui.window.scale):
            self._theme = choices.theme, ui.window.scale
            apply(palette, ui.window.scale)

    def _draw_panels(self) -> None:
        from imgui_bundle import imgui
        from repose.app.ui.layout import draw_panels

        free = not self.gui.io.want_capture_mouse and not self.gestures.takes_clicks(self.ui)
        if imgui.is_mouse_double_clicked(0) and free:
            self._control().follow_grains()
        draw_panels(self.ui)

    def _draw_picture(self, size: Size, texts: bool = True) -> None:
        """Draw the scene beside the panels, and nothing while a step of a lecture waits for its run; if that fails,
        physics and panels continue until the user tries again. Texts and marks are drawn with `texts` only."""
        import OpenGL.GL as gl
        from repose.app.render.passes import PlateColumn
        from repose.app.render.renderer import Renderer, Tile

        ui = self.ui
        if lecture_mode.awaits_run(ui):
            gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
            gl.glClearColor(*(DARK if ui.view.dark else LIGHT).background[:3], 1.0)
            gl.glClear(gl.GL_COLOR_BUFFER_BIT)
            return
        if PICTURE not in ui.program.broken:
            try:
                self.renderer = self.renderer or Renderer(self.gui)
                scale = ui.window.scale / ui.view.text_scale
                if shown := self._shown():
                    self.still_control.update_still(ui, shown.camera, shown.corners, shown.foot)
                    edges = free_of_buttons(ui)
                    tile = Tile(shown.snapshot, shown.camera, edges, ui.window.inset, PlateColumn(edges))
                    self.renderer.draw([tile], shown.view, size, scale, ui.palette.panel[:3], shown.ranges)
                else:
                    self._draw_runs(self.renderer, size, scale, texts)
                return
            except Exception as error:  # a driver can raise any error; the run must continue
                log.exception("The picture failed.")
                ui.program.broken[PICTURE] = described(error)
                self.renderer = None  # its OpenGL objects may be invalid
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT)

    def _draw_runs(self, renderer: Renderer, size: Size, scale: float, texts: bool) -> None:
        """Draw the picture of the run, or the pictures of the experiments side by side."""
        from repose.app.render.passes import PlateColumn
        from repose.app.render.renderer import Tile
        from repose.app.ui.panels.mouse import draw_on_picture

        ui, pictures, view = self.ui, self.pictures, self.ui.view
        tiles, edges, together = [], insets(ui) if ui.beside.runs else [ui.window.inset], bool(ui.beside.runs)
        around, has_band = free_of_actions(ui), ui.window.band > 0.0
        # The legend of pictures side by side is in one of them, beside the band.
        column = PlateColumn(around, has_band, below_legend=not (together and has_band))
        if together and beside_results(ui):
            column = PlateColumn((around[0], results_area(ui)[1], *around[2:]), in_band=True, below_legend=False)
        foot_is_free = around[3] > ui.window.inset[3]  # a panel beside the picture ends above the strip of actions
        over = (0.0, 0.0) if together else (ui.window.band, ui.window.beside * foot_is_free)
        for number, picture in enumerate(pictures.all):
            with pictures.of(ui, number):
                turned = self.turning.picture(ui.snapshot) if number == ui.beside.chosen else ui.snapshot
                plates = column if number == ui.beside.chosen else None
                snapshot = picture.control.picture(turned)
                free = free_of_buttons(ui)
                tiles.append(Tile(snapshot, ui.camera, free, edges[number], plates, *over, over_picture(ui)))
        if together:
            shown = shown_as(view.colour_by, ui.snapshot)  # the same quantity in all pictures, even if phases differ
            view = view.model_copy(update={"colour_by": shown}) if shown in COLOURINGS else view
        renderer.draw(tiles, view, size, scale, ui.palette.panel[:3], texts=texts)
        if texts:
            draw_on_picture(ui)

    def _elapsed(self) -> float:
        """Wall time since the last call [s]."""
        before, self._clock = self._clock, time.perf_counter()
        return self._clock - before

    def _direct(self, film: Film) -> Director | Together:
        """The director of a film, whose camera follows the grains until the user moves the camera; each camera of
        experiments side by side follows the grains of its own experiment."""
        style = FilmStyle(film.size, film.rate, self.ui.view, film.speed, film.words)
        if self.ui.beside.runs:
            return Together(lambda size, label: Director(self._read, replace(style, size=size, title=label)), film.size)

        def chosen() -> tuple[Camera | None, bool]:
            follows = self.pictures.now.control.follows_grains
            return (self.ui.camera if follows else self.pictures.now.control.for_film(self.ui, film.size)), follows

        title = self.ui.work.preset_library.title(self.ui.snapshot.run.scene)
        return Director(self._read, replace(style, title=title), chosen)

    def _read(self, *snapshot: Any, **more: Any) -> Any:
        if self.renderer is None:
            raise RuntimeError(_("The film ends here because the picture cannot be drawn."))
        return self.renderer.read(*snapshot, **more)

    def _draw_still(self) -> NDArray[np.uint8] | None:
        """The picture as the user sees it, with all runs side by side, in the size of a film; None if it cannot be
        drawn."""
        if self.renderer is None:
            return None

        def camera_of(number: int, size: Size) -> Camera | None:
            with self.pictures.of(self.ui, number):
                return self.pictures.all[number].control.for_film(self.ui, size)

        try:
            runs = self.ui.beside.runs or (self.ui.snapshot,)
            return still(self.renderer.read, runs, self.ui.view, self.ui.work.film.size, camera_of)
        except Exception:  # a driver can raise any error; the run continues
            log.warning("The picture could not be drawn.", exc_info=True)
            return None

    def _take_picture(self) -> bytes:
        """A small picture of the present state, without texts; empty if it cannot be drawn."""
        from repose.app.storage.thumbnails import DRAWN, thumbnail, without_words

        if self.renderer is None:
            return b""
        try:
            view, camera = without_words(self.ui.view), self.pictures.now.control.for_film(self.ui, DRAWN)
            return thumbnail(self.renderer.read(self.ui.snapshot, view, DRAWN, camera))
        except Exception:  # a driver can raise any error; a run needs no picture
            log.warning("The small picture could not be drawn.", exc_info=True)
            return b""

    def _remember_place(self, event: pygame.Event) -> None:
        """Store size and position for the next start, unless the operating system chose them."""
        import pygame

        choices = self.settings.choices
        if self.window.fullscreen or min(self.window.size) == 0:
            return
        if event.type == pygame.WINDOWRESIZED:
            choices.width, choices.height = max(event.x, 320), max(event.y, 240)
        else:
            choices.left, choices.top = event.x, event.y


def make_ui(physics: Physics, settings: Settings, direct: Callable[[Film], Director | Together]) -> Ui:
    """The record for the panels; it can be created before physics starts."""
    from repose.app.sound.film_track import FilmTrack
    from repose.app.storage.recorder import Recorder
    from repose.app.ui.recent_runs import RecentRuns
    from repose.app.ui.ui import Control, Ui, Work
    from repose.app.ui.whole_film import WholeFilm
    from repose.app.window.headless_film import film_saved_run
    from repose.app.window.page_process import PAGE_BROKEN, write_page_of_run

    report = os.environ.get(REPORT_VARIABLE)
    kept: set[str] = set()
    film = Film(source=physics, direct=direct, open=Recorder, pacer=pacer, track=FilmTrack)
    saver = RunSaver(physics.send)
    return Ui(
        snapshot=physics.latest(),
        control=Control(physics.send, Edits(physics.send, UndoHistory()), Transport(physics)),
        camera=Camera2D(),
        settings=settings,
        work=Work(
            film=film,
            whole_film=WholeFilm(film, saver, film_saved_run),
            page=WholeFilm(film, saver, write_page_of_run, PAGE_BROKEN),
            preset_library=PresetLibrary(physics.send, lambda: physics.starts),
            recent_runs=RecentRuns(settings),
            run_saver=saver,
            repeats=Studies(physics.send, kept=kept),
            studies=Studies(physics.send, kept=kept),
        ),
        probe=UiProbe(Path(report) if report else None),
    )
