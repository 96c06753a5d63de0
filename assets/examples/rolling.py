"""A sphere thrown along a floor slides until it rolls: at 5/7 of its first speed, whatever the friction."""

from repose.sim import Material, place_spheres

RADIUS, SPEED = 0.01, 0.2  # m, m/s
for friction in (0.1, 0.3):
    rubber = Material(young=1e7, poisson=0.45, density=1200.0, restitution=0.2, friction=friction)
    floor = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    start = [[0.0, 0.0, 0.99999 * RADIUS]]
    simulation = place_spheres(start, RADIUS, rubber, planes=[floor], velocity=[SPEED, 0.0, 0.0])
    while simulation.velocity[0, 0] > RADIUS * simulation.spin[0, 1] * 1.001:
        simulation.step(20)
    speed = simulation.velocity[0, 0]
    expected = 2.0 / 7.0 * SPEED / (friction * 9.81)
    print(f"μ = {friction}: rolls after {simulation.time:.3f} s at {speed / SPEED:.4f} of its speed", end="")
    print(f" (closed form {expected:.3f} s, {5 / 7:.4f})")
