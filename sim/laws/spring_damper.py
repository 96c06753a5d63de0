"""The response of laws with a normal spring and damper and a sliding friction spring: `voigt` and `hertz_mindlin`."""

from __future__ import annotations

from repose.sim.engine.contacts.kinematics import Response
from repose.sim.engine.jit import compilable
from repose.sim.laws.material_columns import ROLLING, TWISTING
from repose.sim.laws.rolling import rolling_torque
from repose.sim.laws.sliding import sliding_spring


@compilable(forceinline=True)
def damped_response(normal_force, viscosity, shear_stiffness, shear_viscosity, limit, contact):
    """The response for this normal force [N], damping with these viscosities [kg/s] and a shear force of at most
    `limit` [N]; rolling and twisting friction are those of the materials."""
    shear = sliding_spring(shear_stiffness, shear_viscosity, limit, contact)
    rolling, twisting = contact.material[ROLLING], contact.material[TWISTING]
    torque, rolling_power = rolling_torque(rolling, twisting, normal_force, contact.effective_radius, contact)
    return Response(
        normal_force,
        shear.force,
        shear.relaxation,
        torque,
        viscosity * contact.normal_velocity * contact.normal_velocity + shear.damping_power + rolling_power,
        shear.work,
    )
