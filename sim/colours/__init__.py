"""Colours of grains: one quantity per file, with its values, its range, and its names in menu and legend.

A module offers its record as `COLOUR` (repose.sim.colours.colour.GrainColour); `repose.sim.registry` finds it. The
quantity is then a column of snapshots, a choice in the menu, in films, pictures and lectures, and a column of exported
grains. How numbers become colours is decided in `repose.app.render.colours`.
"""
