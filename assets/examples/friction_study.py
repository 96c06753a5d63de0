"""θ(μ) of small heaps with three seeds each, as table and picture: `python friction_study.py folder 300`."""

import sys
from pathlib import Path

from repose.app.jobs.study_pictures import draw_outcome
from repose.sim.study.plan import StudyPlan
from repose.sim.study.runs_on_disk import StudyRuns


def main(folder: Path, grains: int, frictions: tuple[float, ...], seeds: int) -> None:
    """Do the runs that the folder lacks, two at a time; every run is on disk as it ends."""
    plan = StudyPlan(
        name="friction",
        title=f"Angle of repose of {grains} grains",
        scene="heap",
        values={"grain_count": grains, "width": 2e-3 * grains**0.5},
        grid={"friction": frictions},
        seeds=tuple(range(1, seeds + 1)),
    ).check()
    folder.mkdir(parents=True, exist_ok=True)
    runs = StudyRuns((plan,), folder)
    runs.do(runs.begin(), 2, on_progress=lambda words, share: None, on_end=lambda task, result, lost: print(task.name))
    outcome = runs.outcome(plan)
    for row in outcome.words():
        print("  ".join(str(word).ljust(12) for word in row))
    with (folder / "friction.png").open("wb") as file:
        draw_outcome(outcome, file)


if __name__ == "__main__":
    grains = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    frictions = (0.05, 0.1, 0.2, 0.3) if grains >= 100 else (0.1, 0.3)
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "friction"), grains, frictions, 3 if grains >= 100 else 1)
