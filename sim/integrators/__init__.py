"""Integrators, one scheme per file: how coordinates advance from step to step.

A module offers its records (repose.sim.engine.model.Integrator) as `INTEGRATORS`; `repose.sim.registry` finds them. A
scheme is two plain functions around the force evaluation, run once per stage. This package depends on no law or scene.
"""
