"""Camera control: follows the grains until the user moves the camera."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from repose.app.render.camera import Box, Camera2D, Inset, Size
from repose.app.render.follow import Following, directed_camera, drawn_tilt, follow, without_idle_walls
from repose.app.render.framing import LEGEND_ROOM, SCALE_BAR_ROOM, frame_box, picture_scale
from repose.app.render.orbit import VIEWS, Camera, Camera3D
from repose.app.render.passes import band, legend
from repose.app.ui.places import ASIDE, ActionArea, GuessArea, TaskArea, ToolArea, free_of_buttons, high_scene
from repose.app.ui.ui import Ui
from repose.sim.direction import OBLIQUE
from repose.sim.engine.world import Floats
from repose.sim.experiment.snapshot import Snapshot

if TYPE_CHECKING:
    import pygame

Corner = tuple[float, float]
"""Edge of buttons at the left, and of buttons above, beside or below which the picture is shown [px]; 0 for none."""
NOTHING: Corner = (0.0, 0.0)
GLIDE = 0.2
"""Fraction of the remaining rotation to a named view that one frame covers [-]."""
LONGEST_FRAME = 0.1
"""Largest wall time by which the camera advances in one frame [s]."""
MOST_TASK = 0.45
"""Largest share of the height that the picture leaves to the task of a scene [-]."""
LEAST_BESIDE_GUESS = 0.4
"""Least magnification beside or below the guess relative to that of the whole room [-]: a small window shows the scene
behind the guess."""
OTHER_SIDE = "side"
"""The other side of what is seen at an angle; all else is then seen at an angle."""
ZOOM = 1.12
"""Magnification by one notch of the wheel [-]."""
ARRIVED = math.radians(0.1)
"""Remaining angle below which the rotation to a named view ends [rad]."""


@dataclass(frozen=True)
class LeftView:
    """The view of the user, which a replay has left for a while."""

    camera: Camera3D
    follows_grains: bool
    box: Box | None
    goal: tuple[float, float] | None


@dataclass
class CameraControl:
    """Chooses the camera: from the grains, or from mouse and keys."""

    follows_grains: bool = True
    """True while the camera follows the grains."""
    box: Box | None = None
    """Part of the plane or of space that fills the picture until the user moves the camera [m]."""
    _following: Following | None = None
    _chosen_for: object = None
    """Scene, size of the window and insets for which the camera was last chosen without a transition."""
    _beside_tools: tuple[object, Corner] = None, NOTHING
    """Window and scene; the corner of the tool buttons that the picture avoids from the start of the run."""
    _avoided: Corner = NOTHING
    """The same since they hid something while the run went on."""
    _dragging: bool = False
    _shift: bool = False
    _goal: tuple[float, float] | None = None
    """Azimuth and elevation of the named view to which the camera rotates [rad]."""
    _left: LeftView | None = None
    """The view to return to; None once the user has chosen another one."""

    def follow_grains(self) -> None:
        """Follow the grains again; the view to which a replay returns then follows them too."""
        self.follows_grains, self.box = True, None
        if self._left is not None:
            self._left = replace(self._left, follows_grains=True, box=None)

    def frame_box(self, box: Box | None) -> None:
        """Fill the picture with a part of the plane or of space [m] until the user moves the camera; None follows the
        grains."""
        self.follows_grains, self.box, self._left = box is None, box, None

    def turn_to(self, name: str) -> None:
        """Follow the grains; in 3D also rotate to a view of `repose.app.render.orbit.VIEWS`."""
        self.follow_grains()
        self._goal, self._left = VIEWS[name], None

    def look_aside(self, camera: Camera) -> None:
        """In space: show the grains from another side, until `look_back`."""
        if not isinstance(camera, Camera3D):
            return
        left = self._left or LeftView(replace(camera), self.follows_grains, self.box, self._goal)
        self.turn_to(OTHER_SIDE if _nearest_view(left.camera) == OBLIQUE else OBLIQUE)
        self._left = left

    def look_back(self, camera: Camera) -> Camera:
        """The view of the user again, unless the user has chosen another one since `look_aside`; returns the camera to
        use."""
        left, self._left = self._left, None
        if left is None:
            return camera
        self.follows_grains, self.box = left.follows_grains, left.box
        if left.follows_grains:  # it turns back to there, while it follows the grains
            self._goal = left.goal or (left.camera.azimuth, left.camera.elevation)
            return camera
        self._goal = left.goal
        return left.camera

    def update(self, ui: Ui, elapsed: float = 0.0) -> None:
        """One frame, `elapsed` [s] after the last one: follow the grains, unless the user has moved the camera."""
        scene = ui.snapshot
        kind = Camera3D if scene.grains.position.shape[1] == 3 else Camera2D
        if not isinstance(ui.camera, kind):
            ui.camera, self._following, self._goal, self._left = directed_camera(scene), None, None, None
            self.follow_grains()
        ui.camera.tilt = drawn_tilt(scene)  # also of a camera that the user has moved
        if self.box is not None and len(self.box[0]) == scene.grains.position.shape[1]:
            if isinstance(ui.camera, Camera3D):
                self._turn(ui.camera)
            room, above = _below_all(ui), _above(ui)
            edge = legend.left_edge(ui.window.size[0] - room[2], ui.window.scale)
            frame_box(ui.camera, self.box, ui.window.size, room, edge, room[1] - above)
        if not self.follows_grains or not scene.serial:
            return
        if isinstance(ui.camera, Camera3D):
            self._turn(ui.camera)
        row = ui.states[ActionArea].upper_row
        window = (scene.run.scene, ui.window.size, ui.window.inset, ui.window.scale, row)
        if not scene.run.step or window != self._beside_tools[0]:
            begun = follow(None, scene, ui.camera, ui.window.size, _room(ui), 0.0)
            self._beside_tools = window, _avoiding_tools(ui, begun, _room(ui))
            self._avoided = NOTHING
        situation = (*window, scene.history.cuts if not scene.run.step else 0, self._beside_tools[1])
        if situation != self._chosen_for or self._following is None:
            self._chosen_for, self._following = situation, None  # no transition in another window or scene
        elif self._following.camera is not ui.camera:
            self._following = Following(ui.camera, wall_top=self._following.wall_top)  # a transition from there
        left, above, right, below = _room(ui)
        edge, foot = max(self._beside_tools[1], self._avoided)  # beside them, if below them was too little
        room = max(left, edge), max(above, foot), right, below
        self._following = follow(self._following, scene, ui.camera, ui.window.size, room, min(elapsed, LONGEST_FRAME))
        ui.camera = self._following.camera
        # The picture moves aside once and stays there: it would swing if it moved back.
        if not edge:
            self._avoided = max(self._avoided, _avoiding_tools(ui, self._following, room))

    def update_still(self, ui: Ui, camera: Camera3D, corners: Floats, foot: float = 0.0) -> None:
        """One frame of a picture without motion: frame the points `corners` [m] until the user moves the camera, above
        the covered `foot` of the picture [px]."""
        self._turn(camera)
        if self.follows_grains:
            left, top, right, bottom = _room(ui)
            camera.frame_points(corners, ui.window.size, (left, top, right, max(bottom, ui.window.inset[3] + foot)))

    def picture(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot to draw: while the camera follows the grains, without the walls above the column."""
        if not self.follows_grains or self._following is None:
            return snapshot
        return without_idle_walls(snapshot, self._following.wall_top)

    def handle(self, event: pygame.Event, camera: Camera, size: Size, mouse: tuple[float, float], free: bool) -> None:
        """Pan or, in 3D, rotate with a drag, zoom with the wheel; `free` is False if the pointer is on a panel."""
        import pygame

        if event.type == pygame.MOUSEBUTTONDOWN and event.button <= 3:
            self._dragging = free
        elif event.type == pygame.MOUSEBUTTONUP:
            self._dragging = False
        elif event.type in (pygame.KEYDOWN, pygame.KEYUP):
            self._shift = bool(event.mod & pygame.KMOD_SHIFT)
        elif event.type == pygame.MOUSEMOTION and self._dragging and any(event.buttons):
            dx, dy = event.rel
            if isinstance(camera, Camera3D) and event.buttons[0] and not self._shift:
                camera.orbit(dx, dy, size)
            else:
                camera.pan(dx, dy, size)
            self._take_over()
        elif event.type == pygame.MOUSEWHEEL and free:
            camera.zoom(ZOOM**event.precise_y, mouse, size)
            self._take_over()

    def _take_over(self) -> None:
        """The user has moved the camera."""
        self.follows_grains, self._goal, self.box, self._left = False, None, None, None

    def for_film(self, ui: Ui, size: Size) -> Camera | None:
        """The camera of a film of that size: the view between the panels; None if a film in 2D follows the grains."""
        camera = ui.camera
        if self.follows_grains and not isinstance(camera, Camera3D):
            return None
        left, top, right, bottom = ui.window.inset
        right += ui.window.band
        width, height = max(ui.window.size[0] - left - right, 1.0), max(ui.window.size[1] - top - bottom, 1.0)
        beside = band(ui.snapshot, ui.view, size[0], picture_scale(size) * ui.view.text_scale)
        shrink = max(width / (size[0] - beside), height / size[1])
        middle = (left + width / 2, top + height / 2)
        if isinstance(camera, Camera3D):
            # The same position with another field of view gives the same picture.
            angle = 2.0 * math.atan(0.5 * size[1] * shrink / camera.focal(ui.window.size))
            x, y = (camera.offset[k] + ui.window.size[k] / 2 - middle[k] for k in (0, 1))
            return replace(camera, fov=angle, offset=(x / shrink - beside / 2, y / shrink))
        x, y = camera.pixel_to_world(middle, ui.window.size)
        metres = camera.metres_per_pixel * shrink
        seen = Camera2D((float(x), float(y)), metres, camera.tilt)
        seen.pan(-0.5 * beside, 0.0, size)
        return seen

    def _turn(self, camera: Camera3D) -> None:
        """One frame of the rotation to the named view, by the smaller angle."""
        if self._goal is None:
            return
        azimuth = math.remainder(self._goal[0] - camera.azimuth, math.tau)
        elevation = self._goal[1] - camera.elevation
        if max(abs(azimuth), abs(elevation)) < ARRIVED:
            camera.azimuth, camera.elevation = self._goal
            self._goal = None
            return
        camera.azimuth += GLIDE * azimuth
        camera.elevation += GLIDE * elevation


