"""Fringes of photoelastic discs against closed forms: two opposed forces on a diameter, and three at 120°."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pytest
from repose.app.render.camera import Camera2D
from repose.app.render.colours import Ranges, to_linear
from repose.app.render.fringes import FRINGES, WAVELENGTH, colours_of_orders, stress_optic
from repose.app.render.passes import all_passes, make_frame
from repose.app.render.passes.photoelastic import HEAD, LOADS, loads_of
from repose.app.storage.view_settings import View
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.measure.contact_forces import ContactForces

from tests.snapshots import put, snapshot_of

if TYPE_CHECKING:
    from repose.app.window.picture import PictureMaker

RADIUS, FORCE, OPTIC = 0.01, 50.0, 1e-9
SIZE, CAMERA = (401, 401), Camera2D((0.0, 0.0), 2.2 * RADIUS / 401)
GROUND = 0.035
"""Light of a disc without stress in the shader."""
SEEN = View(
    colour_by="photoelastic",
    white_light=False,
    stress_optic=OPTIC,
    shown={"scale_bar": False, "legend": False, "box": False},
)


def loaded(angles: tuple[float, ...], shear: float = 0.0) -> Snapshot:
    """A disc at the origin under equal forces towards its centre at these angles [rad], with shear forces."""
    count = len(angles)
    out = np.column_stack((np.cos(angles), np.sin(angles)))
    return snapshot_of(
        serial=1,
        position=np.zeros((1, 2), np.float32),
        radius=np.full(1, RADIUS, np.float32),
        fixed=np.zeros(1, np.bool_),
        sphere_id=np.zeros(1, np.int64),
        columns={"layer": np.zeros(1, np.float32)},
        forces=ContactForces(
            i=np.zeros(count, np.int64),
            j=np.full(count, -1),
            point=RADIUS * out,
            normal=-out,
            overlap=np.zeros(count),
            normal_force=np.full(count, FORCE),
            shear_force=shear * np.column_stack((-out[:, 1], out[:, 0])),
            shear=np.zeros((count, 2)),
            limit=np.full(count, np.nan),
        ),
        box=((-RADIUS, -RADIUS), (RADIUS, RADIUS)),
    )


def light(difference: np.ndarray) -> np.ndarray:
    """What passes the polarisers for a difference of the principal stresses [N/m], with the ground of the shader."""
    return GROUND + (1.0 - GROUND) * np.sin(math.pi * OPTIC * difference / WAVELENGTH) ** 2


def opposed_on_the_diameter_across(x: np.ndarray) -> np.ndarray:
    """σ₁ - σ₂ on the diameter across two opposed forces P on the diameter D (Frocht, Photoelasticity II, 1948):
    σ_x = (2P/πD)((D² - 4x²)/(D² + 4x²))², σ_y = -(2P/πD)(4D⁴/(D² + 4x²)² - 1) [N/m]."""
    d = 2.0 * RADIUS
    scale, below = 2.0 * FORCE / (math.pi * d), d**2 + 4.0 * x**2
    return scale * ((d**2 - 4.0 * x**2) / below) ** 2 + scale * (4.0 * d**4 / below**2 - 1.0)


def opposed_on_their_diameter(y: np.ndarray) -> np.ndarray:
    """σ₁ - σ₂ on the diameter of the forces: σ_x = 2P/πD, σ_y = -(2P/π)(2/(D - 2y) + 2/(D + 2y) - 1/D) [N/m]."""
    d = 2.0 * RADIUS
    return 2.0 * FORCE / math.pi * (1.0 / d + 2.0 / (d - 2.0 * y) + 2.0 / (d + 2.0 * y) - 1.0 / d)


def three_on_the_axis_of_one(y: np.ndarray) -> np.ndarray:
    """σ₁ - σ₂ on the axis of one of three equal forces at 120° [N/m].

    With t = y/R, the force at t = 1 gives -(2P/πR)/(1 - t) along the axis. Each of the others is at the distance
    R (1 + t + t²)^(1/2); its radial stress -(2P/πR)(1 + t/2)/(1 + t + t²) has the part
    ((1/2 + t)² - 3/4)/(1 + t + t²) along minus across the axis. By symmetry the axes are principal.
    """
    t = y / RADIUS
    square = 1.0 + t + t**2
    along = 1.0 / (1.0 - t) + 2.0 * (1.0 + 0.5 * t) / square * ((0.5 + t) ** 2 - 0.75) / square
    return np.abs(2.0 * FORCE / (math.pi * RADIUS) * along)


@pytest.fixture(scope="module")
def picture_maker() -> Iterator[PictureMaker]:
    from repose.app.window.picture import PictureMaker

    with PictureMaker(SIZE) as maker:
        yield maker


def seen_at(picture_maker: PictureMaker, snapshot: Snapshot, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Linear light of the picture at places [m]."""
    picture = picture_maker.draw(snapshot, SEEN, CAMERA)
    column, row = np.floor(CAMERA.world_to_pixel(np.column_stack((x, y)), SIZE)).astype(int).T
    found: np.ndarray = to_linear(picture[row, column] / 255.0)[:, 0]
    return found


def centres(share: float) -> np.ndarray:
    """Centres of the pixels on a diameter, within this share of the radius [m]."""
    places = (np.arange(SIZE[0]) - 200.0) * CAMERA.metres_per_pixel
    return places[np.abs(places) < share * RADIUS]


