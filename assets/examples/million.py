"""A column of a million grains for LAMMPS on many processors: `python million.py folder 1000000`.

mpirun -np 64 lmp -in continue.in         # in the folder: the column collapses on the floor
repose open folder/grains.lammpstrj       # angle of repose, contacts, film
"""

import sys
from pathlib import Path

import numpy as np
from repose.sim import Material, place_spheres, write_lammps

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "million")
if folder.exists():
    sys.exit(f"{folder} exists already: name a new folder.")
grains = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
radius = 1e-3  # m
side = max(3, round(grains ** (1 / 3)))  # as high as wide
layer, place = np.divmod(np.arange(grains), side * side)
row, column = np.divmod(place, side)
position = 2.05 * radius * np.column_stack([column - side / 2, row - side / 2, layer + 1.0]).astype(float)
position[:, :2] += np.random.default_rng(1).uniform(-0.02, 0.02, (grains, 2)) * radius
# A base of fixed grains, on which the others do not roll off.
across = 2.0 * radius * np.arange(-2 * side, 2 * side + 1)
x, y = (axis.ravel() for axis in np.meshgrid(across, across))
position = np.vstack([np.column_stack([x, y, 0.0 * x]), position])
glass = Material(young=1e7, poisson=0.25, density=2500.0, restitution=0.3, friction=0.8)
fixed = np.arange(len(position)) < x.size
simulation = place_spheres(position, radius, glass, fixed=fixed, dt=1e-5, integrator="leapfrog")
for note in write_lammps(simulation.experiment, folder):
    print(note)
print(f"{grains} grains on a base of {x.size}, written to {folder}")
