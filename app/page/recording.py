"""From the snapshots of a run to the frames of a page: what the draw passes show, in whole numbers.

Frames are at equal times of a film whose speed follows the phases (`repose.app.render.pacing`), and have the camera of
that film. A grain is at x = quantum n with an error of at most half a quantum, which is at most 1/64 of a mean radius.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.app.page.columns import Stream, Whole, whole
from repose.app.page.texts import Texts
from repose.app.render.camera import Size
from repose.app.render.colours import (
    AUTOMATIC,
    Colouring,
    Ranges,
    bands,
    colouring_of,
    offered,
    position_on_map,
    to_srgb,
)
from repose.app.render.film_words import MOST_READINGS, reading_value
from repose.app.render.follow import Following, directed_camera, follow, without_idle_walls
from repose.app.render.framing import picture_room
from repose.app.render.orbit import Camera, Camera3D
from repose.app.render.pacing import Pacing, clock_text, describe_speed, pace
from repose.app.render.passes import Frame, ground, make_frame, shadows
from repose.app.render.passes.facet_edges import edges_of
from repose.app.render.passes.facets import drawn_facets
from repose.app.render.passes.force_chains import WIDEST, drawn_contacts
from repose.app.render.passes.legend import describe
from repose.app.render.passes.liquid_surface import is_wet
from repose.app.render.passes.measured_slope import error_words
from repose.app.render.passes.measured_slope import label as angle_label
from repose.app.storage.view_settings import View
from repose.sim.experiment.run_answer import answer_words
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import EMPTY

FPS = 30.0
"""Frames per second of the film that the page shows."""
SIZE: Size = (1280, 720)
"""Picture for which the camera of a frame is made; a picture of another shape shows all of it [pixel]."""
ROOM = picture_room(SIZE, 1.0)
"""Edges of this picture that words cover [pixel]."""
PER_BOX, PER_RADIUS = 2**15, 32
"""Least number of quanta along the longest side of the scene, and along a mean radius."""
SHADES = 255
"""Steps of the colours of a quantity: more than a map has rows."""
TURN = 256
"""Steps of a full turn in the plane."""
LENGTH_OF_QUATERNION = 127
STRENGTHS = 63
"""Steps of the force of a contact up to the largest that is told apart."""
LIGHTS, SIDES = 31, 7
"""Steps of the light on a sphere, and of each component of the direction away from its neighbours."""
MOST_MEMORY = 400e6
"""Size of the frames in memory from which on every second one is left out [bytes]."""

Ids = NDArray[np.int64]


@dataclass
class PageRow:
    """One frame."""

    at: int
    """Number of frames before it, left out ones included."""
    spheres: Whole
    """Number of each sphere in the page."""
    values: dict[str, Whole]
    """Columns of these spheres by name."""
    camera: tuple[float, ...]
    texts: dict[str, int]
    """Numbers of texts by their meaning."""
    readings: list[tuple[int, int]]
    slope: tuple[float, ...]
    spans: dict[str, int]
    """Number of the range of every quantity."""
    contacts: tuple[Whole, Whole, Whole, float]
    """Numbers of both spheres and strength of every drawn contact, the weakest first; mean radius [m]."""
    shapes: dict[str, Whole]
    """Tables of any length: bonds, facets, light on the ground, shadows, ghosts, liquid."""
    time: float

    @property
    def memory(self) -> int:
        """Size in memory, roughly [bytes]."""
        return sum(table.nbytes for table in (self.spheres, *self.values.values(), *self.shapes.values()))


@dataclass
class Once:
    """Tables of which many frames have the same one, each stored once."""

    tables: dict[bytes, int] = field(default_factory=dict)
    found: list[NDArray[Any]] = field(default_factory=list)

    def number(self, table: NDArray[Any]) -> int:
        """Number of a table."""
        key = table.tobytes()
        if key not in self.tables:
            self.tables[key] = len(self.found)
            self.found.append(table)
        return self.tables[key]


class PageRecording:
    """Frames of one run; the page is made from them at its end."""

    def __init__(self, every: float | None = None) -> None:
        """Record a frame every `every` seconds of simulated time; None: at the speed of each phase."""
        self._every = every
        self._ranges = Ranges()
        self.following: Following | None = None
        self._pacing: Pacing | None = None
        self._numbers = np.empty(0, np.int64)
        self._own: list[NDArray[np.uint8]] = []
        self._wet: list[NDArray[np.bool_]] = []
        self._spans: dict[tuple[str, tuple[float, float]], int] = {}
        self._edges, self._grounds = Once(), Once()
        self._stride, self._memory = 1, 0
        self._count = 0
        self.rows: list[PageRow] = []
        self.texts = Texts()
        self.quantum = 0.0
        """[m]."""
        self.colourings: dict[str, Colouring] = {}
        self.spans: list[tuple[str, tuple[float, float]]] = []
        self.total = 0
        """Number of frames of the film, left out ones included."""
        self.shown = AUTOMATIC
        """Colour of the scene by itself, in its last frame that has one."""

    def take(self, snapshot: Snapshot, pairs: Ids) -> float:
        """Record a frame; `pairs` are the ids of both spheres of every touching pair, in the order of
        `snapshot.contacts`, shape (contacts, 2). Returns the simulated time to the next frame [s]."""
        if not self.rows:
            self._begin(snapshot)
        elapsed = 0.0 if self._pacing is None else self._stride / FPS
        self._pacing = pace(self._pacing, snapshot, elapsed)
        camera = directed_camera(snapshot)
        self.following = follow(self.following, snapshot, camera, SIZE, ROOM, elapsed)
        self.rows.append(self._row(snapshot, pairs, self.following))
        self._memory += self.rows[-1].memory
        if self._memory > MOST_MEMORY and len(self.rows) % 2 and len(self.rows) > 2:  # the last frame stays
            self.rows = self.rows[::2]
            self._memory, self._stride = sum(row.memory for row in self.rows), 2 * self._stride
        self.total, self._count = self._count + 1, self._count + self._stride
        return (self._every or self._pacing.speed / FPS) * self._stride

    def continued(self) -> PageRecording:
        """A recording without frames that goes on with the camera, the pace and the ranges of colours of this one."""
        following = PageRecording(self._every)
        following.following, following._pacing, following._ranges = self.following, self._pacing, self._ranges
        return following

    def _begin(self, snapshot: Snapshot) -> None:
        low, high = (np.asarray(corner, np.float64) for corner in snapshot.geometry.box)
        radius = snapshot.grains.radius
        finest = [float((high - low).max()) / PER_BOX]
        finest += [float(radius.mean()) / PER_RADIUS] if len(radius) else []
        self.quantum = min(length for length in finest if length > 0.0)

    def _row(self, snapshot: Snapshot, pairs: Ids, following: Following) -> PageRow:
        seen = without_idle_walls(snapshot, following.wall_top)
        frame = make_frame(seen, View(), following.camera, SIZE, ROOM, 1.0, self._ranges)
        self.shown = frame.shown
        number, text = self._numbered(frame), self.texts.number
        assert self._pacing is not None
        speed = EMPTY if self._every is not None else describe_speed(self._pacing.speed)
        results = snapshot.results
        readings = [entry for entry in results.readings if not entry.given and math.isfinite(entry.value)]
        return PageRow(
            self._count,
            number,
            self._values(frame),
            _pose(following.camera),
            {
                "clock": text(clock_text(snapshot)),
                "phase": text(snapshot.run.phase_label),
                "speed": text(speed),
                "angle": text(angle_label(results.slope)) if _has_angle(snapshot) and results.slope else 0,
                "error": text(error_words(results.slope)) if _has_angle(snapshot) and results.slope else 0,
                "answer": text(answer_words(snapshot)),
            },
            [(text(entry.whole_label), text(reading_value(entry))) for entry in readings[: 2 * MOST_READINGS]],
            _slope(snapshot),
            self._spans_of(frame),
            self._contacts(snapshot, pairs),
            self._shapes(frame, number),
            snapshot.run.time,
        )

    def _numbered(self, frame: Frame) -> Whole:
        """The number of each sphere in the page; new spheres get the next ones, and their colours are kept."""
        ids = frame.snapshot.grains.sphere_id
        self._reach(ids)
        new = np.flatnonzero(self._numbers[ids] < 0)
        first = sum(map(len, self._own))
        self._numbers[ids[new]] = first + np.arange(len(new))
        self._own.append(np.rint(255.0 * to_srgb(frame.faces[new])).astype(np.uint8))
        self._wet.append(is_wet(frame.snapshot)[new])
        return self._numbers[ids]

    def _reach(self, ids: Ids) -> None:
        """Make the table of numbers long enough for these ids."""
        missing = int(ids.max(initial=-1)) + 1 - len(self._numbers)
        if missing > 0:
            self._numbers = np.append(self._numbers, np.full(missing, -1, np.int64))

    def number_of(self, sphere_id: int) -> int:
        """Number of a sphere in the page; -1 if it is in no frame."""
        return int(self._numbers[sphere_id]) if sphere_id < len(self._numbers) else -1

    def _values(self, frame: Frame) -> dict[str, Whole]:
        """The columns of the spheres: places, sizes, orientations, quantities, light."""
        grains = frame.snapshot.grains
        known = np.asarray(np.isfinite(grains.position).all(axis=1))
        columns: dict[str, Whole] = {
            "there": known.astype(np.int64),
            **{axis: whole(grains.position[:, k], self.quantum) for k, axis in enumerate("xyz"[: frame.dimension])},
            "radius": whole(grains.radius, self.quantum / 4.0),
            "fixed": grains.fixed.astype(np.int64),
        }
        if grains.orientation.shape == (len(grains.radius), 1):
            columns["turn"] = whole(grains.orientation[:, 0], math.tau / TURN) % TURN
        elif grains.orientation.shape[1:] == (4,):
            sign = np.where(grains.orientation[:, :1] < 0.0, -1.0, 1.0)
            turned = whole(sign * grains.orientation, 1.0 / LENGTH_OF_QUATERNION)
            columns |= {f"q{k}": np.where(grains.fixed, 0, turned[:, k]) for k in range(4)}
        if (slope := frame.snapshot.results.slope) is not None and _has_angle(frame.snapshot):
            columns["used"] = np.isin(grains.sphere_id, slope.used_ids).astype(np.int64)
        for name, colouring, span in self._quantities(frame):
            share = position_on_map(grains.columns[name], colouring, span)
            columns[f"of {name}"] = np.rint(SHADES * share).astype(np.int64)
        if frame.dimension == 3:
            light = frame.ambient_occlusion
            lit = {"crowding": light.crowding, "lamp": light.lamp, "sky": light.sky}
            columns |= {name: _spread(frame, whole(values, 1.0 / LIGHTS)) for name, values in lit.items()}
            columns |= {
                f"away {axis}": _spread(frame, whole(light.outward[:, k], 1.0 / SIDES)) for k, axis in enumerate("xyz")
            }
        return columns

    def _quantities(self, frame: Frame) -> Iterator[tuple[str, Colouring, tuple[float, float]]]:
        """The quantities that this frame can show, with their present ranges."""
        for name in offered(frame.snapshot):
            colouring = colouring_of(name, frame.snapshot)
            span = self._ranges.shown(colouring, frame.snapshot, follows=False) if colouring is not None else None
            if colouring is not None and span is not None:
                self.colourings[name] = colouring
                yield name, colouring, span

    def _spans_of(self, frame: Frame) -> dict[str, int]:
        found = {}
        for name, _, span in self._quantities(frame):
            key = name, (float(span[0]), float(span[1]))
            if key not in self._spans:
                self._spans[key] = len(self.spans)
                self.spans.append(key)
            found[name] = self._spans[key]
        return found

    def _contacts(self, snapshot: Snapshot, pairs: Ids) -> tuple[Whole, Whole, Whole, float]:
        chosen = drawn_contacts(snapshot)
        if chosen is None:
            return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64), 0.0
        drawn, strength, radius = chosen
        self._reach(pairs)
        i, j = self._numbers[pairs[drawn]].T
        i, j = np.minimum(i, j), np.maximum(i, j)
        order = np.lexsort((j, i))
        kept = order[i[order] >= 0]  # a wall that is left out has no number
        return i[kept], j[kept], whole(strength / WIDEST, 1.0 / STRENGTHS)[kept], radius

    def _shapes(self, frame: Frame, number: Whole) -> dict[str, Whole]:
        snapshot = frame.snapshot
        shapes: dict[str, Whole] = {}
        if frame.dimension == 2:
            shapes["bonds"] = number[snapshot.contacts.bonds].reshape(-1)
            shapes["joints"] = number[frame.joints].reshape(-1)
            facets = snapshot.geometry.facets
            liquid = snapshot.geometry.liquid
            shapes["liquid"] = whole(() if liquid is None else liquid, self.quantum)
        else:
            facets = drawn_facets(frame)
            shapes["ghosts"] = whole(snapshot.geometry.ghosts, self.quantum).reshape(-1)
            edges = edges_of(facets) if len(facets) else None
            ends, first, second, permanent = edges if edges else (np.empty((0, 2), int), *3 * (np.empty(0, int),))
            table = np.column_stack((ends, first, second, permanent.astype(np.int64))).astype(np.int64)
            shapes["edges"] = np.array([self._edges.number(table)])
            shapes |= self._on_the_ground(frame)
        if facets.ndim == 3 and facets.shape[1:] == (frame.dimension, frame.dimension):
            facets = facets[np.isfinite(facets).all(axis=(1, 2))]
            shapes["facets"] = whole(facets, self.quantum).reshape(-1)
        return shapes

    def _on_the_ground(self, frame: Frame) -> dict[str, Whole]:
        """The ground of a frame: number of its cells, light in their corners, shadows on it."""
        rows = ground.instances(frame)
        if rows is None:
            return {}
        cells = np.column_stack((rows[:, :5], rows[:, 12:16])).astype("<f4")
        dark = shadows.instances(frame)
        dark = np.empty((0, 7), np.float32) if dark is None else dark
        shade = np.column_stack(
            (
                whole(dark[:, :2], self.quantum),
                whole(dark[:, 3:5], self.quantum / 4.0),
                dark[:, 5] > 1.0,
                whole(dark[:, 6], 1.0 / STRENGTHS),
            )
        )
        return {
            "cells": np.array([self._grounds.number(cells)]),
            "ground": whole(rows[:, 8:12], 1.0 / LIGHTS).reshape(-1),
            "shadows": shade.astype(np.int64).reshape(-1),
        }

    def stream(self, chosen: Sequence[int]) -> Stream:
        """The columns of the page with these frames."""
        rows = [self.rows[k] for k in chosen]
        stream, count = Stream(), sum(map(len, self._own))
        names = list(dict.fromkeys(name for row in rows for name in row.values))
        there = np.zeros((len(rows), count), np.int64)
        for k, row in enumerate(rows):
            there[k, row.spheres] = row.values["there"]
        stream.add("there", there, 1)
        last = _latest(there)
        for name in names:
            if name == "there":
                continue
            table = np.zeros((len(rows), count), np.int64)
            for k, row in enumerate(rows):
                if name in row.values:
                    table[k, row.spheres] = row.values[name]
            table = np.take_along_axis(table, last, axis=0)
            stream.add(name, table, 2 if name in "xyz" else 1)
        stream.add("own", np.concatenate(self._own) if self._own else np.empty((0, 3)))
        stream.add("wet", np.concatenate(self._wet) if self._wet else np.empty(0))
        stream.add_floats("camera", [row.camera for row in rows])
        stream.add_floats("slope", [row.slope for row in rows])
        stream.add_floats("time", [row.time for row in rows])
        stream.add("at", [row.at for row in rows], 1)
        for name in ("clock", "phase", "speed", "angle", "error", "answer"):
            stream.add(f"text {name}", [row.texts[name] for row in rows], 1)
        most = max(len(row.readings) for row in rows)
        readings = np.full((len(rows), most, 2), -1)
        for k, row in enumerate(rows):
            readings[k, : len(row.readings)] = np.reshape(row.readings, (-1, 2))
        stream.add("readings", readings, 1)
        for name in self.colourings:
            stream.add(f"span {name}", [row.spans.get(name, -1) for row in rows], 1)
        contacts = [row.contacts for row in rows]
        stream.add("contact counts", [len(entry[0]) for entry in contacts], 1)
        stream.add("contact i", _joined([np.diff(entry[0], prepend=0) for entry in contacts]))
        stream.add("contact j", _joined([entry[1] - entry[0] for entry in contacts]))
        stream.add("contact strength", _joined([entry[2] for entry in contacts]))
        stream.add_floats("contact radius", [entry[3] for entry in contacts])
        for name in dict.fromkeys(name for row in rows for name in row.shapes):
            _add_tables(stream, name, [row.shapes.get(name, np.empty(0, np.int64)) for row in rows])
        for name, once in (("edges of facets", self._edges), ("cells of ground", self._grounds)):
            add = stream.add_floats if once is self._grounds else stream.add
            stream.add(f"{name} counts", [table.size for table in once.found])
            add(name, np.concatenate([table.ravel() for table in once.found]) if once.found else ())
        return stream

    def legends(self) -> list[dict[str, Any]]:
        """Each range of a quantity: heading, and ticks as share of the bar and text."""
        found = []
        for name, span in self.spans:
            heading, ticks = describe(self.colourings[name], span)
            places = [[round(share, 5), self.texts.number(words)] for share, words in ticks]
            steps = bands(*span) if self.colourings[name].kind == "discrete" else 0
            found.append({"heading": self.texts.number(heading), "ticks": places, "bands": steps})
        return found


def _spread(frame: Frame, values: Whole) -> Whole:
    """Values of the spheres that are drawn, 0 for the others."""
    table = np.zeros(len(frame.kept), np.int64)
    table[frame.kept] = values
    return table


def _has_angle(snapshot: Snapshot) -> bool:
    return snapshot.results.slope is not None and math.isfinite(snapshot.results.slope.angle)


def _slope(snapshot: Snapshot) -> tuple[float, ...]:
    """Slope, height at x = 0 and interval of the measured line; nan without one."""
    measured = snapshot.results.slope
    if measured is None or not _has_angle(snapshot):
        return 4 * (math.nan,)
    return measured.slope, measured.intercept, *measured.x_range


def _pose(camera: Camera) -> tuple[float, ...]:
    """The camera as numbers: in the plane centre and metres per pixel, in space target, distance, azimuth, elevation,
    and the place of the target in the picture [pixel]; the tilt last."""
    if isinstance(camera, Camera3D):
        return (*camera.target, camera.distance, camera.azimuth, camera.elevation, *camera.offset, camera.tilt)
    return (*camera.centre, camera.metres_per_pixel, camera.tilt)


def _latest(there: Whole) -> Whole:
    """For every frame and sphere the latest frame in which the sphere was there, or the first one in which it will be:
    a sphere that is not there keeps its numbers, whose differences are then 0."""
    frames = np.arange(len(there))[:, None]
    latest = np.maximum.accumulate(np.where(there > 0, frames, -1), axis=0)
    first = np.argmax(there > 0, axis=0)
    found: Whole = np.where(latest >= 0, latest, first[None, :])
    return found


def _joined(parts: Sequence[Whole]) -> Whole:
    return np.concatenate(parts) if parts else np.empty(0, np.int64)


def _add_tables(stream: Stream, name: str, tables: Sequence[Whole]) -> None:
    """Add tables of different lengths: of one as long as that of the frame before only the differences, of an equal
    one nothing."""
    lengths, parts, before = [], [], np.empty(0, np.int64)
    for k, table in enumerate(tables):
        if k and np.array_equal(table, before):
            lengths.append(-1)
            continue
        lengths.append(len(table))
        parts.append(table - before if len(table) == len(before) else table)
        before = table
    stream.add(f"{name} lengths", lengths)
    stream.add(name, _joined(parts))
