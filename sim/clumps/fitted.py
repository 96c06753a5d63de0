"""Spheres fitted to a body: placed where they gain most, then moved and resized until clump and body overlap most.

1. Points are drawn in and around the body, densest near its surface; each represents a volume.
2. Greedy cover: of many candidates the sphere is placed that adds most, by volume inside minus volume outside.
3. Ascent: centres and radii follow the slope of IoU = V(inside) / (V(body) + V(outside)), in which a point near the
   surface of the clump counts by a smooth function of its depth in it, with the steps of Adam (Kingma and Ba 2015).
4. The spheres that add least are placed again as in 2 with new points, and 3 is repeated.
5. Where pieces of the clump do not touch, spheres that add little are moved between them (`connected`).

Unlike the spheres of the greedy algorithm, the fitted ones protrude from the body where that pays.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.clumps.body import Body
from repose.sim.clumps.clump import Clump
from repose.sim.clumps.connected import joined
from repose.sim.clumps.distance_field import MARGIN, ShowProgress, depth_at, silent
from repose.sim.clumps.greedy import checked_count
from repose.sim.clumps.quality import neighbours_together
from repose.sim.engine.world import Floats
from repose.sim.message import Message

SEED = 1
"""Seed of the random points: equal bodies give equal clumps."""
FEWEST_POINTS, POINTS_PER_MEMBER, MOST_POINTS = 30_000, 200, 200_000
"""Number of points of one round: `FEWEST_POINTS` + `POINTS_PER_MEMBER` × members, at most `MOST_POINTS`."""
DRAWN_PER_POINT = 6
"""Number of drawn points per accepted point."""
CANDIDATES_PER_MEMBER, FEWEST_CANDIDATES = 5, 2000
"""Number of candidate spheres of the greedy cover per member, and their least number."""
ERROR = 0.5
"""Expected distance of the surfaces, times members^(2/3), in radii of a ball of the body's volume [-]."""
PROTRUSION = 3.0
"""Largest distance of points from the body [expected distances of the surfaces]."""
ROUNDS, STEPS = 3, 60
"""Number of ascents, and of steps of each ascent."""
AGAIN = 0.1
"""Fraction of the members that are placed again between two rounds [-]."""
SOFT, RATE = (0.6, 0.1), (0.3, 0.02)
"""Distance over which the cover of a point changes, and length of a step, at the first and last step of an ascent
[expected distances of the surfaces]."""
MEMORY, SQUARE_MEMORY = 0.9, 0.99
"""Decay of the averages of slope and squared slope per step [-]."""
STEPS_PER_LIST = 6
"""Displacement, in longest steps, after which the lists of members near points are rebuilt."""


class Points(NamedTuple):
    """Points in and around a body, in groups of neighbours."""

    position: Floats
    """[m], shape (points, 3)."""
    weight: Floats
    """Volume that a point represents, negative outside the body [m³], shape (points,)."""
    depth: Floats
    """Depth of each point in the body [m], shape (points,)."""
    begin: NDArray[np.int64]
    """First point of each group, and the end, shape (groups + 1,)."""
    middle: Floats
    """Middle of each group [m], shape (groups, 3)."""
    wide: Floats
    """Largest distance of a point of a group from its middle [m], shape (groups,)."""


def fitted_clump(body: Body, members: int, show_progress: ShowProgress = silent) -> Clump:
    """A clump of `members` spheres, or of fewer if a further sphere would add nothing."""
    generator = np.random.default_rng(SEED)
    ball = (0.75 * body.volume / math.pi) ** (1.0 / 3.0)
    error = ERROR * ball * checked_count(members) ** (-2.0 / 3.0)
    centre, radius = np.zeros((0, 3)), np.zeros(0)
    for number in range(ROUNDS):
        show_progress(
            Message("round {number} of {rounds}: placing spheres", number=number + 1, rounds=ROUNDS), number / ROUNDS
        )
        points = drawn_points(body, members, error, ball, generator)
        placed = centre, radius = with_placed(points, centre, radius, members, error, generator)

        def show_share(share: float, number: int = number) -> None:
            show_progress(
                Message("round {number} of {rounds}: moving spheres", number=number + 1, rounds=ROUNDS),
                (number + share) / ROUNDS,
            )

        centre, radius, alone = ascended(points, centre, radius, error, show_share)
        kept = alone > (0.0 if number == ROUNDS - 1 else max(0.0, np.quantile(alone, AGAIN)))
        centre, radius, alone = np.ascontiguousarray(centre[kept]), radius[kept], alone[kept]
    if not radius.size:  # few spheres approximate a ring or a plate best by covering the space around it
        centre, radius = placed
    else:
        centre, radius = joined(body, centre, radius, alone)
    return Clump(body.name, "fitted", centre, radius)


