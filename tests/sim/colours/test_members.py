"""The colour that tells balls from clumps."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from repose.app.render.colours import offered
from repose.sim.colours.members import COLOUR, span, values

from tests.app.fake_heap import fake_heap
from tests.snapshots import with_fields


def test_a_sphere_has_the_number_of_spheres_of_its_grain() -> None:
    body = np.array([-1, 3, 3, 0, -1, 0, 0])
    assert values(SimpleNamespace(world=SimpleNamespace(body=body))).tolist() == [1, 2, 2, 3, 1, 3, 3]
    assert span(np.array([1.0, 2.0]), fake_heap()) == (1.0, 2.0)
    assert span(np.array([4.0]), fake_heap()) == (4.0, 5.0)


def test_it_is_offered_where_there_are_bodies() -> None:
    loose = fake_heap()
    assert COLOUR.name not in offered(loose)
    assert COLOUR.name in offered(with_fields(loose, body=np.arange(len(loose.grains.body)) // 2))
    assert "force" in offered(loose)
