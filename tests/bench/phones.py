"""300 phones that answer within ten seconds: lost answers, and frames and steps per second with and without them.

    python -m tests.bench.phones [--phones 300] [--pairs 3]

A window on its own X server runs the first step of a lecture. Intervals without and with phones follow each other, so
that other programs on the machine disturb both alike; the phones run in another process. Each opens the page with its
script and style sheet, keeps its connection for news open, and answers once at a random time of the interval.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.gui.desktop import Desktop, open_desktop

SECONDS = 10.0
"""Length of an interval [s]."""
NAMES = ("frames", "steps", "frames_with", "steps_with", "taken")
LECTURE = """
title = "Phones"
[[step]]
title = "A heap"
scene = "heap"
ready = false
parameters = { grain_count = 6000, width = 0.1 }
actions = ["fill"]
speed = 0.5
guess = { words = "How steep?", unit = "°", low = 0, high = 60, reading = "table_angle" }
"""


async def _request(host: str, line: str, body: str = "", cookie: str = "") -> tuple[str, str]:
    """Status and text of the answer."""
    reader, writer = await asyncio.open_connection(*host.split(":"))
    sent = f"Content-Length: {len(body)}\r\nOrigin: http://{host}\r\nCookie: repose={cookie}\r\n" if body else ""
    writer.write(f"{line} HTTP/1.1\r\nHost: {host}\r\n{sent}Connection: close\r\n\r\n{body}".encode())
    found = (await reader.read()).decode("utf-8", "replace")
    writer.close()
    return found.partition(" ")[2][:3], found


async def phone(host: str, code: str, number: int, delay: float, end: float) -> bool:
    """One phone; returns whether its answer was taken."""
    await asyncio.sleep(delay)
    _, page = await _request(host, f"GET /{code}")
    cookie = page.split("repose=")[1].split(";")[0]
    for name in ("style.css", "audience.js"):
        await _request(host, f"GET /files/{name}")
    _, news = await asyncio.open_connection(*host.split(":"))
    news.write(f"GET /{code}/events HTTP/1.1\r\nHost: {host}\r\nCookie: repose={cookie}\r\n\r\n".encode())
    body = urlencode({"number": number, "value": round(random.gauss(30.0, 8.0) % 60.0)})
    status, _ = await _request(host, f"POST /{code}/answer", body, cookie)
    await asyncio.sleep(max(end - time.monotonic(), 0.0))
    news.transport.abort()
    return status in ("200", "303")


async def crowd(host: str, code: str, number: int, count: int) -> int:
    """Number of answers that were taken."""
    end = time.monotonic() + SECONDS
    delays = [random.uniform(0.0, 0.9 * SECONDS) for _ in range(count)]
    return sum(await asyncio.gather(*(phone(host, code, number, delay, end) for delay in delays)))


def watch(desktop: Desktop) -> tuple[float, float]:
    """Frames and steps per second of one interval."""
    first, begun = desktop.look(), time.monotonic()
    time.sleep(SECONDS)
    last, seconds = desktop.look(), time.monotonic() - begun
    return (last["frame"] - first["frame"]) / seconds, (last["state"]["at"] - first["state"]["at"]) / seconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--phones", type=int, default=300)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--as-phones", nargs=3, metavar=("HOST", "CODE", "NUMBER"))
    options = parser.parse_args()
    if options.as_phones:
        host, code, number = options.as_phones
        print(asyncio.run(crowd(host, code, int(number), options.phones)))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "phones.toml").write_text(LECTURE, encoding="utf-8")
        with open_desktop(folder, "lecture", str(folder / "phones.toml"), "--phones", "127.0.0.1") as desktop:
            desktop.press("F5")
            desktop.until(lambda: desktop.look()["state"]["moving_count"] > 0, "first grain")
            rows = []
            for _ in range(options.pairs):
                without = watch(desktop)
                told: dict[str, Any] = desktop.look()["audience"]
                command = [sys.executable, "-m", "tests.bench.phones", "--phones", str(options.phones)]
                command += ["--as-phones", told["host"], told["codes"][0], "1"]
                with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as phones:
                    beside = watch(desktop)
                    taken = int(phones.communicate()[0].split()[-1])  # pygame greets before
                rows.append((*without, *beside, taken))
                print(json.dumps(dict(zip(NAMES, rows[-1], strict=True))), flush=True)
            sent = sum(row[4] for row in rows)
            desktop.until(lambda: desktop.look()["audience"]["answers"] == sent, "all answers")
            print(f"answers taken {sent} of {options.phones * options.pairs}, in the window {sent}")
            for label, number in (("frames per second", 0), ("steps per second", 1)):
                ratio = statistics.median(row[number + 2] / row[number] for row in rows)
                print(f"{label} with phones / without: {ratio:.2f}")


if __name__ == "__main__":
    main()
