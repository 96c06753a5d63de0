"""Scenes: one module each; every module in this package that defines `SCENE` is a scene.

A scene is a recipe for a world and the course of an experiment (repose.sim.experiment.experiment.Scene). A scene of
several modules is a sub-package. What several scenes share, such as pouring grains, belongs in `common`; what every
experiment does belongs in `repose.sim.experiment`.
"""
