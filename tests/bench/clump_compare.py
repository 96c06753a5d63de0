"""The same bodies approximated by Repose, `multisphere` and `clump-python`, measured alike.

Not a test: the other two are no dependencies of ours, and `multisphere` is under the GPL. From the project's folder:

    uv run --with multisphere --with clump-python python -m tests.bench.clump_compare

Each program reads the same STL file and makes a grid with 60 cells along the shortest edge (Repose: with
64 along the longest edge). A program that is not installed is left out.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from repose.sim.clumps.body import Body, body_of_shape
from repose.sim.clumps.clump import Clump
from repose.sim.clumps.fitted import fitted_clump
from repose.sim.clumps.greedy import greedy_clump
from repose.sim.clumps.quality import quality

BODIES = {"cube": 4.0, "ellipsoid": 6.0, "torus": 8.0}
"""Longest edge of each body."""
NUMBERS = (10, 50, 200)
CELLS = 64
DIVISIONS = 60
"""Cells of the others along the shortest edge."""
RHO = 0.6


def write_stl(path: Path, body: Body) -> None:
    """Binary STL of the surface of a body."""
    rows = np.zeros(len(body.surface), np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")]))
    rows["corners"] = body.surface
    path.write_bytes(bytes(80) + len(rows).to_bytes(4, "little") + rows.tobytes())


def of_multisphere(path: Path, members: int) -> tuple[Any, Any]:
    """Centres and radii that `multisphere` finds."""
    module = importlib.import_module("multisphere")
    pack = module.multisphere_from_mesh(
        module.load_mesh(str(path)),
        div=DIVISIONS,
        precision=0.999,
        min_radius_vox=2,
        min_center_distance_vox=2,
        max_spheres=members,
    )
    return pack.centers, pack.radii


def of_clump_python(path: Path, members: int) -> tuple[Any, Any]:
    """Centres and radii that the Euclidean method of `clump-python` finds; it moves the body to its middle."""
    module = importlib.import_module("CLUMP")
    found = module.GenerateClump_Euclidean_3D(
        inputGeom=str(path), N=members, rMin=0.0, div=DIVISIONS, overlap=RHO, visualise=False
    )
    clump = found[1] if isinstance(found, tuple) else found
    return clump.positions, clump.radii


def measure(name: str, body: Body, path: Path, members: int, program: str, make: Callable[[], Any]) -> None:
    """Print one row of the table."""
    began, used = time.perf_counter(), time.process_time()
    try:
        centre, radius = make()
    except ImportError:
        return
    took, used = time.perf_counter() - began, time.process_time() - used
    radii = np.ravel(np.asarray(radius, float))
    clump = Clump(name, program, np.ascontiguousarray(np.asarray(centre, float).reshape(-1, 3)), radii)
    found = quality(body, clump)
    print(
        f"{name:10} {program:18} {members:5d} {radii.size:5d}   {found.overlap:.3f}   {found.volume_ratio:.3f}   "
        f"{found.surface_error:.4f}   {found.protrusion:.3f}   {took:6.2f} s {used:6.2f} s",
        flush=True,
    )


def ours(make: Callable[..., Clump], name: str, *arguments: Any) -> Callable[[], Any]:
    """The clump of one of our algorithms, the field of the body included."""

    def run() -> Any:
        clump = make(body_of_shape(name, CELLS, BODIES[name]), *arguments)
        return clump.centre, clump.radius

    return run


def main() -> None:
    """The table: for each body and number of spheres one row per program."""
    print("body       program              asked  found  IoU     Q_V     surface  outside  time     processor")
    fitted_clump(body_of_shape("cube", 16, 1.0), 3)  # compiles
    with tempfile.TemporaryDirectory() as folder:
        for name, size in BODIES.items():
            body = body_of_shape(name, CELLS, size)
            path = Path(folder, f"{name}.stl")
            write_stl(path, body)
            for members in NUMBERS:
                for program, make in (
                    ("Repose, fitted", ours(fitted_clump, name, members)),
                    ("Repose, greedy", ours(greedy_clump, name, members, RHO)),
                    ("multisphere", lambda path=path, members=members: of_multisphere(path, members)),
                    ("clump-python", lambda path=path, members=members: of_clump_python(path, members)),
                ):
                    measure(name, body, path, members, program, make)


if __name__ == "__main__":
    sys.exit(main())
