"""Three cases of the comparison of nine programs, reduced: flow out of a silo, a drum, and a sphere that strikes a bed.

M. Dosta et al., Comparing open-source DEM frameworks for simulations of common bulk processes, Computer Physics
Communications 296 (2024) 109066, doi:10.1016/j.cpc.2023.109066.
"""

from __future__ import annotations

from repose.sim.experiment.comparison import Published, no_laws, shown
from repose.sim.scenes.lecture.bed_impact import FINE, PUBLISHED, SHALLOW, BedImpactParameters
from repose.sim.scenes.lecture.drum_in_space import QUADRANTS
from repose.sim.study import verdicts
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.plan import Case, Reference, Statement, StatementVerdict, StudyPlan

RATES = {0.04: 7700.0, 0.06: 23_200.0}
"""Grains per second by the diameter of the orifice [m], of MUSEN with the material M1."""
NEAR = 0.1
"""Difference from one of the nine programs that counts as agreement [-]: the rates of two packings, and of silos of two
widths, differ by some percent (Beverloo's law has neither)."""
ALIKE = 0.05
"""Difference of the shares in a quadrant, means of the second half of a run, that counts as none [-]: they swing by ten
times as much."""
COARSE = BedImpactParameters().mean_radius
"""Radius of the grains of the reduced bed [m]."""


def flows_as_published(outcome: StudyOutcome) -> StatementVerdict:
    """Whether the rates of M1 are near those of MUSEN."""
    group = next(group for group in outcome.groups if group.name == "M1")
    rows = {row.at: row for row in outcome.rows(group)}
    both = [(rows[width], theirs) for width, theirs in RATES.items() if width in rows]
    if not both:
        return verdicts.UNDECIDED
    words = ", ".join(f"{row.value:.0f}" for row, _theirs in both)
    return StatementVerdict(words, all(abs(row.value / theirs - 1.0) <= NEAR for row, theirs in both))


def goes_as_far(outcome: StudyOutcome) -> StatementVerdict:
    """Whether the sphere goes as far as published in the shallow bed, within a diameter of the reduced grains. A deep
    bed of coarse grains is none of small ones: it is shown and not judged."""
    row = next((row for row in outcome.rows(outcome.groups[0]) if row.at == reduced(SHALLOW)), None)
    if row is None:
        return verdicts.UNDECIDED
    agrees = abs(row.value - PUBLISHED[SHALLOW]) <= 2.0 * COARSE
    return StatementVerdict(f"{shown(1e3 * row.value, 1e3 * row.error)} mm", agrees)


def fills_equally(outcome: StudyOutcome) -> StatementVerdict:
    """Whether the grains of both stiffnesses are in the quadrants in equal shares."""
    shares = [
        [row.means[name].value for name in QUADRANTS]
        for row in outcome.table
        if all(row.means.get(name) is not None for name in QUADRANTS)
    ]
    if len(shares) < 2:
        return verdicts.UNDECIDED
    apart = max(max(each) - min(each) for each in zip(*shares, strict=True))
    return StatementVerdict(f"differ by {100.0 * apart:.1f} %", apart <= ALIKE)


def reduced(count: int) -> int:
    """Number of the reduced grains that make the bed of so many published ones."""
    return round(count * (FINE / COARSE) ** 3)


WAYS = tuple(Published(reduced(count), way, 0.0) for count, way in PUBLISHED.items())
"""Published ways over the number of grains of the reduced bed of the same volume [m]."""

STUDY = (
    StudyPlan(
        name="silo-emptying",
        title="Flow out of a silo: nine programs, reduced",
        about="Case 1 of Dosta et al., Computer Physics Communications 296 (2024) 109066: spheres of 4 mm, orifices of "
        "40 and 60 mm, a cone of 45°. Here the silo is narrower, has fewer grains, and these are softer by a factor of "
        "200; by Beverloo's law the rate depends on none of them.",
        scene="hourglass_glass",
        preset="silo-emptying",
        values={"width": 0.15, "cone_height": 0.045, "grain_count": 20_000, "fill_height": 1.0},
        grid={"orifice": tuple(RATES)},
        cases=(
            Case("M1"),
            Case("M2", {"young": 2.5e6, "density": 2000.0, "restitution": 0.4, "friction": 0.4}),
        ),
        seeds=(1,),
        references=(
            Reference("MUSEN, M1", points=tuple(Published(width, rate, 0.0) for width, rate in RATES.items())),
        ),
        laws=no_laws,
        statements=(Statement("M1 flows out as in one of the nine programs.", "7700 and 23 200", flows_as_published),),
    ),
    StudyPlan(
        name="drum-in-space",
        title="Quadrants of a drum: nine programs, reduced",
        about="Case 2 of Dosta et al., Computer Physics Communications 296 (2024) 109066: 30 000 spheres of 2 mm on "
        "8000 of 4 mm in a drum that turns at 2 rad/s. Here the grains have twice the published diameters, an eighth "
        "as many make the same filling, and they are softer. The published numbers were not at hand: what is judged "
        "is that the stiffness does not matter.",
        scene="drum_in_space",
        grid={"drum_speed": (2.0,)},
        cases=(Case("5 MPa"), Case("1 MPa", {"young": 1e6, "large_young": 5e5})),
        seeds=(1,),
        measured=(*QUADRANTS, "angle_degrees", "last_mixing", "work_over_weight"),
        laws=no_laws,
        statements=(
            Statement("The shares in the quadrants do not depend on the stiffness.", "not stated", fills_equally),
        ),
    ),
    StudyPlan(
        name="bed-impact",
        title="Way of a sphere into a bed: nine programs, reduced",
        about="Case 3 of Dosta et al., Computer Physics Communications 296 (2024) 109066: a sphere of 20 mm strikes "
        "beds of three heights at 5 m/s. Here the grains have twice the published diameter, an eighth as many make the "
        "same bed.",
        scene="bed_impact",
        grid={"grain_count": (3125, 6250, 12_500)},
        seeds=(1,),
        measured=("impact_way", "bed_packing"),
        references=(Reference("MUSEN", points=WAYS),),
        laws=no_laws,
        statements=(
            Statement(
                "The sphere goes as far into the shallow bed as in one of the nine programs.", "139 mm", goes_as_far
            ),
        ),
    ),
)
