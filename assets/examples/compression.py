"""Discs compressed from all sides: contacts per disc Z over friction μ, 3 s each: `python compression.py 196`.

At the jamming point Z = 4 without friction and tends to 3 with much of it, as many contacts as forces at them balance
(Silbert et al., Phys. Rev. E 65 (2002) 031304; van Hecke, J. Phys.: Condens. Matter 22 (2010) 033101). Here Z is
larger, because the discs overlap, and scatters by 0.1. Left out: periodic boundaries, the limit of zero pressure, means
over many packings. Discs with too few contacts to be held do not count; a contact with a wall counts as one of discs.
"""

import sys

import numpy as np
from repose.sim import Material, Plane, Setup, Simulation, Spheres

COUNT, R, PRESSURE, SPEED = int(sys.argv[1]) if len(sys.argv) > 1 else 196, 1e-3, 0.3, 0.01  # 1, m, N/m, m/s
FRICTIONS = [float(word) for word in sys.argv[2:]] or [0.0, 0.1, 0.3, 1.0, 10.0]
SIDE = int(np.ceil(COUNT**0.5))
WIDTH = 2.1 * R * SIDE  # m
NORMALS = np.array([(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)])

for friction in FRICTIONS:
    random = np.random.default_rng(2)
    rubber = Material(young=1e7, poisson=0.25, density=2500.0, restitution=0.1, friction=friction)
    position = 2.1 * R * (np.stack(np.divmod(np.arange(COUNT), SIDE), axis=1) + 0.5)
    radius = np.where(random.random(COUNT) < 0.5, R, 0.714 * R)  # two sizes, which do not form a crystal
    discs = Spheres(position, radius, rubber, velocity=random.normal(0.0, 0.2, (COUNT, 2)))
    walls = [Plane((WIDTH / 2, WIDTH / 2) - WIDTH / 2 * n, n, material=rubber._replace(friction=0.0)) for n in NORMALS]
    simulation = Simulation(Setup(discs, walls=walls), {"gravity": 0.0})
    for wall in range(len(walls)):
        simulation.servo_wall(wall, force=PRESSURE * WIDTH, speed=SPEED)
    simulation.run(0.4)
    table = simulation.contacts()
    each = np.bincount(np.append(table.i, table.j[table.j >= 0]), minlength=COUNT)
    held = each >= (2 if friction else 3)
    print(f"μ = {friction:4}: Z = {2 * table.i.size / held.sum():.2f}, {COUNT - held.sum()} of {COUNT} discs are loose")
