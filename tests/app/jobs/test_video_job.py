"""`repose open` of a video: made collapses whose first motion is known, of constant and variable rate, and cut off."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray
from repose.app.jobs.requests import MarksRequest
from repose.app.jobs.video_job import measure_video
from repose.app.storage.video_frames import read_video
from repose.sim.parameters import ParameterError
from repose.sim.photo.collapse import first_motion

SIZE = (320, 180)
TABLE = 150
"""Row of the table."""
AREA = 5000.0
"""Of the heap [pixel²]."""
TICKS = 1000
"""Units of time per second."""


def frame_of(angle: float, seed: int) -> NDArray[np.uint8]:
    """A triangle of this slope [°] and of the area `AREA`, with noise."""
    slope = math.tan(math.radians(angle))
    half = math.sqrt(AREA / slope)
    row, column = np.mgrid[: SIZE[1], : SIZE[0]]
    up = slope * (half - np.abs(column - 160.0)) - (TABLE - row)
    colour = np.where((np.clip(up, -0.5, 0.5) + 0.5)[..., None] > 0.5, (160.0, 110.0, 60.0), (200.0, 205.0, 210.0))
    colour = np.where((row > TABLE)[..., None], (90.0, 85.0, 80.0), colour)
    colour += 2.0 * np.random.default_rng(seed).standard_normal(colour.shape)
    picture: NDArray[np.uint8] = np.clip(colour, 0, 255).astype(np.uint8)
    return picture


def slope_at(time: float, begins: float) -> float:
    """40° until the first motion, 20° a half second later [°]."""
    return 40.0 - 20.0 * min(max(2.0 * (time - begins), 0.0), 1.0)


def write(path: Path, times: Sequence[float], begins: float) -> None:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=Fraction(TICKS))
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        stream.time_base = stream.codec_context.time_base = Fraction(1, TICKS)
        stream.options = {"crf": "12", "preset": "ultrafast"}
        for number, time in enumerate(times):
            frame = av.VideoFrame.from_ndarray(frame_of(slope_at(time, begins), number), format="rgb24")
            frame.pts, frame.time_base = round(time * TICKS), Fraction(1, TICKS)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


CONSTANT = [round(0.05 * k, 3) for k in range(30)]
VARIABLE = [*CONSTANT[:6], *(round(0.3 + 0.017 * k, 3) for k in range(1, 20)), 0.8, 1.0, 1.4]


@pytest.mark.parametrize("times", [CONSTANT, VARIABLE], ids=["constant", "variable"])
def test_the_first_motion_is_found_within_one_frame(tmp_path: Path, times: list[float]) -> None:
    begins = 0.41
    write(tmp_path / "heap.mp4", times, begins)
    video = read_video(tmp_path / "heap.mp4", lambda share: None)
    assert video.times == pytest.approx(times, abs=1e-3)
    before = max(time for time in times if time <= begins)
    after = min(time for time in times if time > begins)
    assert before - (after - before) <= first_motion(video.times, video.small) <= after
    assert math.isnan(first_motion(video.times[:6], video.small[:6]))


def test_height_and_run_out_over_time_are_those_of_the_triangles(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "heap.mp4", CONSTANT, 0.41)
    computed = tmp_path / "computed.json"
    profile = {"time": [0.0, 0.1], "x": [0.01, 0.02, 0.03], "height": [[0.03, 0.0, 0.0], [0.02, 0.01, 0.0]]}
    computed.write_text(json.dumps({"profile": profile}), encoding="utf-8")
    request = MarksRequest(scale="0,10 320,10 0.32")
    assert measure_video(tmp_path / "heap.mp4", request, None, computed, tmp_path / "out", json=False) == 0
    result = json.loads((tmp_path / "out" / "result.json").read_text("utf-8"))
    assert result["angle_degrees"] == pytest.approx(20.0, abs=0.5)
    series = result["series"]
    for time, height, run_out in zip(series["time"], series["height"], series["run_out"], strict=True):
        slope = math.tan(math.radians(slope_at(time + result["first_motion"], 0.41)))
        # Smoothing by 1.5 pixels and chroma of half the resolution round the tip, by up to two widths of both.
        assert height == pytest.approx(1e-3 * math.sqrt(AREA * slope), abs=5e-3)
        # A foot below 5 % of the height counts as none, and two smoothing lengths, 3 pixels, of it are lost.
        lost = (0.05 * math.sqrt(AREA * slope) + 3.0) / slope
        assert math.sqrt(AREA / slope) - lost < 0.5e3 * run_out < math.sqrt(AREA / slope)
    assert (tmp_path / "out" / "collapse.png").stat().st_size > 10_000
    with (tmp_path / "out" / "series.csv").open(encoding="utf-8") as file:
        assert next(csv.reader(file)) == ["time [s]", "height [m]", "run-out [m]"]
    assert "First motion at 0.4" in capsys.readouterr().out


def test_a_video_that_is_cut_off_is_used_up_to_there_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "heap.mkv"  # an MP4 that is cut off has no table of its frames
    write(path, CONSTANT, 0.41)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(0.7 * len(whole))])
    video = read_video(path, lambda share: None)
    assert "is cut off: it is used up to" in str(video.remark)
    assert 2 < len(video.times) < len(CONSTANT)
    cut = tmp_path / "cut.mp4"
    write(cut, CONSTANT, 0.41)
    cut.write_bytes(cut.read_bytes()[:2000])
    with pytest.raises(ParameterError, match=r"cut\.mp4 is not a video that can be read: Invalid data found .*\.$"):
        read_video(cut, lambda share: None)


def test_what_is_no_video_and_what_does_not_move_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.mp4").write_text("no video", encoding="utf-8")
    with pytest.raises(ParameterError, match="is not a video that can be read"):
        read_video(tmp_path / "text.mp4", lambda share: None)
    write(tmp_path / "still.mp4", CONSTANT[:8], 99.0)
    with pytest.raises(ParameterError, match="Nothing moves in the video"):
        measure_video(tmp_path / "still.mp4", MarksRequest(), None, None, None, json=True)
    with pytest.raises(ParameterError, match=r"at 5 s is refused: the last frame of the video is at 0\.35 s"):
        measure_video(tmp_path / "still.mp4", MarksRequest(), 5.0, None, None, json=True)
