"""Beverloo's exponent: the flow of glass beads over the orifice (Beverloo, Leniger & van de Velde 1961)."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.headless import run_experiment
from repose.sim.measure.beverloo import fit_exponent

RADIUS = 5e-3
RING = 2.8 * RADIUS
"""Empty ring of Beverloo's law, 1.4 diameters [m]."""


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_flow_of_glass_beads_grows_with_the_orifice_to_the_power_five_halves() -> None:
    # Orifices of 8, 10 and 12 diameters: well away from clogging, and the bed still deeper than the orifice is wide.
    values = {"mean_radius": RADIUS, "grain_count": 10_000, "fill_height": 1.25, "count_for": 1.0}
    orifices, rates = (0.08, 0.10, 0.12), []
    for orifice in orifices:
        result = run_experiment(new_experiment("hourglass_glass", values | {"orifice": orifice}))
        assert result["fault"] is None
        assert not result["complaint"]
        assert result["grains"] == 10_000
        assert result["flow_rate"]["passages"] > 1500
        energy = result["energy"]
        assert abs(energy["gap"]) < 0.01 * (energy["damping"] + energy["sliding"])
        rates.append(result["flow_rate"]["mean"])
    assert (np.diff(rates) > 0.0).all()
    assert fit_exponent(orifices, rates, RING).exponent == pytest.approx(2.5, abs=0.3)