def _nearest_view(camera: Camera3D) -> str:
    """Name of the view of `repose.app.render.orbit.VIEWS` with the least angle to that of the camera."""
    back = camera.axes()[2]

    def likeness(name: str) -> float:
        return float(back @ Camera3D(azimuth=VIEWS[name][0], elevation=VIEWS[name][1]).axes()[2])

    return max(VIEWS, key=likeness)


def _room(ui: Ui) -> Inset:
    """Edges of the window outside of the part for the scene [pixel]: for a high one that beside task and legend."""
    high = high_scene(ui)
    if high is None:
        return _below_all(ui)
    bottom = ui.window.inset[3] + SCALE_BAR_ROOM * ui.window.scale + ui.states[ActionArea].upper_row
    return high[0], ui.window.inset[1] + ASIDE * ui.window.scale, ui.window.size[0] - high[1], bottom


def _below_all(ui: Ui) -> Inset:
    """Edges of the window that panels, legend and scale bar cover [pixel]; in pictures side by side also the tool
    buttons."""
    left, top, right, bottom = free_of_buttons(ui) if ui.beside.runs else ui.window.inset
    above = max(min(top + LEGEND_ROOM * ui.window.scale, _lowest(ui)), _above(ui))
    right += 0.0 if ui.beside.runs else ui.window.band
    room = left, above, right, bottom + SCALE_BAR_ROOM * ui.window.scale + ui.states[ActionArea].upper_row
    return room if ui.beside.runs else _beside_guess(ui, room)


