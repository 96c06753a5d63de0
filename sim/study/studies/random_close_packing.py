"""Packing fraction and contacts at which grains jam, over the friction of spheres, and over the shape of spheroids."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from repose.sim.engine.world import Floats
from repose.sim.experiment.comparison import Published, no_laws, shown
from repose.sim.scenes.lecture.close_packing import ISOSTATIC, JAMMED, SCATTER
from repose.sim.study import verdicts
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.plan import Reference, Statement, StatementVerdict, StudyPlan

FRICTIONS = (0.0, 0.05, 0.2, 0.5, 1.0)
ROOM = 0.15
"""Difference in contacts per sphere that the extrapolation explains [-]."""


ASPECT_RATIOS = (1.0, 1.25, 1.5, 2.0, 3.0)
DENSEST = 0.68, 0.71
"""Packing fractions of the densest spheroids (Donev et al. 2004)."""
TEN = 8.0, 10.5
"""Contacts per spheroid that count as about ten: soft ones have fewer, and two spheroids that touch with two members
count once."""


def at(outcome: StudyOutcome, quantity: str, value: float) -> tuple[float, float] | None:
    """Mean and standard error of a quantity at a value of the abscissa; None without two runs."""
    rows = outcome.rows(outcome.groups[0], quantity)
    return next(((row.value, row.error) for row in rows if row.at == value and row.runs > 1), None)


def is_published(
    outcome: StudyOutcome, quantity: str, published: float, room: float, value: float = 0.0
) -> StatementVerdict:
    """Whether spheres without friction, at this value of the abscissa, jam at the published value."""
    found = at(outcome, quantity, value)
    if found is None:
        return verdicts.UNDECIDED
    value, error = found
    return StatementVerdict(str(shown(value, error)), abs(value - published) < room + verdicts.CLEAR * error)


def falls(outcome: StudyOutcome) -> StatementVerdict:
    """Whether spheres with the largest friction coefficient jam earlier and with fewer contacts."""
    ends = [at(outcome, name, mu) for name in ("jamming_packing", "jamming_contacts") for mu in (0.0, FRICTIONS[-1])]
    if any(end is None for end in ends):
        return verdicts.UNDECIDED
    (first, error), (last, last_error), (many, _), (few, _) = (end for end in ends if end is not None)
    clear = first - last > verdicts.CLEAR * (error + last_error)
    return StatementVerdict(f"φ_J {first:.3f} to {last:.3f}, Z_J {many:.1f} to {few:.1f}", clear and few < many)


def level(packing: float) -> Callable[[Floats], Floats]:
    """The law of a packing fraction that does not depend on the aspect ratio."""
    return lambda alpha: np.full(alpha.shape, packing)


def densest(outcome: StudyOutcome) -> tuple[float, tuple[float, float]] | None:
    """Aspect ratio and packing fraction of the densest grains; None if an aspect ratio has no two runs."""
    found = [(value, at(outcome, "jamming_packing", value)) for value in ASPECT_RATIOS]
    known = [(value, mean) for value, mean in found if mean is not None]
    return max(known, key=lambda pair: pair[1][0]) if len(known) == len(found) else None


def is_densest(outcome: StudyOutcome) -> StatementVerdict:
    """Whether the densest spheroids fill the published share."""
    if (most := densest(outcome)) is None:
        return verdicts.UNDECIDED
    (value, (packing, error)), (low, high) = most, DENSEST
    room = verdicts.CLEAR * error
    ours = f"{shown(packing, error)} at α = {value:g}"
    return StatementVerdict(ours, value > 1.0 and low - room < packing < high + room)


def falls_again(outcome: StudyOutcome) -> StatementVerdict:
    """Whether the longest grains fill less than the densest."""
    most, last = densest(outcome), at(outcome, "jamming_packing", ASPECT_RATIOS[-1])
    if most is None or last is None:
        return verdicts.UNDECIDED
    clear = most[1][0] - last[0] > verdicts.CLEAR * math.hypot(most[1][1], last[1])
    return StatementVerdict(f"{shown(*last)} at α = {ASPECT_RATIOS[-1]:g}", clear)


def has_ten_contacts(outcome: StudyOutcome) -> StatementVerdict:
    """Whether the densest spheroids have about ten contacts."""
    most = densest(outcome)
    found = most and at(outcome, "jamming_contacts", most[0])
    if not found:
        return verdicts.UNDECIDED
    return StatementVerdict(str(shown(*found)), TEN[0] < found[0] < TEN[1])


OVER_FRICTION = StudyPlan(
    name="close-packing",
    title="Close packing of spheres over their friction coefficient",
    about="Equal spheres in a periodic cell that shrinks until they bear a pressure and then grows again; φ_J and Z_J "
    "are where the pressure vanishes. Without friction after O'Hern et al., Phys. Rev. E 68 (2003) 011306. With "
    "friction the spheres jam earlier, and the earlier the faster the cell shrinks.",
    scene="close_packing",
    grid={"friction": FRICTIONS},
    seeds=(1, 2, 3),
    measured=("jamming_packing", "jamming_contacts"),
    drawn_count=2,
    laws=no_laws,
    statements=(
        Statement(
            "Equal spheres without friction jam at random close packing.",
            "0.639",
            lambda outcome: is_published(outcome, "jamming_packing", JAMMED, SCATTER),
        ),
        Statement(
            "There each sphere that bears the pressure has six contacts.",
            "6",
            lambda outcome: is_published(outcome, "jamming_contacts", ISOSTATIC, ROOM),
        ),
        Statement("With friction they jam earlier and with fewer contacts.", "", falls),
    ),
)

OVER_SHAPE = StudyPlan(
    name="close-packing-ellipsoids",
    title="Close packing of spheroids over their aspect ratio",
    about="Equal prolate spheroids without friction, each of spheres on its axis, in a periodic cell that shrinks "
    "until they bear a pressure and then grows again. After Donev et al., Science 303 (2004) 990: up to 0.68 to 0.71 "
    "with about ten contacts, beside 0.64 with six of spheres. The volume is that of the spheres, without the dents "
    "between them: at aspect ratios of 1.5, 2 and 3 it is smaller than that of the spheroid by 0.5, 1.1 and 3.3 %.",
    scene="close_packing",
    values={"grain_count": 200, "members": 13},
    grid={"aspect_ratio": ASPECT_RATIOS},
    seeds=(1, 2, 3),
    measured=("jamming_packing", "jamming_contacts"),
    references=(
        Reference("spheres: O'Hern et al.", points=(Published(1.0, JAMMED, 0.0),)),
        Reference("densest, Donev et al.: 0.68", level(DENSEST[0])),
        Reference("densest, Donev et al.: 0.71", level(DENSEST[1])),
    ),
    laws=no_laws,
    statements=(
        Statement(
            "Equal spheres without friction jam at random close packing.",
            "0.639",
            lambda outcome: is_published(outcome, "jamming_packing", JAMMED, SCATTER, 1.0),
        ),
        Statement(
            "The densest spheroids are longer than wide, and fill up to 0.68 to 0.71.", "0.68 to 0.71", is_densest
        ),
        Statement("They have about ten contacts each.", "10", has_ten_contacts),
        Statement("Longer ones fill less again.", "", falls_again),
    ),
)

STUDY = (OVER_FRICTION, OVER_SHAPE)
