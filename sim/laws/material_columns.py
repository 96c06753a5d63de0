"""Columns of the table of contact properties of every pair of materials."""

YOUNG, ACROSS, DAMPING, FRICTION, ROLLING, TWISTING, COLUMN_COUNT = range(7)
"""ACROSS is sqrt(4 G*/E*), the square root of Mindlin's over Hertz's stiffness."""