def _beside_guess(ui: Ui, room: Inset) -> Inset:
    """The room without that of the guess of the audience, if it is over the picture: below or beside the guess, where
    the picture is larger."""
    guess, (left, above, right, below) = ui.states[GuessArea].place, room
    if guess is None:
        return room
    under = left, max(above, guess[1]), right, below
    beside = left, above, max(right, ui.window.size[0] - guess[0]), below
    low, high = np.array(ui.snapshot.geometry.box, float)
    wide, tall = max(float((high - low)[:-1].max()), 1e-12), max(float((high - low)[-1]), 1e-12)

    def magnification(room: Inset) -> float:
        width, height = ui.window.size[0] - room[0] - room[2], ui.window.size[1] - room[1] - room[3]
        return min(width / wide, height / tall)

    least = LEAST_BESIDE_GUESS * magnification(room)
    return max((part for part in (under, beside) if magnification(part) >= least), key=magnification, default=room)


def _above(ui: Ui) -> float:
    """Upper edge of the picture beside the legend: below panels and the task of the scene [px]."""
    top = free_of_buttons(ui)[1] if ui.beside.runs else ui.window.inset[1]
    task = ui.states[TaskArea].foot or 0.0
    return max(top, min(task, MOST_TASK * ui.window.size[1], _lowest(ui)))