@pytest.mark.gl
def test_two_opposed_forces_give_the_fringes_of_the_closed_form_on_both_diameters(picture_maker: PictureMaker) -> None:
    snapshot, across = loaded((math.pi / 2, -math.pi / 2)), centres(0.9)
    expected = light(opposed_on_the_diameter_across(across))
    assert np.ptp(expected) > 0.9
    assert seen_at(picture_maker, snapshot, across, 0 * across) == pytest.approx(expected, abs=0.02)
    along = centres(0.7)
    expected = light(opposed_on_their_diameter(along))
    assert seen_at(picture_maker, snapshot, 0 * along, along) == pytest.approx(expected, abs=0.03)


@pytest.mark.gl
def test_three_forces_at_120_degrees_leave_the_centre_dark_and_give_the_fringes_of_the_closed_form(
    picture_maker: PictureMaker,
) -> None:
    snapshot, along = loaded(tuple(math.pi / 2 + k * math.tau / 3 for k in range(3))), centres(0.65)
    expected = light(three_on_the_axis_of_one(along))
    assert expected[along == 0.0] == pytest.approx(GROUND)
    assert np.ptp(expected) > 0.9
    assert seen_at(picture_maker, snapshot, 0 * along, along) == pytest.approx(expected, abs=0.03)


@pytest.mark.gl
def test_white_light_has_colours_and_a_disc_without_forces_is_dark(picture_maker: PictureMaker) -> None:
    white = SEEN.model_copy(update={"white_light": True})
    middle = picture_maker.draw(loaded((math.pi / 2, -math.pi / 2)), white, CAMERA)[100:300, 150:250].astype(int)
    assert np.ptp(middle, axis=2).max() > 100
    bare = picture_maker.draw(loaded(()), white, CAMERA)[100:300, 100:300]
    assert to_linear(bare / 255.0).max() == pytest.approx(GROUND, abs=0.005)


def test_the_strongest_loads_of_a_disc_are_kept_with_opposite_forces_on_both_sides() -> None:
    forces = loaded(tuple(0.3 * k for k in range(LOADS + 3)), shear=1.0).contacts.forces
    assert forces is not None
    forces.normal_force[:] = np.arange(1.0, LOADS + 4)
    forces.j[-1] = 1
    number, loads = loads_of(forces, 2)
    assert number.tolist() == [LOADS, 1]
    assert np.linalg.norm(loads[0, :, 2:], axis=1) == pytest.approx(
        np.hypot(np.arange(LOADS + 3.0, 3.0, -1.0), 1.0), rel=1e-6
    )
    assert loads[1, 0] == pytest.approx(-loads[0, 0])
    assert (loads[1, 1:] == 0.0).all()


def test_only_grains_are_photoelastic_and_only_in_the_plane() -> None:
    found = next(item for item in all_passes() if item.name == "photoelastic")
    assert found.instances is not None
    snapshot = loaded((0.0, math.pi))

    def rows(view: View) -> np.ndarray | None:
        return found.instances(make_frame(snapshot, view, CAMERA, SIZE, (0, 0, 0, 0), 1.0, Ranges()))

    drawn = rows(SEEN)
    assert drawn is not None
    assert drawn.shape == (1, HEAD + 4 * LOADS)
    assert found.needs_forces(SEEN)
    assert not found.needs_forces(View())
    assert rows(View(colour_by="plain")) is None
    snapshot.grains.fixed[0] = True
    assert len(rows(SEEN)) == 0
    put(snapshot, forces=None)
    assert rows(SEEN) is None


@pytest.mark.parametrize("force", [1e-4, 1.0, 3e5])
def test_strongly_loaded_grains_have_a_fringe_or_two_whatever_the_forces_are_and_the_legend_says_of_what(
    force: float,
) -> None:
    snapshot, view, ranges = loaded((0.0, math.pi)), View(colour_by="photoelastic"), Ranges()
    snapshot.contacts.forces.normal_force[:] = force
    coefficient = stress_optic(snapshot, view, ranges)
    # The order in the middle of the disc, where both forces add up.
    middle = 4.0 / math.pi * force / RADIUS * coefficient / WAVELENGTH
    assert 0.6 < middle < 2.0
    frame = make_frame(snapshot, view, CAMERA, SIZE, (0, 0, 0, 0), 1.0, ranges)
    quantity, span = frame.scale_of_colours
    assert (quantity.symbol, span[1]) == ("Δσ", pytest.approx(FRINGES * WAVELENGTH / coefficient))
    snapshot.contacts.forces.normal_force[:] = 1.5 * force
    assert stress_optic(snapshot, view, ranges) == coefficient, "it seldom changes"
    snapshot.contacts.forces.normal_force[:] = 50.0 * force
    assert stress_optic(snapshot, view, ranges) < 0.2 * coefficient
    assert stress_optic(snapshot, SEEN, ranges) == OPTIC, "chosen by hand"


def test_the_bar_of_the_legend_has_the_colours_of_the_discs() -> None:
    dark, bright = colours_of_orders(np.array([1.0, 0.5]), white_light=False)
    assert dark == pytest.approx(GROUND)
    assert bright == pytest.approx(1.0)
    assert np.ptp(colours_of_orders(np.array([1.0]), white_light=True)) > 0.3
