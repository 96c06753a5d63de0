"""Pour a heap, open its wall, print its angle: `python heap.py 1100` takes a quarter of a minute."""

import sys

from repose.sim import Simulation

grains = int(sys.argv[1]) if len(sys.argv) > 1 else 300
width = 2e-3 * grains**0.5
simulation = Simulation("heap", {"grain_count": grains, "width": width, "friction": 0.2}, seed=1)
results = simulation.run()
print(f"{grains} grains: {results['grains_left']} left on the base after {results['simulated_time']:.2f} s")
angle = results["angle_of_repose"]
print("no slope to measure" if angle is None else f"angle of repose {angle['degrees']:.1f}°")
print(f"kinetic energy {simulation.energy().translational:.1e} J, contacts {simulation.contacts().i.size}")
