"""Heights of text, for code that must not load the library of widgets (`repose.app.render.theme` does)."""

TEXT_SIZE = 16.0
"""Height of ordinary text at scale 1 [pixel]."""
LEAST_TEXT = 14.0
"""Height of the smallest text, which the last row of a lecture hall reads in a window of the design size [pixel]."""
