"""Vector operations: eight numbers at once, stated once for the compiler and for plain Python.

Here belong operations on vectors in general, and how their bodies become instructions of LLVM. Their uses are where the
vectors come from: rows of spheres, candidates, derivatives.
"""
