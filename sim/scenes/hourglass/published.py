"""The hourglass as published (Duffau & Lynch 2020): a prism with a square neck, equal masses, no rotation.

Grains start at random positions above the neck and fall at once; there is no lid. The law has no memory, and its
tangential part is stiff: dt k_t / m* = 4 at the published 10 µs. k_t v_t would overshoot without the Coulomb limit;
below the limit the direction of friction alternates from step to step. The normal part, k_n = 1000 N/m with
gamma = 70 kg/s and m = 10 g, is overdamped: grains do not bounce but separate slowly (gamma/k_n = 0.07 s), while the
damping force is attractive. The source gives neither the floor nor the law of the walls; here walls have the law of the
grains.

Source: T. Duffau and E. Lynch, "Medios granulares: Reloj de arena en 3D", 2020 (in Spanish).
"""

from __future__ import annotations

from repose.sim.direction import Direction
from repose.sim.experiment.experiment import Course, Hand, ModelChoice, Scene, SceneLimits, SceneView
from repose.sim.laws.memoryless import LAW
from repose.sim.message import _
from repose.sim.scenes.common.law_choice import is_direct_law, with_law
from repose.sim.scenes.hourglass import course as course
from repose.sim.scenes.hourglass import flow_readings
from repose.sim.scenes.hourglass.flow_rate_study import STUDY
from repose.sim.scenes.hourglass.parameters import HourglassParameters
from repose.sim.scenes.hourglass.random_filling import BANDS, begin, smallest_grain

SCENE = Scene(
    name="hourglass",
    title=_("Hourglass"),
    summary=_("Grains flow through a square neck and are counted; without friction springs (Duffau & Lynch 2020)."),
    direction=Direction(
        see=_("Grains pass the neck at a constant rate, however high they stand above it."),
        colour="layer",
        look="front",
        plot="flow",
        speed=1.0,
        seconds=20.0,
    ),
    parameters=with_law(HourglassParameters, LAW, is_direct_law),
    model=ModelChoice(law=LAW.name, dimension=3, smallest_grain=smallest_grain),
    course=Course(
        begin=begin,
        supervise=course.supervise,
        actions=course.actions,
        act=course.act,
        phases=course.PHASES,
        describe=course.describe,
        results=flow_readings.results,
        check=course.check,
        find_answer=flow_readings.answer,
        answer_values=flow_readings.ANSWER_VALUES,
        readings=flow_readings.readings,
        later_readings=flow_readings.LATER,
        notice=course.notice,
        invalid_state=course.invalid_state,
    ),
    view=SceneView(
        box=course.box,
        facets=course.facets,
        layers=lambda experiment: BANDS,
        curves=flow_readings.curves,
    ),
    hand=Hand(on_grain_removed=course.on_grain_removed),
    # The published 1000 N/m are soft: grains that strike the neck overlap by 42 % and 48 % of a radius (seeds 1, 2).
    limits=SceneLimits(overlap_limit=0.6),
    lecture=("friction", "normal_stiffness", "gravity", "orifice", "grain_count"),
    study=STUDY,
    test_values={"grain_count": 60, "mean_radius": 0.02, "orifice": 0.25, "fill_height": 1.1, "window": 10},
)
