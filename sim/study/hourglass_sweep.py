"""The published hourglass for several orifices and seeds: flow rates beside the seed's table, and Beverloo's law.

Run with `python -m sim.study.hourglass_sweep`; `--help` tells what can be chosen.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from sim.headless import run_experiment
from sim.measure.beverloo import beverloo, fit_beverloo, fit_exponent
from sim.simulation import Simulation

PUBLISHED = {0.1: (110.07, 12.52), 0.125: (355.54, 142.74), 0.15: (761.97, 256.93)}
"""Orifice [m]: mean rate and its standard deviation over the runs [1/s] (seed 003, figure 4)."""

PUBLISHED_C = 4.208

RING = 2.8
"""Empty ring of the usual Beverloo law, in mean radii: 1.4 diameters [-]."""


def one_run(scene: str, orifice: float, seed: int, values: dict[str, Any]) -> dict[str, Any]:
    """One experiment; the result with the name of what was varied."""
    simulation = Simulation(scene, values | {"orifice": orifice}, seed)
    return run_experiment(simulation) | {"orifice": orifice}


def sweep(
    orifices: Sequence[float],
    seeds: Sequence[int],
    *,
    scene: str = "hourglass",
    values: dict[str, Any] | None = None,
    processes: int = 1,
) -> list[dict[str, Any]]:
    """Every orifice with every seed; one line is printed as each run ends."""
    jobs = [(orifice, seed) for seed in seeds for orifice in orifices]
    runs = []
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        started = {pool.submit(one_run, scene, orifice, seed, values or {}): (orifice, seed) for orifice, seed in jobs}
        for done in as_completed(started):
            try:
                run = done.result()
            except (BrokenExecutor, MemoryError) as error:  # hours of other runs are worth more than this one
                print("D = {:.3f} m, seed {}: lost, ".format(*started[done]) + str(error), flush=True)
                continue
            runs.append(run)
            rate = run["flow_rate"]
            words = f"{rate['mean']:.1f} ± {rate['standard_error']:.1f} 1/s" if rate else "no flow"
            print(
                f"D = {run['orifice']:.3f} m, seed {run['seed']}: {words}, {run['phase']}, "
                f"{run['grains_passed']} of {run['grains']} grains in {run['simulated_time']:.2f} s"
                + (f", {run['fault'] or run['complaint']}" if run["fault"] or run["complaint"] else ""),
                flush=True,
            )
    return runs


def summary(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Mean rate of every orifice, number density, and both fits where there are enough flowing orifices."""
    flowing = [run for run in runs if run["flow_rate"] and run["phase"] != "clogged"]
    rows = []
    for orifice in sorted({run["orifice"] for run in runs}):
        own = [run for run in flowing if run["orifice"] == orifice]
        rates = np.array([run["flow_rate"]["mean"] for run in own])
        inner = [run["flow_rate"]["standard_error"] for run in own]
        error = float("nan")
        if rates.size > 1:
            error = float(rates.std(ddof=1) / np.sqrt(rates.size))
        elif rates.size:
            error = inner[0]
        rows.append(
            {
                "orifice": orifice,
                "runs": len([run for run in runs if run["orifice"] == orifice]),
                "flowing": len(own),
                "rate": float(rates.mean()) if rates.size else None,
                "standard_error": error,
                "between_runs": float(rates.std(ddof=1)) if rates.size > 1 else None,
                "within_runs": float(np.mean([run["flow_rate"]["spread"] for run in own])) if own else None,
            }
        )
    density = [run["number_density"] for run in flowing if run["number_density"]]
    report: dict[str, Any] = {"rows": rows, "number_density": float(np.mean(density)) if density else None}
    found = [row for row in rows if row["rate"]]
    if len(found) > 1 and density:
        built = flowing[0]["parameters"]
        radius, gravity = built["mean_radius"], built["gravity"]
        widths, rates_found = [row["orifice"] for row in found], [row["rate"] for row in found]
        # Equal relative weights: block errors of single runs are too uncertain to weigh orifices against each other.
        fit = fit_beverloo(widths, rates_found, density=report["number_density"], gravity=gravity, radius=radius)
        report["beverloo"] = {"c": fit.c, "standard_error": fit.standard_error, "residual": fit.residual}
        report["law"] = beverloo(widths, fit.c, report["number_density"], gravity, radius).tolist()
        if len(found) > 2:
            power = fit_exponent(widths, rates_found, RING * radius)
            report["exponent"] = {"exponent": power.exponent, "standard_error": power.standard_error}
    return report


def table(report: dict[str, Any], published: bool) -> str:
    """The report as lines a person reads."""
    lines = ["D [m]   runs  rate [1/s]        between runs  within runs" + ("   seed 003" if published else "")]
    for row in report["rows"]:
        if row["rate"] is None:
            lines.append(f"{row['orifice']:.3f}   {row['runs']:4d}  clogged")
            continue
        between = "" if row["between_runs"] is None else f"{row['between_runs']:.1f}"
        line = f"{row['orifice']:.3f}   {row['flowing']:4d}  {row['rate']:7.1f} ± {row['standard_error']:<7.1f} "
        line += f"{between:>12}  {row['within_runs']:11.1f}"
        if published and row["orifice"] in PUBLISHED:
            line += "   {:.0f} ± {:.0f}".format(*PUBLISHED[row["orifice"]])
        lines.append(line)
    if report["number_density"]:
        lines.append(f"number density {report['number_density']:.0f} 1/m³" + (" (seed: 81400)" if published else ""))
    if "beverloo" in report:
        fit = report["beverloo"]
        lines.append(
            f"Beverloo, Q = n_p sqrt(g) (D - c r)^2.5: c = {fit['c']:.3f} ± {fit['standard_error']:.3f}"
            + (f" (seed: {PUBLISHED_C})" if published else "")
            + "; gives "
            + ", ".join(f"{rate:.1f}" for rate in report["law"])
        )
    if "exponent" in report:
        power = report["exponent"]
        lines.append(
            f"exponent with an empty ring of {RING} r: {power['exponent']:.2f} ± {power['standard_error']:.2f}"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse, run, print."""
    parser = argparse.ArgumentParser(description="Flow rate of the hourglass over its orifice.")
    parser.add_argument("--scene", default="hourglass", choices=("hourglass", "hourglass_glass"))
    parser.add_argument("--orifices", type=float, nargs="+", default=[0.1, 0.125, 0.15], metavar="METRES")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument(
        "--count-for", type=float, default=0.0, help="end a run after so many seconds of flow; 0: never"
    )
    parser.add_argument("--set", dest="changes", nargs="+", default=[], metavar="NAME=VALUE")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--out", type=Path, help="write all runs and the report as JSON")
    asked = parser.parse_args(arguments)
    from sim.scenes import SCENES

    values: dict[str, Any] = {"count_for": asked.count_for}
    for change in asked.changes:
        name, _, text = change.partition("=")
        values[name] = SCENES[asked.scene].parameters.parse(name, text)
    runs = sweep(asked.orifices, asked.seeds, scene=asked.scene, values=values, processes=asked.processes)
    report = summary(runs)
    print(table(report, published=asked.scene == "hourglass"))
    if asked.out:
        asked.out.write_text(json.dumps({"report": report, "runs": runs}), encoding="utf-8")


if __name__ == "__main__":
    main()
