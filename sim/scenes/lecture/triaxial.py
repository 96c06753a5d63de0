"""The triaxial test: a packing of spheres between six plates is compressed, at constant pressure of the side plates.

The course is that of repose.sim.scenes.common.press: isotropic compression, then axial compression. The plates are
smooth planes, which a plate at right angles does not hinder; a laboratory has a rubber membrane in place of those at
the sides. The friction angle of a dense packing at its peak exceeds that of the flow of constant volume (Bolton 1986).
"""

from __future__ import annotations

import math

import numpy as np
from repose.sim.direction import Direction
from repose.sim.engine.builder import SphereGroup, add_spheres, empty_world, set_walls
from repose.sim.engine.contacts.wall_geometry import PLANE
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment, ModelChoice, Scene, SceneView
from repose.sim.laws.hertz_mindlin import LAW
from repose.sim.laws.material_parameters import Restitution, WallFriction, YoungsModulus
from repose.sim.measure.display import Guess
from repose.sim.message import Message, _
from repose.sim.parameters import number, variant
from repose.sim.scenes.common.grain_sizes import drawn_radii
from repose.sim.scenes.common.motion_parameters import Gravity
from repose.sim.scenes.common.poured_parameters import GrainCount, MeanRadius, SizeSpread
from repose.sim.scenes.common.press import (
    READINGS,
    PressParameters,
    Strain,
    StrainRate,
    Words,
    curves_with,
    places,
    readings_with,
    side_plates,
    stirred,
)
from repose.sim.scenes.common.stream import smallest_grain
from repose.sim.scenes.lecture.disc_scene import (
    SOFT_DISCS,
    SPACING,
    Box,
    disc_course,
    disc_parameters,
)
from repose.sim.scenes.lecture.press_course import Expected, press_course

WORDS = Words(_("volume"), _("change of the volume"), _("growth of the volume"), _("Volume"))


class TriaxialParameters(PressParameters):
    """Spheres in a triaxial test, in SI."""

    grain_count: GrainCount = 800
    mean_radius: MeanRadius = 2e-3
    size_spread: SizeSpread = 0.3
    strain_rate: StrainRate = 0.2
    strain: Strain = 0.25
    # fmt: off
    young: YoungsModulus = variant(2e7,
        help=_("Of grains and walls. Soft grains bear large time steps; sand has 60 GPa."))
    restitution: Restitution = variant(0.8,
        help=_("Speed after over speed before an impact. Dense flow hardly depends on it, the time step does."))
    gravity: Gravity = variant(0.0,
        help=_("Zero, so that the stress is the same at all heights, as in a small sample under load."))
    wall_friction: WallFriction = variant(0.0,
        help=_("Friction coefficient between grains and plates; smooth plates let the sample widen."))
    pressure: float = number(2e3, 10.0, 1e5, _("confining pressure"), "σ_3", "Pa", log=True, effect="prepare",
        group=_("Press"), help=_("Of the plates at the sides, which follow a change during the test."))
    # fmt: on

    @property
    def columns(self) -> tuple[int, int]:
        """Spheres of the lattice along a level direction, and upwards."""
        side = math.ceil((self.grain_count / self.slenderness) ** (1.0 / 3.0))
        return side, math.ceil(self.grain_count / side**2)

    @property
    def space(self) -> tuple[float, float]:
        """Initial width and height of the space between the plates [m]."""
        across, up = self.columns
        step = 2.0 * SPACING * self.largest_radius
        return across * step, up * step

    @property
    def time_scale(self) -> float:
        """√(m/(σ_3 d)), the time in which the pressure moves a grain by its size [s]; the strain rate times this time
        is the inertial number."""
        mass = float(self.mass_of(np.array(self.mean_radius)))
        return math.sqrt(mass / (2.0 * self.mean_radius * self.pressure))


