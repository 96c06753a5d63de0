"""The law over a block of contacts: its speed is tested by the machine code, not by time."""

from __future__ import annotations

import platform
import re

import numba
import numpy as np
import pytest
from repose.sim.engine.contacts.pair_blocks import (
    clear_sums,
    columns,
    columns_of,
    contacts_with_padding,
    evaluate,
    forget_materials,
    pad_block,
    set_materials,
    to_line,
)
from repose.sim.engine.jit import OPTIONS
from repose.sim.engine.model import BoundLaw, LawCall, Shapes, Stage
from repose.sim.engine.workspace import BLOCK, BUFFER_ROWS
from repose.sim.registry import laws

from tests.small_worlds import call_of


def shapes_of(functions: BoundLaw, turning: int) -> Shapes:
    """Vectors in space of that law."""
    reach = (0.0,) * functions.acts_at_distance
    stiffening = (0.0,) * functions.shear_stiffness_varies
    return Shapes((0.0,) * 3, (0.0,) * turning, (0.0,) * functions.material_columns, reach, stiffening)


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="reads the names of x86 instructions")
@pytest.mark.parametrize("name", list(laws()))
def test_every_law_compiles_to_instructions_on_several_contacts_at_once(name: str) -> None:
    # One call that is not inlined, one table that may overlap the buffer, one branch: and each root is taken alone,
    # ten times slower. It was so for rotating grains once.
    law = laws()[name]
    parameters = law.parameters.checked({})
    numbers, functions = law.coefficients(parameters), law.bind(parameters)
    call, shapes = call_of(functions, numbers), shapes_of(functions, 3)
    force, material, energy, lasts, stiffness, _ = call

    @numba.njit(**OPTIONS)
    def block(buffer, size, numbers):
        law = LawCall(force, material, energy, lasts, stiffness, numbers)
        evaluate(buffer, size, law, shapes, (), shapes.reach, shapes.stiffening, Stage(1e-6, 1.0, 0.0, 1e-6))

    block(np.random.default_rng(1).random(BUFFER_ROWS * BLOCK), BLOCK, numbers)
    code = next(iter(block.inspect_asm().values()))
    assert re.search(r"v?(?:sqrt|div)pd", code), "no root or division of several numbers at once"
    # What the loop leaves over at its end is done one by one: each root once more. Before the loop, numbers that are
    # equal for all contacts are divided once: 1/dt, the fraction of damping per step, and the compliance of a law.
    alone = len(re.findall(r"v?(?:sqrt|div)sd", code)) - 3
    assert len(re.findall(r"v?(?:sqrt|div)pd", code)) >= alone


@pytest.mark.parametrize(("dimension", "turning", "materials"), [(2, 0, 0), (2, 1, 6), (3, 0, 6), (3, 3, 6)])
def test_columns_do_not_overlap_and_fit_the_buffer(dimension: int, turning: int, materials: int) -> None:
    at = columns(dimension, turning)
    vectors = dict.fromkeys(("branch", "velocity", "shear_spring", "position", "displacement"), dimension)
    spins = dict.fromkeys(("spin_i", "spin_j", "rotation_i", "rotation_j"), turning)
    widths = vectors | spins | {"material": materials}
    outputs = {"force": "velocity", "normal_force": "effective_mass", "torque_i": "spin_i", "torque_j": "spin_j"}
    outputs |= {"overlap": "touching", "lasting": "fixed"}
    outputs |= {"displacement": "position"} if turning else {}
    assert all(getattr(at, output) == getattr(at, given) for output, given in outputs.items())
    inputs = [name for name in at._fields if name not in outputs]
    taken = [getattr(at, name) + c for name in inputs for c in range(widths.get(name, 1))]
    assert sorted(taken) == list(range(len(taken)))
    assert len(taken) <= BUFFER_ROWS


@pytest.mark.parametrize("name", list(laws()))
@pytest.mark.parametrize("turning", [0, 3])
def test_padding_columns_do_not_change_the_sums(name: str, turning: int) -> None:
    law = laws()[name]
    parameters = law.parameters.checked({})
    functions, numbers = law.bind(parameters), law.coefficients(parameters)
    call, shapes = call_of(functions, numbers), shapes_of(functions, turning)
    at = columns_of(shapes)
    buffer = np.random.default_rng(2).uniform(0.1, 0.2, BUFFER_ROWS * BLOCK)
    buffer[: 3 * BLOCK] *= 0.3  # branches, so that all touch
    clear_sums(buffer, at, len(shapes.stiffening))
    forget_materials(buffer, at)
    buffer[at.material_pair * BLOCK : (at.material_pair + 1) * BLOCK] = 0.0
    set_materials(buffer, at, 8, call)
    # What a block before has left there: its normal forces, which may pull.
    buffer[at.normal_force * BLOCK + 3 : (at.normal_force + 1) * BLOCK] = -0.7
    full = pad_block(buffer, at, 3, 3, turning > 0)
    assert full == 8
    evaluate(buffer, full, call, shapes, (), shapes.reach, shapes.stiffening, Stage(1e-6, 1.0, 0.0, 1e-6))
    rows = buffer.reshape(BUFFER_ROWS, BLOCK)
    assert np.isfinite(rows[:, :8]).all()
    sums = [at.damping, at.friction] + [at.stiffening] * functions.shear_stiffness_varies
    assert not rows[sums, 3:].any()
    assert rows[sums, :3].any()


def test_only_compiled_code_evaluates_padding() -> None:
    at, buffer = columns(2, 0), np.zeros(BUFFER_ROWS * BLOCK)

    @numba.njit(**OPTIONS)
    def compiled(buffer, at, size):
        return contacts_with_padding(buffer, at, size, 2, False)

    for size, full in ((0, 0), (1, 8), (8, 8), (9, 16)):
        assert compiled(buffer, at, size) == full
        assert contacts_with_padding(buffer, at, size, 2, False) == size


@pytest.mark.parametrize("size", [3, BLOCK])
def test_materials_are_written_where_the_pair_of_materials_is_another_one(size: int) -> None:
    law = laws()["voigt"]
    parameters = law.parameters.checked({"friction": 0.3, "wall_friction": 0.6})
    call = call_of(law.bind(parameters), law.coefficients(parameters))
    at = columns(3, 3)
    buffer = np.zeros(BUFFER_ROWS * BLOCK)
    rows = buffer.reshape(BUFFER_ROWS, BLOCK)
    forget_materials(buffer, at)
    for kinds in (0, 1, np.arange(size) % 2):
        rows[at.material_pair, :size] = kinds
        set_materials(buffer, at, size, call)
        expected = [call.material(call.params, int(kind)) for kind in rows[at.material_pair, :size]]
        assert rows[at.material :, :size].T[:, : len(expected[0])].tolist() == [list(row) for row in expected]
        assert not rows[at.material, size:].any()


def test_the_buffer_begins_with_a_cache_line() -> None:
    for beginning in range(8):
        room = np.zeros(BLOCK + 8)[beginning:]
        begun = room[to_line(room) :]
        assert begun.ctypes.data % 64 == 0
        assert room.size - begun.size < 8
