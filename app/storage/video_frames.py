"""Frames of a video with the times that the file states, also of variable rate, and up to where a file is cut off."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from repose.sim.engine.world import Floats
from repose.sim.message import EMPTY, Message, Number
from repose.sim.parameters import ParameterError
from repose.sim.photo.collapse import TimedFrame
from repose.sim.wording import path_text, reason_of

SUFFIXES = (".mp4", ".mov", ".m4v", ".mkv", ".webm", ".avi")
LONGEST_SIDE, SMALL_SIDE = 960, 320
"""Longest side of a frame that is measured, and of one that is compared with its neighbour [pixel]."""
LONGEST_PAUSE, MISSING = 3.0, 0.05
"""Time after the last frame, in frames, and share of the length without frames up to which a file is whole [-]."""
MOST_FRAMES = 120
"""Largest number of frames that are measured: at twice this number every second one is dropped."""


@dataclass
class Video:
    """What is used of a video."""

    name: str
    size: tuple[int, int] = (0, 0)
    """Width and height of a whole frame [pixel]."""
    step: float = 1.0
    """Pixels of a whole frame per pixel of a frame that is measured."""
    times: list[float] = field(default_factory=list)
    """Times of all frames [s]."""
    small: list[Floats] = field(default_factory=list)
    """All frames in grey, small."""
    frames: list[TimedFrame] = field(default_factory=list)
    """The frames that are measured; the last one is the last of the video."""
    remark: Message = EMPTY
    """What the file lacks; empty for a whole file."""


def read_video(path: Path, on_progress: Callable[[float | None], None]) -> Video:
    """The frames of a video; raises `ParameterError` in one sentence for a file without any.

    `on_progress` gets the fraction of the file that is read, or None if its length is not known; it may raise to stop.
    """
    import av
    from av.error import FFmpegError

    video = Video(path.name)
    try:
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
            stream.thread_type = "AUTO"
            length = float(container.duration / av.time_base) if container.duration else math.nan
            try:
                _take_frames(video, container.decode(stream), length, on_progress)
            except FFmpegError as error:
                if not video.frames:
                    raise
                video.remark = Message(
                    "{name} is cut off: it is used up to {time} ({reason}).",
                    name=path.name,
                    time=Number(video.times[-1], "s", ".2f"),
                    reason=reason_of(error),
                )
    except (FFmpegError, OSError, IndexError, ValueError) as error:
        raise ParameterError(
            Message("{name} is not a video that can be read: {reason}.", name=path_text(path), reason=reason_of(error))
        ) from None
    if len(video.frames) < 2:
        raise ParameterError(Message("{name} has fewer than two frames.", name=path_text(path)))
    missing = length - video.times[-1] - LONGEST_PAUSE * float(np.median(np.diff(video.times)))
    if not video.remark and missing > MISSING * length:
        video.remark = Message(
            "{name} is cut off: it is used up to {time} of {length}.",
            name=path.name,
            time=Number(video.times[-1], "s", ".2f"),
            length=Number(length, "s", ".2f"),
        )
    return video


def _take_frames(
    video: Video, decoded: Iterable[Any], length: float, on_progress: Callable[[float | None], None]
) -> None:
    """Keep all frames small and in grey, and some of them for measurements."""
    every, pending = 1, None
    for number, picture in enumerate(decoded):
        time = float(picture.time) if picture.time is not None else math.nan
        if not math.isfinite(time) or (video.times and time <= video.times[-1]):
            continue  # without a time of its own
        turned = int(getattr(picture, "rotation", 0)) % 360
        on_progress(min(time / length, 1.0) if length > 0.0 else None)
        share = min(1.0, SMALL_SIDE / max(picture.width, picture.height))
        size = max(2, round(picture.width * share)), max(2, round(picture.height * share))
        video.small.append(picture.reformat(*size, format="gray").to_ndarray().astype(np.float64))
        video.times.append(time)
        video.step = max(1.0, max(picture.width, picture.height) / LONGEST_SIDE)
        size = round(picture.width / video.step), round(picture.height / video.step)
        pixels = np.rot90(picture.reformat(*size, format="rgb24").to_ndarray(), turned // 90)
        whole = picture.width, picture.height
        video.size = whole[::-1] if turned in (90, 270) else whole
        pending = TimedFrame(time, np.ascontiguousarray(pixels))
        if number % every == 0:
            video.frames.append(pending)
            pending = None
        if len(video.frames) > 2 * MOST_FRAMES:
            del video.frames[1::2]
            every *= 2
    if pending is not None:
        video.frames.append(pending)
