"""Scenes: one module each; every module of this package that defines `SCENE` is a scene.

A scene is a recipe for a world and the course of an experiment (repose.sim.experiment.experiment.Scene). A scene of
several modules is a sub-package. Functions for several scenes, such as pouring grains, belong in `common`; functions
for all experiments belong in `repose.sim.experiment`.
"""

DEFAULT = "heap"
"""Scene of an experiment, a study or a run that names none."""
