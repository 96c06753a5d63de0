"""Studies made with the engine: benchmarks now, sweeps and figures later."""
