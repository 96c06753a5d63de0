"""Columns of the table that has the properties of a contact for every pair of materials."""

YOUNG, ACROSS, DAMPING, FRICTION, ROLLING, TWISTING, COLUMN_COUNT = range(7)
"""ACROSS is sqrt(4 G*/E*), the root of Mindlin's stiffness over that of Hertz."""
