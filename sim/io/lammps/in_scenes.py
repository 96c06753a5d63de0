"""What LAMMPS continues of each scene with its usual law, and in what it differs; tests hold it against the export."""

from __future__ import annotations

from typing import Literal, NamedTuple


class InLammps(NamedTuple):
    """Whether LAMMPS continues a scene."""

    state: Literal["exact", "approximate", "no"]
    """Exact: at the first step all forces are equal, but for friction springs, which begin without stretch."""
    differs: str = ""
    """What differs in the forces, of which the export of a run says how much; or why LAMMPS cannot continue it."""
    later: str = ""
    """What the scene does later and LAMMPS does not; the export of a run repeats it."""

    @property
    def words(self) -> str:
        """All that differs."""
        return "; ".join(words for words in (self.differs, self.later) if words)


_FOLDS = "friction springs begin anew where a grain passes from one flat wall to the next"
_STANDS = "while the table stands: LAMMPS keeps its present angle"
_CURVED = "at the cylinder the curvature is part of the effective radius (3 % of the force)"
_POURED = "LAMMPS pours no further grains"
_ROLLING = "rolling friction is a spring with the same limit"
_BONDS = "bonds with breaking and damping across gaps have no counterpart"
_LARGE = "the internal friction of the law acts across gaps, and a tabulated force has no damping"
_FIELDS = "fields (liquid, hoist, central gravity) are not written"

IN_LAMMPS: dict[str, InLammps] = {
    "bed_impact": InLammps("exact", later="until the sphere is released; before, it is fixed above the bed"),
    "biaxial": InLammps(
        "exact", later="before the test; during it walls that keep a force go on with their present velocity"
    ),
    "bounce": InLammps("exact"),
    "brazil_nut": InLammps(
        "exact", later="while the box moves, its oscillation is followed at every step, not in straight pieces"
    ),
    "chute": InLammps("exact", later=_STANDS),
    "close_packing": InLammps("approximate", later="the cell keeps its present size"),
    "clumps": InLammps("approximate", _ROLLING, _POURED),
    "drum": InLammps(
        "approximate", _FOLDS, "while the drum turns, it turns as a whole, and not each facet in straight pieces"
    ),
    "drum_in_space": InLammps(
        "approximate", "at the cylinder the curvature is part of the effective radius (1 % of the force)"
    ),
    "heap": InLammps("approximate", "the Coulomb limit is that of coulomb_cap = lammps", _POURED),
    "heap3d": InLammps("approximate", _ROLLING, _POURED),
    "hourglass": InLammps(
        "approximate", "each side of the neck is the rectangle around it, which ends behind the other sides", _POURED
    ),
    "hourglass_glass": InLammps("approximate", f"{_CURVED}; {_FOLDS}", _POURED),
    "impacts": InLammps("exact"),
    "janssen": InLammps("exact", later="until the next portion of grains"),
    "joined": InLammps("exact"),
    "plane_shear": InLammps("no", "the plate is driven in one direction and floats in the other"),
    "rough_plane": InLammps("exact", later=_STANDS),
    "silo": InLammps("exact", later="until the outlet is widened, or grains that have left are put on top again"),
    "slope": InLammps("exact"),
    "sphere_tests": InLammps(
        "approximate",
        later="all but the spheres in a liquid; a sphere that slides has no friction there in the first step",
    ),
    "triaxial": InLammps(
        "exact", later="before the test; during it walls that keep a force go on with their present velocity"
    ),
    "two_sided": InLammps("exact", later=_POURED),
    "vessel": InLammps("no", "its surface has hundreds of facets, and a region is tested by every grain"),
    **dict.fromkeys(("beam", "capture", "cube", "projectile", "rod"), InLammps("no", _BONDS)),
    **dict.fromkeys(("hoisted", "log", "raft", "satellite"), InLammps("no", f"{_BONDS}; {_FIELDS}")),
    **dict.fromkeys(("column", "rake"), InLammps("no", _LARGE)),
}
"""By the name of the scene; one of a plug-in is not in it."""
