"""A column of a million grains for LAMMPS on many processors: `python million.py folder 1000000`.

mpirun -np 64 lmp -in continue.in         # in the folder: the column collapses on the floor
repose open folder/grains.lammpstrj       # angle of repose, contacts, film
"""

import sys
from pathlib import Path

import numpy as np
from repose.sim import Material, place_spheres, write_lammps

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "million")
grains = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
radius = 1e-3  # m
side = max(3, round((grains / 2) ** (1 / 3)))  # twice as high as wide
layer, place = np.divmod(np.arange(grains), side * side)
row, column = np.divmod(place, side)
generator = np.random.default_rng(1)
position = 2.05 * radius * np.column_stack([column - side / 2, row - side / 2, layer + 0.5]).astype(float)
position[:, :2] += generator.uniform(-0.02, 0.02, (grains, 2)) * radius
glass = Material(young=1e7, poisson=0.25, density=2500.0, restitution=0.5, friction=0.5)
floor = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
simulation = place_spheres(position, radius, glass, planes=[floor], dt=1e-5, integrator="leapfrog")
for note in write_lammps(simulation.experiment, folder):
    print(note)
print(f"{grains} grains, {simulation.world.mass.sum():.3g} kg, written to {folder}")
