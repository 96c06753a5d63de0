"""A million grains for LAMMPS on many processors: `python million.py FOLDER 1000000 column`, or `silo`, or `drum`.

mpirun -np 64 lmp -in continue.in         # in the folder: a column collapses, a silo runs out, a drum turns at 2 rad/s
repose open FOLDER/grains.lammpstrj       # angle of repose, flow rate (--set gate=-0.003), contacts, film
"""

import sys
from pathlib import Path

import numpy as np
from repose.sim import Cylinder, Material, Plane, place_spheres, write_lammps
from repose.sim.io.lammps.wall_motion import TurningWalls

given = dict(enumerate(sys.argv))
folder, grains, shape = Path(given.get(1, "million")), int(given.get(2, 1_000_000)), given.get(3, "column")
if folder.exists() or folder.name.startswith("-") or grains < 1 or shape not in ("column", "silo", "drum"):
    sys.exit(f"{folder} {grains} {shape}: name a new folder, at least 1 grain, and column, silo or drum.")
radius, pitch = 1e-3, 2.05e-3  # m
glass = Material(young=1e7, poisson=0.25, density=2500.0, restitution=0.3, friction=0.8)
side = max(4, round(grains ** (1 / 3) * (0.7 if shape == "drum" else 1.0)))  # as high as wide, or the drum's radius
half, walls, motion = 0.5 * pitch * (side + 1), [], None
across = (2 * side, 2 * side, side) if shape == "drum" else (side, side, side + 3)
lattice = np.indices(across[::-1], np.float64).reshape(3, -1)[::-1].T  # the lowest layers first
position = pitch * (lattice - [0.5 * (across[0] - 1), 0.5 * (across[1] - 1), -1.0])
position[:, :2] += np.random.default_rng(1).uniform(-0.02, 0.02, (len(position), 2)) * radius
base = 2.0 * radius * (np.indices((4 * side + 1, 4 * side + 1, 1)).reshape(3, -1).T - [2 * side, 2 * side, 0])  # glued
if shape == "silo":  # the base has an outlet of 12 diameters, or half as wide as the silo, above a box
    base = base[(abs(base).max(axis=1) < half) & (abs(base).max(axis=1) > min(12.0 * radius, 0.5 * half))]
    walls = [Plane(-half * normal, normal, material=glass) for normal in np.vstack([np.eye(3)[:2], -np.eye(3)[:2]])]
    walls.append(Plane((0.0, 0.0, -3.0 * half), (0.0, 0.0, 1.0), material=glass))
elif shape == "drum":  # half full, as long as wide, about y
    base, position = base[:0], position - [0.0, 0.0, 2.0 * half]
    position = position[np.hypot(position[:, 0], position[:, 2]) < 2.0 * half - 1.01 * radius]
    walls = [Plane((0.0, -end, 0.0), (0.0, np.sign(end), 0.0), material=glass) for end in (2.0 * half, -2.0 * half)]
    walls.append(Cylinder((0.0, 0.0, 0.0), 2.0 * half, (0.0, 1.0, 0.0), material=glass))
    motion = TurningWalls((0.0, 0.0, 0.0), 2.0, (0.0, 1.0, 0.0))
position, fixed = np.vstack([base, position[:grains]]), np.arange(len(base) + min(grains, len(position))) < len(base)
simulation = place_spheres(position, radius, glass, walls=walls, fixed=fixed, dt=1e-5, integrator="leapfrog")
print(*write_lammps(simulation.experiment, folder, motion), sep="\n")
print(f"{len(position) - len(base)} grains and {len(base)} fixed ones written to {folder}")
