"""The hourglass with realistic grains: rotating Hertz-Mindlin beads of glass in a round cone with a lid.

Young's modulus is softened from 60 GPa to 6 MPa, which makes the time step a hundred times longer; grains at rest
overlap by about a percent of their radius. The cone is a pyramid of 24 sides with the circle's area at every height.
"""

from __future__ import annotations

from dataclasses import replace

from repose.sim.experiment.experiment import SceneLimits
from repose.sim.laws.hertz_mindlin import LAW
from repose.sim.message import _
from repose.sim.scenes.common.law_choice import is_material_law, with_law
from repose.sim.scenes.hourglass.flow_rate_study import GLASS_STUDY
from repose.sim.scenes.hourglass.parameters import HourglassGlassParameters
from repose.sim.scenes.hourglass.prepared import PREPARED
from repose.sim.scenes.hourglass.published import SCENE as PUBLISHED

SCENE = replace(
    PUBLISHED,
    name="hourglass_glass",
    title=_("Hourglass of glass beads"),
    summary=_("Rotating Hertz-Mindlin beads flow through a round neck, which is opened once they have settled."),
    parameters=with_law(HourglassGlassParameters, LAW, is_material_law),
    model=replace(PUBLISHED.model, law=LAW.name, rotates=lambda parameters: True),
    course=replace(PUBLISHED.course, prepared=PREPARED),
    limits=SceneLimits(),
    lecture=("friction", "restitution", "gravity", "orifice", "grain_count"),
    study=GLASS_STUDY,
)