def start(parameters: TriaxialParameters, seed: int) -> World:
    """The grains of the gas on a cubic lattice, shifted at random, between the open plates."""
    generator = np.random.default_rng(seed)
    across, (width, height) = parameters.columns[0], parameters.space
    step = 2.0 * SPACING * parameters.largest_radius
    level, row = np.divmod(np.arange(parameters.grain_count), across**2)
    cells = np.column_stack([*np.divmod(row, across), level])
    position = (cells + 0.5) * step - (0.5 * width, 0.5 * width, 0.0)
    position += generator.uniform(-0.5, 0.5, position.shape) * (step - 2.0 * parameters.largest_radius)
    radii = drawn_radii(parameters, generator)
    world = empty_world(3, 3, skin=0.3 * parameters.mean_radius, materials=3)
    world = stirred(add_spheres(world, position, radii, parameters.mass_of(radii), SphereGroup(layer=0)), seed)
    return set_walls(world, [PLANE] * 6, plates(width, height), material=1)


def plates(width: float, height: float) -> Floats:
    """Planes around the space between 0 and the height, and ± half of the width [m], shape (6, 3, 3)."""
    corners = np.zeros((6, 3, 3))
    corners[1, 0, 2] = height
    corners[0, 1, 2], corners[1, 1, 2] = 1.0, -1.0
    for c in range(2):
        for plate, side in ((2 + 2 * c, -1.0), (3 + 2 * c, 1.0)):
            corners[plate, 0, c], corners[plate, 1, c] = side * 0.5 * width, -side
    return corners


EXPECTED = Expected(
    kept=0.05,
    strain=0.15,
    widens=_("the sample widens while it is pressed (Reynolds), by a share of its volume"),
    answer=lambda **shown: Message(
        "The sample bears {of} times the pressure of the sides (φ = {peak}°) at a strain of {of2} %, "
        "and {of3} times (φ = {final}°) at the end, with a volume larger by {of4} %.",
        **shown,
    ),
)


def box(experiment: Experiment) -> Box:
    """The space at the start."""
    (width, height), edge = experiment.run.built.space, experiment.run.built.mean_radius
    return (-0.5 * width - edge, -0.5 * width - edge, 0.0), (0.5 * width + edge, 0.5 * width + edge, height)


def focus(experiment: Experiment) -> Box:
    """The sample between its plates."""
    low, high = corners_of_sample(experiment.run.world)
    return tuple(low.tolist()), tuple(high.tolist())


def corners_of_sample(world: World) -> tuple[Floats, Floats]:
    """Lower and upper corner of the space between the plates [m], shape (3,) each."""
    at, rows = places(world), [side_plates(world, c) for c in range(3)]
    low, high = (np.array([at[rows[c][end], c] for c in range(3)]) for end in range(2))
    return low, high


def facets(experiment: Experiment) -> Floats:
    """The lower plate as two triangles [m], shape (2, 3, 3): the others would hide the grains."""
    low, high = corners_of_sample(experiment.run.world)
    (x0, y0, z), (x1, y1, _top) = low, high
    a, b, c, d = (x0, y0, z), (x1, y0, z), (x1, y1, z), (x0, y1, z)
    return np.array([[a, b, c], [a, c, d]])


COURSE = press_course("triaxial", start, EXPECTED)

SCENE = Scene(
    name="triaxial",
    title=_("Triaxial test"),
    summary=_("A dense sample of spheres is shortened between six plates: a peak of the stress, and dilatancy."),
    direction=Direction(
        see=_("The sample becomes shorter and wider; its volume grows."),
        colour="force",
        plot="stress",
        speed=0.2,
        seconds=8.0,
    ),
    parameters=disc_parameters(TriaxialParameters),
    model=ModelChoice(law=LAW.name, dimension=3, smallest_grain=smallest_grain, rotates=lambda parameters: True),
    course=disc_course(COURSE, readings_with(WORDS), READINGS),
    view=SceneView(box=box, focus=focus, facets=facets, layers=lambda experiment: 1, curves=curves_with(WORDS)),
    limits=SOFT_DISCS,
    guess=Guess(_("Largest pressure of the upper plate over that of the sides"), str(_("times")), 1.0, 6.0),
    lecture=("friction", "packing_friction", "pressure", "strain_rate", "slenderness"),
    test_values={
        "grain_count": 60,
        "young": 1e6,
        "restitution": 0.5,
        "strain": 0.03,
        "strain_rate": 0.5,
    },
)
