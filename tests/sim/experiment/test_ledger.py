"""The energy that removed spheres take along, and that displaced walls give to their contacts."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.engine.world import PAIR_COUNT
from repose.sim.experiment import ledger
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import booked_walls, energy_of, remove_spheres
from repose.sim.experiment.stepping import advance
from repose.sim.registry import scenes

from tests.reliability.runs import FEW
from tests.small_worlds import use_plain_engine


@pytest.fixture
def pile(monkeypatch: pytest.MonkeyPatch) -> Experiment:
    """Grains of which some touch each other and some still fall."""
    use_plain_engine(monkeypatch)
    experiment = new_experiment("heap", FEW | {"integrator": "leapfrog"})
    assert not apply(experiment, Act("fill"))
    for _ in range(200):
        advance(experiment, 20)
        touching = in_contact(experiment)
        if touching.any() and not touching.all():
            return experiment
    pytest.fail("no grain touches another one")


def in_contact(experiment: Experiment) -> np.ndarray:
    """Rows of grains that can move: True for those that touch a sphere, shape (grains,)."""
    world = experiment.run.world
    pairs, used = world.pairs, int(world.counters[PAIR_COUNT])
    rows = np.concatenate([column[:used][pairs.touching[:used] > 0] for column in (pairs.i, pairs.j)])
    return np.isin(np.flatnonzero(~world.fixed), rows)


@pytest.mark.parametrize("touching", [True, False])
def test_the_ledger_stays_balanced_when_a_grain_is_removed(pile: Experiment, touching: bool) -> None:
    world, before = pile.run.world, energy_of(pile)
    row = np.flatnonzero(~world.fixed)[in_contact(pile) == touching][0]
    remove_spheres(pile, np.arange(world.sphere_count) == row)
    after = energy_of(pile)
    assert pile.run.world.sphere_count == world.sphere_count - 1
    assert after.gap == pytest.approx(before.gap, abs=1e-12 * abs(before.poured))
    assert after.removed == pytest.approx(before.mechanical - after.mechanical, rel=1e-9)
    assert after.sliding == pytest.approx(before.sliding, abs=1e-12 * abs(before.poured))


def test_no_contact_is_surveyed_for_a_grain_that_touches_nothing(pile: Experiment, monkeypatch) -> None:
    world = pile.run.world
    falling, lying = (np.flatnonzero(~world.fixed)[in_contact(pile) == touching][0] for touching in (False, True))

    def refused(*given: object) -> None:
        raise AssertionError("surveyed")

    monkeypatch.setattr(ledger, "survey_contacts", refused)
    remove_spheres(pile, np.arange(world.sphere_count) == falling)
    with pytest.raises(AssertionError, match="surveyed"):
        remove_spheres(pile, pile.run.world.sphere_id == world.sphere_id[lying])


def test_displaced_walls_change_the_energy_of_their_contacts_alone() -> None:
    experiment = new_experiment("drum", scenes()["drum"].test_values)
    apply(experiment, Act("run"))
    advance(experiment, 20_000)
    booked, walls, before = experiment.run.booked, experiment.run.world.walls, energy_of(experiment)
    work, shear = booked.work, booked.shear
    with booked_walls(experiment):
        walls.corner[:, :, 1] += 1e-4 * experiment.run.built.mean_radius
    after = energy_of(experiment)
    assert before.shear > 0.0
    assert abs(after.elastic - before.elastic) > 1e-4 * before.elastic
    assert booked.work - work == pytest.approx(after.mechanical - before.mechanical, rel=1e-9)
    assert booked.shear - shear == pytest.approx(after.shear - before.shear, rel=1e-9, abs=1e-15 * before.shear)
    assert after.gap == pytest.approx(before.gap, abs=1e-12 * abs(before.poured))
