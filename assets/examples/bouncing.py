"""Height of a bouncing sphere for three restitutions, as a picture: `python bouncing.py bouncing.png`."""

import sys

import matplotlib.pyplot as plt
from repose.sim import Material, place_spheres

RADIUS, HEIGHT, TIME = 0.01, 0.05, float(sys.argv[2]) if len(sys.argv) > 2 else 0.5  # m, m, s
for restitution in (0.5, 0.8, 0.95):
    rubber = Material(young=1e7, poisson=0.45, density=1200.0, restitution=restitution, friction=0.5)
    floor = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    simulation = place_spheres([[0.0, 0.0, RADIUS + HEIGHT]], RADIUS, rubber, planes=[floor])
    time, height = [], []
    while simulation.time < TIME:
        simulation.step(50)
        time.append(simulation.time)
        height.append(1e3 * (simulation.position[0, 2] - RADIUS))
    plt.plot(time, height, label=f"e = {restitution}")
plt.xlabel("time t [s]")
plt.ylabel("height h [mm]")
plt.legend()
plt.savefig(sys.argv[1] if len(sys.argv) > 1 else "bouncing.png")
