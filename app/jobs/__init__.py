"""What the program does without a window: runs, films, replays, sweeps, benchmarks, self-test, doctor.

Physics belongs in `repose.sim`, argument parsing in `repose.app.cli`."""