def _lowest(ui: Ui) -> float:
    """Lowest place where a picture side by side begins below task and legend: a low one would else be upside down, or
    have no room [px]; infinite for a picture alone."""
    top, bottom = ui.window.inset[1], ui.window.inset[3]
    return top + MOST_TASK * (ui.window.size[1] - top - bottom) if ui.beside.runs else math.inf


def _avoiding_tools(ui: Ui, following: Following, room: Inset) -> Corner:
    """Right edge or foot of the tool buttons if they hide grains or walls of this picture in its `room`: the one
    beside or below which the picture is larger. Below them must be room for the walls too, which are not framed."""

    def shown(room: Inset) -> Following:
        goal = follow(following, ui.snapshot, following.camera, ui.window.size, room, 0.0)
        return replace(goal, camera=follow(None, ui.snapshot, following.camera, ui.window.size, room, 0.0).camera)

    edge, foot = _tools_over(ui, following)
    left, above, right, below = room
    if not edge:
        return NOTHING
    under = shown((left, max(above, foot), right, below))
    beside = shown((max(left, edge), above, right, below))
    smaller = beside.camera.resolution(ui.window.size) > under.camera.resolution(ui.window.size)
    return (0.0, foot) if smaller and _tools_over(ui, under) == NOTHING else (edge, 0.0)


def _tools_over(ui: Ui, following: Following) -> Corner:
    """Right edge and foot of the tool buttons if they would hide grains or walls of this picture."""
    edge, (_, foot), camera = ui.states[ToolArea].right, ui.states[ToolArea].corner, following.camera
    grains, geometry = ui.snapshot.grains, ui.snapshot.geometry
    if not edge or ui.beside.runs:
        return NOTHING
    shown = ~grains.fixed | (grains.position[:, -1] <= following.wall_top)
    position, radius = grains.position[shown], grains.radius[shown]
    if isinstance(camera, Camera3D):
        depth = np.maximum(camera.depth(position), camera.near)
        corners = np.asarray(geometry.facets, np.float64).reshape(-1, 3)
        position = np.concatenate([position, corners])
        reach = np.concatenate([radius * camera.focal(ui.window.size) / depth, np.zeros(len(corners))])
    else:
        reach = radius / camera.metres_per_pixel
    x, y = camera.world_to_pixel(position, ui.window.size).T
    return (edge, foot) if ((x - reach < edge) & (y - reach < foot)).any() else NOTHING