def drawn_points(body: Body, members: int, error: float, ball: float, generator: np.random.Generator) -> Points:
    """Points whose density falls with the distance from the surface, over the expected `error` [m]; `ball` is the
    radius of a ball of the body's volume [m]."""
    field = body.field
    wanted = min(FEWEST_POINTS + POINTS_PER_MEMBER * members, MOST_POINTS)
    # A sphere that protrudes beyond the outermost points would grow without a penalty.
    beyond = max(PROTRUSION * error - MARGIN * field.step, 0.0)
    inner = field.step * (np.array(field.depth.shape) - 1.0)
    extent = inner + 2.0 * beyond
    drawn = DRAWN_PER_POINT * wanted
    position = field.origin - beyond + extent * generator.random((drawn, 3))
    nearest = np.clip(position, field.origin, field.origin + inner)
    depth = depth_at(field, nearest)
    if beyond > 0.0:
        depth -= np.sqrt(((position - nearest) ** 2).sum(axis=1))
    chance = 1.0 / (1.0 + (np.abs(depth) / error) ** 1.5)
    chance[depth < -max(0.5 * ball, PROTRUSION * error)] = 0.0
    chance = np.minimum(chance * (wanted / chance.sum()), 1.0)
    kept = np.flatnonzero(generator.random(drawn) < chance)
    rows, begin = neighbours_together(position[kept])
    kept = kept[rows]
    position, depth = position[kept], depth[kept]
    weight = np.where(depth > 0.0, 1.0, -1.0) * float(np.prod(extent)) / drawn / chance[kept]
    middle = 0.5 * (np.minimum.reduceat(position, begin[:-1]) + np.maximum.reduceat(position, begin[:-1]))
    away = np.sqrt(((position - np.repeat(middle, np.diff(begin), axis=0)) ** 2).sum(axis=1))
    return Points(position, weight, depth, begin, middle, np.maximum.reduceat(away, begin[:-1]))


def with_placed(
    points: Points, centre: Floats, radius: Floats, members: int, error: float, generator: np.random.Generator
) -> tuple[Floats, Floats]:
    """Centres and radii [m] with spheres added until there are `members` spheres, or no candidate adds anything."""
    from repose.sim.clumps.fit_loops import cover_points, gains

    inside = np.flatnonzero(points.weight > 0.0)
    number = min(max(FEWEST_CANDIDATES, CANDIDATES_PER_MEMBER * members), inside.size)
    rows = generator.choice(inside, number, replace=False)
    places, sizes = points.position[rows], points.depth[rows] + 2.0 * error * generator.random(number)
    worth = points.weight.copy()
    groups = points.middle, points.wide, points.begin
    cover_points(points.position, worth, *groups, centre, radius)
    gain = np.zeros(number)
    gains(points.position, worth, *groups, places, sizes, gain)
    # Gains only decrease as spheres are placed: the first in the queue is the best if its gain is up to date.
    queue = [(-value, row, 0) for row, value in enumerate(gain.tolist())]
    heapq.heapify(queue)
    chosen: list[int] = []
    one = np.zeros(1)
    while queue and len(radius) + len(chosen) < members:
        value, row, at = heapq.heappop(queue)
        only = slice(row, row + 1)
        if at < len(chosen):
            gains(points.position, worth, *groups, places[only], sizes[only], one)
            heapq.heappush(queue, (-float(one[0]), row, len(chosen)))
        elif value >= 0.0:
            break
        else:
            chosen.append(row)
            cover_points(points.position, worth, *groups, places[only], sizes[only])
    return np.concatenate([centre, places[chosen]]), np.concatenate([radius, sizes[chosen]])


def ascended(
    points: Points, centre: Floats, radius: Floats, error: float, show_share: Callable[[float], None]
) -> tuple[Floats, Floats, Floats]:
    """Centres and radii [m] after one ascent, and the volume that only this sphere covers, inside minus outside."""
    from repose.sim.clumps.fit_loops import near_members, slope

    volume = float(points.weight[points.weight > 0.0].sum())
    spheres = np.column_stack([centre, radius])
    mean, mean_square = np.zeros_like(spheres), np.zeros_like(spheres)
    change, alone = np.zeros((len(radius), 4, 2)), np.zeros(len(radius))
    near, near_begin = np.zeros(0, np.int32), np.zeros(len(points.wide) + 1, np.int64)
    position, middle = np.ascontiguousarray(points.position.T), np.ascontiguousarray(points.middle.T)
    largest = int(np.diff(points.begin).max())
    reach = np.zeros(len(radius))
    memory = np.zeros(largest), np.zeros(largest), np.zeros(largest, np.int64)
    slack = moved = 0.0
    for step in range(STEPS + 1):
        done = step / STEPS
        if step % 20 == 0:
            show_share(done)
        longest = error * (RATE[0] + (RATE[1] - RATE[0]) * done)
        rows = np.ascontiguousarray(spheres.T)
        if step == 0 or moved + 2.0 * longest > slack:
            slack, moved = STEPS_PER_LIST * 2.0 * longest, 0.0
            while near_members(middle, points.wide, rows[:3], rows[3], slack, reach, near, near_begin) < 0:
                near = np.zeros(2 * near.size + 20 * len(points.wide), np.int32)
        softness = error * (SOFT[0] + (SOFT[1] - SOFT[0]) * done)
        lists = points.begin, near, near_begin
        inside, outside = slope(position, points.weight, lists, rows, softness, (change, alone), memory)
        if step == STEPS:
            break
        union = volume + outside
        rise = change[:, :, 0] / union - change[:, :, 1] * (inside / union**2)
        mean = MEMORY * mean + (1.0 - MEMORY) * rise
        mean_square = SQUARE_MEMORY * mean_square + (1.0 - SQUARE_MEMORY) * rise**2
        size = np.sqrt(mean_square / (1.0 - SQUARE_MEMORY ** (step + 1)))
        stride = longest * mean / (1.0 - MEMORY ** (step + 1)) / np.maximum(size, 1e-12 / error)
        spheres += stride
        spheres[:, 3] = np.maximum(spheres[:, 3], 0.1 * error)
        moved += float(np.sqrt((stride[:, :3] ** 2).sum(axis=1)).max() + np.abs(stride[:, 3]).max())
    return np.ascontiguousarray(spheres[:, :3]), spheres[:, 3].copy(), alone
