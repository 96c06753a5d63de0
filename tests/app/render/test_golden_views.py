"""Golden pictures of the views of contacts, stress and motion: means of small blocks, which every OpenGL draws alike.

`python -m tests.app.render.test_golden_views` draws them anew; look at them before they are committed.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image
from repose.app.render.camera import Camera2D
from repose.app.render.colours import DARK, Ranges, position_on_map, shades, to_srgb
from repose.app.render.cutaway import NOTHING
from repose.app.render.field_picture import field_picture
from repose.app.storage.view_settings import View
from repose.sim.experiment.snapshot import DisplacementMark, Snapshot
from repose.sim.scenes.common.phases import FLOWING

from tests.app.render.test_field_picture import FORCE, RADIUS, SIDE, lattice
from tests.snapshots import put

if TYPE_CHECKING:
    from repose.app.window.picture import PictureMaker

GOLDEN = Path(__file__).with_name("golden")
SIZE, BLOCK = (640, 360), 10
MEAN, WORST = 1.5, 25.0
"""Largest difference of a golden picture, as a mean over its blocks and of one block [of 255]."""
PLAIN = {"scale_bar": False, "box": False}


def shot(dimension: int) -> Snapshot:
    """A lattice whose forces grow downwards and lean to the right, displaced by a shear."""
    snapshot = lattice(dimension)
    forces, height = snapshot.contacts.forces, snapshot.grains.position[:, -1] / (2.0 * RADIUS)
    assert forces is not None
    depth = (height.max() - height[forces.i] + 1.0) / (height.max() + 1.0)
    forces.normal_force[:] = FORCE * depth * (1.0 + 0.3 * np.sin(5.0 * np.arange(len(forces.i))))
    forces.shear_force[:, 0] = 0.2 * forces.normal_force * forces.normal[:, -1]
    forces.shear[:] = 1e-3 * forces.shear_force
    forces.limit[:] = 0.3 * forces.normal_force
    before = snapshot.grains.position.astype(np.float64)
    before[:, 0] -= 0.4 * RADIUS * height
    put(snapshot, mark=DisplacementMark(0, 0, "flowing", 0.0, snapshot.grains.sphere_id.copy(), before))
    snapshot.grains.velocity[:, 0] = 0.1 * height
    snapshot.grains.mass[:] = 1e-3  # of pebbles: their motion adds less than a thousandth to the stress
    put(snapshot, phase=FLOWING, time=0.5)
    return snapshot


MIDDLE = SIDE * SIDE // 2 + SIDE // 2
VIEWS: dict[str, tuple[int, View]] = {
    "rose": (2, View(colour_by="plain", shown=PLAIN | {"rose": True})),
    "rose_in_space": (3, View(colour_by="plain", shown=PLAIN | {"rose": True})),
    "stress_field": (2, View(shown=PLAIN | {"stress_field": True})),
    "stress_field_in_space": (3, View(colour_by="speed", shown=PLAIN | {"stress_field": True})),
    "displacement": (2, View(colour_by="plain", shown=PLAIN | {"displacement": True})),
    "displacement_in_space": (3, View(colour_by="plain", shown=PLAIN | {"displacement": True})),
    "velocity_arrows": (2, View(colour_by="plain", shown=PLAIN | {"velocity_arrows": True})),
    "photoelastic": (2, View(colour_by="photoelastic", shown=PLAIN, stress_optic=4e-9)),
    "forces_inside": (3, View(colour_by="photoelastic", shown=PLAIN)),
    "grain": (2, View(colour_by="plain", shown=PLAIN, selected=(MIDDLE,))),
    "contact": (2, View(colour_by="plain", shown=PLAIN, selected=(MIDDLE, MIDDLE - 1))),
}


def blocks(picture: np.ndarray) -> np.ndarray:
    """Means of squares of pixels, shape (height / BLOCK, width / BLOCK, 3)."""
    high, wide = picture.shape[0] // BLOCK, picture.shape[1] // BLOCK
    found: np.ndarray = picture.reshape(high, BLOCK, wide, BLOCK, 3).astype(float).mean(axis=(1, 3))
    return found


def drawn(maker: PictureMaker, name: str) -> np.ndarray:
    dimension, view = VIEWS[name]
    maker.size = SIZE
    return maker.draw(shot(dimension), view)


def golden(name: str) -> np.ndarray:
    return np.asarray(Image.open(GOLDEN / f"{name}.png").convert("RGB"), float)


@pytest.mark.case("R16")
@pytest.mark.gl
@pytest.mark.parametrize("name", list(VIEWS))
def test_a_view_looks_as_its_golden_picture(picture_maker: PictureMaker, name: str) -> None:
    apart = np.abs(blocks(drawn(picture_maker, name)) - golden(name))
    assert apart.mean() < MEAN
    assert apart.max() < WORST


def test_the_golden_pictures_of_one_dimension_differ_by_more_than_the_tolerance() -> None:
    for one, other in combinations(VIEWS, 2):
        if VIEWS[one][0] == VIEWS[other][0]:
            apart = np.abs(golden(one) - golden(other))
            assert apart.mean() > MEAN or apart.max() > WORST, (one, other)


@pytest.mark.gl
def test_the_colour_of_the_stress_field_is_that_of_its_value_in_the_legend(picture_maker: PictureMaker) -> None:
    snapshot, view = lattice(), View(shown=PLAIN | {"stress_field": True, "legend": False}, range_follows=True)
    field = field_picture(snapshot, view, NOTHING, Ranges())
    assert field is not None
    middle = RADIUS * (SIDE - 1)
    picture_maker.size = (65, 65)
    picture = picture_maker.draw(snapshot, view, Camera2D((middle, middle), 0.02 * RADIUS))  # between the rims
    share = position_on_map(FORCE / (2.0 * RADIUS), field.colouring, field.span)
    expected = 255.0 * to_srgb(shades(share, view.colour_map, DARK))
    assert picture[32, 32].astype(float) == pytest.approx(expected, abs=6.0)


if __name__ == "__main__":
    from repose.app.window.picture import PictureMaker

    GOLDEN.mkdir(exist_ok=True)
    with PictureMaker(SIZE) as maker:
        for view_name in VIEWS:
            Image.fromarray(np.rint(blocks(drawn(maker, view_name))).astype(np.uint8)).save(GOLDEN / f"{view_name}.png")
