"""Grains flow down a rough chute without ends or sides: `python chute.py 32000 10`.

After the benchmark *chute* of LAMMPS, in its units: diameters, and times of free fall. Printed: speed and filling.
"""

import math
import sys

import numpy as np
from repose.sim import Simulation, place_spheres

MASS, ANGLE = math.pi / 6.0, math.radians(26.0)  # of grains 1 m wide, of density 1 [kg]; of the base
LAW = {"law": "lee_herrmann", "exponent": "linear", "coulomb_cap": "lammps", "wall_stiffness_factor": 1.0}
LAW |= {"normal_stiffness": 2e5, "shear_stiffness": 2e5 * 2.0 / 7.0, "normal_damping": 50.0, "shear_damping": 0.0}


def chute(grains: int) -> Simulation:
    """Grains that begin to flow over a base of fixed ones, in a world that is periodic along and across the flow."""
    random, columns = np.random.default_rng(1), max(5, round(math.sqrt(grains / 80.0)))
    size = 1.05 * np.array([2.0 * columns, columns])
    below = np.indices((round(size[0] / 0.94), round(size[1] / 0.94))).reshape(2, -1).T
    base = np.column_stack([below * size / (below.max(axis=0) + 1), random.uniform(-0.5, 0.0, len(below))])
    layer, place = np.divmod(np.arange(grains), 2 * columns * columns)
    above = 1.05 * np.column_stack([*np.divmod(place, columns), layer + 0.9])
    above += random.uniform(-0.02, 0.02, above.shape)
    velocity, fixed = np.zeros((len(base) + grains, 3)), np.arange(len(base) + grains) < len(base)
    velocity[len(base) :, 0] = 12.0 * (1.0 - (1.0 - above[:, 2] / (above[:, 2].max() + 1.0)) ** 1.5)
    values = LAW | {"friction": 0.5, "gravity": (math.sin(ANGLE), 0.0, -math.cos(ANGLE)), "period": (*size, 0.0)}
    start = {"mass": MASS, "velocity": velocity, "fixed": fixed, "dt": 1e-4, "integrator": "leapfrog"}
    return place_spheres(np.vstack([base, above]), 0.5, **start, **values)


if __name__ == "__main__":
    simulation = chute(int(sys.argv[1]) if len(sys.argv) > 1 else 3200)
    simulation.run(until=float(sys.argv[2]) if len(sys.argv) > 2 else 2.0)
    height, area = simulation.position[:, 2], np.prod(simulation.world.boundary[1, :2])
    for low in np.arange(0.0, height.max(), 2.0):
        here = ~simulation.world.fixed & (height >= low) & (height < low + 2.0)
        speed, filled = simulation.velocity[here, 0].mean(), here.sum() * MASS / (2.0 * area)
        print(f"{low:.0f} to {low + 2.0:.0f} m: {speed:.2f} m/s, {filled:.3f} filled")
