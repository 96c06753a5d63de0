"""Labels by which the files of lectures named readings and plots before these had names.

Nothing is added here: new readings and plots are known by their names only.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache

from repose.app.language import NATIVE, read_language
from repose.sim.message import Message, _, label_of, plain

READINGS: Mapping[Message, str] = {
    plain("2 √(g h)"): "dam_break_speed",
    _("amplitude of the box"): "box_amplitude",
    _("angle of repose"): "angle_of_repose",
    _("angle of the plane"): "plane_angle",
    _("angle of the surface"): "surface_angle",
    _("bonds"): "bonds",
    _("bonds broken"): "bonds_broken",
    _("centre moved sideways"): "centre_sideways",
    _("change of the area"): "area_change",
    _("cone angle"): "cone_angle",
    label_of(_("contacts per grain"), "Z"): "coordination",
    _("deflection of the end"): "end_deflection",
    _("displaced mass over mass"): "displaced_mass",
    _("distance from the planet"): "planet_distance",
    _("flow rate"): "flow_rate",
    _("force on the bottom"): "bottom_force",
    _("friction angle at the peak"): "peak_friction_angle",
    _("Froude number"): "froude_number",
    _("grains held"): "grains_held",
    _("grains left"): "grains_left",
    _("grains off the floor"): "grains_off_floor",
    _("grains on the floor"): "grains_on_floor",
    _("grains on the plate"): "grains_on_plate",
    _("grains passed"): "grains_passed",
    _("grains poured"): "grains_poured",
    _("grains that left the plate"): "grains_gone",
    _("height"): "height",
    _("height of the centre"): "centre_height",
    _("height of the large grain"): "large_grain_height",
    _("height of the surface"): "surface_height",
    _("hysteresis"): "hysteresis",
    _("inclination of the log"): "log_inclination",
    _("inertial number"): "inertial_number",
    label_of(_("largest shear"), "τ"): "largest_shear",
    _("largest speed of the front"): "front_speed",
    _("last start"): "last_start",
    _("left flank"): "left_angle",
    _("left flank steeper by"): "steeper_left_flank",
    _("limit of a very high column"): "force_limit",
    _("mass of the log"): "log_mass",
    _("mean angle"): "mean_angle",
    _("mean density of the body"): "mean_density",
    _("mean level"): "mean_level",
    _("mean spin of the last third"): "late_mean_spin",
    _("mobilised wall friction"): "mobilised_wall_friction",
    _("number density"): "number_density",
    _("orbits"): "orbits",
    _("outlet"): "outlet",
    label_of(_("packing fraction"), "φ"): "packing_fraction",
    _("packing in the container"): "container_packing",
    _("particles"): "particles",
    _("periods"): "periods",
    label_of(_("pressure"), "P"): "pressure",
    _("pressure ratio K"): "pressure_ratio",
    _("restitution"): "restitution",
    _("right flank"): "right_angle",
    _("right flank steeper by"): "steeper_right_flank",
    _("share held"): "share_held",
    _("since the last grain"): "time_since_last_grain",
    _("slope of the surface"): "surface_slope",
    _("small grains below the large one"): "small_grains_below",
    _("speed of the drum"): "drum_speed",
    _("sphericity"): "sphericity",
    _("sphericity of the second shape"): "second_sphericity",
    _("spin"): "spin",
    _("spin of the cube"): "cube_spin",
    _("spin of the projectile"): "projectile_spin",
    _("spin of the target"): "target_spin",
    _("steeper at the foot by"): "steeper_at_foot",
    _("steeper at the top by"): "steeper_at_top",
    _("strain of the height"): "height_strain",
    _("surface at the moving wall"): "surface_at_moving_wall",
    _("surface at the right wall"): "surface_at_right_wall",
    _("table"): "table_angle",
    _("tension of the thread"): "thread_tension",
    _("thickness of the layer"): "layer_thickness",
    _("tilting angle"): "tilting_angle",
    _("turned by"): "turned_by",
    _("velocity of the cube"): "cube_velocity",
    _("velocity of the particle"): "particle_velocity",
    _("velocity of the projectile"): "projectile_velocity",
    _("velocity of the target"): "target_velocity",
    _("waits for rest cut short"): "waits_cut_short",
    _("weight below the end of the log"): "weight_below_end",
    _("weight of the filling"): "filling_weight",
    _("weight of the log"): "log_weight",
    _("σ1, upper plate"): "plate_stress",
    plain("σ1/σ3"): "stress_ratio",
    _("σ3, sides"): "side_stress",
}
"""Name of the reading that had this label, which a file could give in any language of the window."""
PLOTS: Mapping[str, tuple[str, ...]] = {
    "Angle": ("angle_in_time", "flank_angle"),
    "Angle over speed": ("angle_over_speed",),
    "Area": ("area",),
    "Avalanches": ("avalanches",),
    "Below": ("below",),
    "Broken": ("broken",),
    "Centre": ("centre",),
    "Deflection": ("deflection",),
    "Displaced": ("displaced",),
    "Distance": ("distance",),
    "Flow": ("flow",),
    "Flow rate": ("flow_rate",),
    "Force": ("force",),
    "Force in time": ("force_in_time",),
    "Front": ("front",),
    "Grains passed": ("grains_passed",),
    "Height": ("height",),
    "Inclination": ("inclination",),
    "Layer": ("layer",),
    "Pressure": ("pressure_on_plate",),
    "Profile": ("profile",),
    "Slope": ("slope",),
    "Speed": ("speed",),
    "Spin": ("spin",),
    "Stress": ("stress",),
    "Stretch": ("stretch",),
    "Surface": ("surface",),
    "Tension": ("tension",),
    "Thickness": ("thickness",),
    "Velocity": ("velocity",),
    "Weight": ("weight",),
}
"""Names of the plots that had this title, in different scenes."""


def reading_named(label: str) -> str:
    """Name of the reading that had this label; empty if none had it."""
    return _by_label().get(label, "")


def plot_named(title: str, offered: Collection[str]) -> str:
    """Name of the plot that had this title, among those that a scene offers; empty if none had it."""
    return next((name for name in PLOTS.get(title, ()) if name in offered), "")


@cache
def _by_label() -> Mapping[str, str]:
    languages = [read_language(language) for language in NATIVE]
    return {language.translated(label): name for language in reversed(languages) for label, name in READINGS.items()}
