"""A steel sphere strikes a glass sphere: force and duration of the contact beside Hertz' closed form."""

import math

from repose.sim import Material, place_spheres

RADIUS, SPEED = 0.01, 0.5  # m, m/s
steel = Material(young=2e9, poisson=0.3, density=7800.0, restitution=1.0, friction=0.2)
glass = Material(young=6e8, poisson=0.2, density=2500.0, restitution=1.0, friction=0.2)
simulation = place_spheres(
    [[0.0, 0.0, 0.0], [0.0, 0.0, 2.0001 * RADIUS]],
    RADIUS,
    [glass, steel],
    velocity=[[0.0, 0.0, 0.0], [0.0, 0.0, -SPEED]],
    gravity=0.0,
    dt=1e-6,
)
force = []
while not force or force[-1] or simulation.time < 1e-5:
    simulation.step()
    force.append(float(abs(simulation.contacts().force).sum()))

modulus = 1.0 / sum((1.0 - one.poisson**2) / one.young for one in (steel, glass))
mass = 1.0 / (1.0 / simulation.world.mass).sum()
overlap = (15.0 * mass * SPEED**2 / (16.0 * modulus * math.sqrt(RADIUS / 2))) ** 0.4
largest = 4.0 / 3.0 * modulus * math.sqrt(RADIUS / 2) * overlap**1.5
print(f"largest force      {max(force):.2f} N, Hertz {largest:.2f} N")
duration = sum(f > 0.0 for f in force) * 1e-6
print(f"contact duration   {1e6 * duration:.0f} µs, Hertz {2.943e6 * overlap / SPEED:.0f} µs")
