"""Surface energy: what parts two surfaces, half the work of adhesion per area."""

from __future__ import annotations

from repose.sim.laws.material_property import Property

PROPERTY = Property("surface_energy", "γ", "J/m²", default=0.0, least=0.0)
