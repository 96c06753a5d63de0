"""Heaps of clumps of several shapes, in the order of their sphericity, spheres beside them."""

from __future__ import annotations

from repose.sim.study.plan import StudyPlan

STUDY = StudyPlan(
    name="clump-shapes",
    title="Clumps by shape, the roundest first",
    about="Angle of repose of the heap and packing fraction in the container, for shapes in the order of their "
    "sphericity: the radius of the largest member over that of the ball that contains the clump.",
    scene="clumps",
    values={"grain_count": 300, "members": 6, "young": 1e6, "lift_speed": 0.1, "friction": 0.5},
    grid={"shape": ("ball", "cube", "peanut", "tetrahedron", "ellipsoid", "tetrapod", "rod")},
    seeds=(1, 2, 3, 4, 5),
    measured=("angle_of_repose", "container_packing_fraction", "sphericity"),
)
