"""Materials of grains that adhere, and the stiffness of a contact of given radius: for the laws `jkr` and `dmt`."""

from __future__ import annotations

from repose.sim.engine.jit import compilable
from repose.sim.laws.material_columns import ACROSS, COLUMN_COUNT, YOUNG
from repose.sim.laws.material_parameters import MaterialParameters
from repose.sim.laws.materials import CONTACT_COLUMNS
from repose.sim.message import _
from repose.sim.parameters import number

COLUMNS = (*CONTACT_COLUMNS, "surface_energy")
"""Properties of the columns of the table of pairs of materials."""
SURFACE = COLUMN_COUNT
"""Column of the surface energy."""


class AdhesiveParameters(MaterialParameters):
    """One material that adheres to itself and to the walls."""

    # fmt: off
    surface_energy: float = number(0.05, 0.0, 100.0, _("surface energy"), "γ", "J/m²", log=True, effect="ramp",
        group=_("Material"),
        help=_("Of grains and walls; 0 is dry, 0.05 to 0.5 polymers and glass. Parting them takes 2 γ per area."))
    # fmt: on


@compilable(forceinline=True)
def stiffness_at(contact, radius):
    """Stiffness along and across a contact whose area has this radius [m], that of a flat punch: 2 E* a and 8 G* a
    [N/m]."""
    along = 2.0 * contact.material[YOUNG] * radius
    return along, contact.material[ACROSS] ** 2 * along
