"""Packing fraction and contacts at which spheres jam, over their friction coefficient."""

from __future__ import annotations

from repose.sim.experiment.comparison import no_laws, shown
from repose.sim.scenes.lecture.close_packing import ISOSTATIC, JAMMED, SCATTER
from repose.sim.study import verdicts
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.plan import Statement, StatementVerdict, StudyPlan

FRICTIONS = (0.0, 0.05, 0.2, 0.5, 1.0)
ROOM = 0.15
"""Difference in contacts per sphere that the extrapolation explains [-]."""


def at(outcome: StudyOutcome, quantity: str, friction: float) -> tuple[float, float] | None:
    """Mean and standard error of a quantity at a friction coefficient; None without two runs."""
    rows = outcome.rows(outcome.groups[0], quantity)
    return next(((row.value, row.error) for row in rows if row.at == friction and row.runs > 1), None)


def is_published(outcome: StudyOutcome, quantity: str, published: float, room: float) -> StatementVerdict:
    """Whether spheres without friction jam at the published value."""
    found = at(outcome, quantity, 0.0)
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


STUDY = StudyPlan(
    name="close-packing",
    title="Random close packing: packing fraction at jamming over the friction coefficient",
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
