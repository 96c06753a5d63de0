"""Picture of a body beside its clump: both seen from the same direction, drawn without OpenGL."""

from __future__ import annotations

import math
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from repose.sim.clumps.body import Body
from repose.sim.clumps.clump import Clump
from repose.sim.clumps.distance_field import depth_at
from repose.sim.engine.world import Floats
from repose.sim.scales import round_below

PIXELS = 720
"""Edge of each of the two drawings [pixel]."""
TURN, TILT = math.radians(35.0), math.radians(25.0)
"""Direction of view: about the vertical axis, and from above [rad]."""
LIGHT = np.array([-0.45, 0.55, 0.70])
"""Direction to the light: right, up, towards the eye [-]."""
GREY = np.array([0.72, 0.74, 0.78])
MARCHES, NEAR = 120, 0.02
"""Largest number of steps of a ray, and distance from the surface at which the ray has arrived [steps of the grid]."""


def axes_of_view() -> Floats:
    """Right, up and towards the eye, as rows."""
    c, s = math.cos(TURN), math.sin(TURN)
    right = np.array([c, s, 0.0])
    eye = np.array([s * math.cos(TILT), -c * math.cos(TILT), math.sin(TILT)])
    return np.stack([right, np.cross(eye, right), eye])


class _View:
    """Pixels of a square drawing around a body."""

    def __init__(self, body: Body, clump: Clump) -> None:
        corners = body.surface.reshape(-1, 3)
        self.axes = axes_of_view()
        seen = np.concatenate([corners @ self.axes.T, clump.centre @ self.axes.T])
        wide = np.concatenate([np.zeros(len(corners)), clump.radius])[:, None]
        low, high = (seen - wide).min(axis=0), (seen + wide).max(axis=0)
        self.middle = 0.5 * (low + high)
        self.half = 0.54 * float((high - low)[:2].max())
        self.front = float(high[2])
        self.pixel = 2.0 * self.half / PIXELS
        step = self.half - self.pixel * (np.arange(PIXELS) + 0.5)
        self.x, self.y = self.middle[0] - step, self.middle[1] + step


def shaded(normal: Floats, colour: Floats) -> Floats:
    """Colours, shape (..., 3), of a surface with these unit normals in the frame of view."""
    light = LIGHT / np.linalg.norm(LIGHT)
    bright = 0.32 + 0.68 * np.clip(normal @ light, 0.0, 1.0)
    shown: Floats = np.clip(colour * bright[..., None], 0.0, 1.0)
    return shown


def drawn_body(body: Body, view: _View) -> Floats:
    """Colour and opacity of the body, shape (pixels, pixels, 4): each ray advances by its distance from the surface."""
    field = body.field
    x, y = np.meshgrid(view.x, view.y)
    start = x.ravel()[:, None] * view.axes[0] + y.ravel()[:, None] * view.axes[1] + view.front * view.axes[2]
    travelled = np.zeros(len(start))
    extent = field.step * (np.array(field.depth.shape) - 1.0)
    going, arrived = np.arange(len(start)), np.zeros(len(start), bool)
    longest = float(np.linalg.norm(extent)) + 2.0 * view.half
    for _ in range(MARCHES):
        position = start[going] - travelled[going, None] * view.axes[2]
        beyond = np.maximum(np.maximum(field.origin - position, position - field.origin - extent), 0.0)
        ahead = np.maximum(-depth_at(field, position), np.sqrt((beyond**2).sum(axis=1)))
        here = ahead < NEAR * field.step
        arrived[going[here]] = True
        travelled[going] += np.where(here, 0.0, ahead)
        going = going[~here & (travelled[going] < longest)]
    picture = np.zeros((PIXELS * PIXELS, 4))
    hit = start[arrived] - travelled[arrived, None] * view.axes[2]
    slope = np.stack(
        [depth_at(field, hit - field.step * unit) - depth_at(field, hit + field.step * unit) for unit in np.eye(3)],
        axis=1,
    )
    normal = slope / np.maximum(np.linalg.norm(slope, axis=1, keepdims=True), 1e-300)
    picture[arrived, :3] = shaded(normal @ view.axes.T, GREY)
    picture[arrived, 3] = 1.0
    return picture.reshape(PIXELS, PIXELS, 4)


def drawn_clump(clump: Clump, view: _View, colours: Floats) -> Floats:
    """Colour and opacity of the spheres, shape (pixels, pixels, 4); `colours` has shape (members, 3)."""
    picture = np.zeros((PIXELS, PIXELS, 4))
    nearest = np.full((PIXELS, PIXELS), -np.inf)
    for position, radius, colour in zip(clump.centre @ view.axes.T, clump.radius, colours):
        columns = slice(*np.searchsorted(view.x, (position[0] - radius, position[0] + radius)))
        rows = slice(*np.searchsorted(-view.y, (-position[1] - radius, -position[1] + radius)))
        dx, dy = view.x[columns] - position[0], view.y[rows][:, None] - position[1]
        square = radius**2 - dx**2 - dy**2
        front = np.where(square > 0.0, position[2] + np.sqrt(np.maximum(square, 0.0)), -np.inf)
        seen = front > nearest[rows, columns]
        if not seen.any():
            continue
        nearest[rows, columns][seen] = front[seen]
        parts = np.broadcast_arrays(dx, dy, front - position[2])
        normal = np.stack([part[seen] for part in parts], axis=1) / radius
        picture[rows, columns, :3][seen] = shaded(normal, colour)
        picture[rows, columns, 3][seen] = 1.0
    return picture


def write_picture(body: Body, clump: Clump, facts: str, file: BinaryIO) -> None:
    """PNG of the body beside the clump, whose members are coloured by radius; `facts` is the line below."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

    view = _View(body, clump)
    scale = Normalize(0.0, 1e3 * float(clump.radius.max()))
    mapped = ScalarMappable(scale, colormaps["viridis"])
    colours: NDArray[Any] = mapped.to_rgba(1e3 * clump.radius)[:, :3]
    figure = Figure(figsize=(12.8, 6.6), dpi=150)
    number = len(clump.radius)
    titles = f"Body: {body.name}", f"Clump: {number} sphere{'s' if number > 1 else ''}, {clump.algorithm}"
    for k, (title, picture) in enumerate(zip(titles, (drawn_body(body, view), drawn_clump(clump, view, colours)))):
        axes = figure.add_axes((0.01 + 0.46 * k, 0.1, 0.45, 0.8))
        axes.imshow(picture, interpolation="lanczos")
        axes.set_axis_off()
        axes.set_title(title, fontsize=16)
        length = round_below(0.5 * view.half)
        axes.plot([30, 30 + length / view.pixel], [PIXELS - 20] * 2, color="black", linewidth=3)
        axes.text(30, PIXELS - 32, f"{1e3 * length:g} mm", fontsize=12)
    bar = figure.colorbar(mapped, cax=figure.add_axes((0.935, 0.15, 0.015, 0.68)))
    bar.set_label("radius [mm]", fontsize=13)
    bar.ax.tick_params(labelsize=11)
    figure.text(0.5, 0.035, facts, fontsize=13, ha="center")
    figure.savefig(file, format="png")
