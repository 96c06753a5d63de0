"""A photograph from a camera of this machine, through SDL's companion `pygame.camera`."""

from __future__ import annotations

import time

import numpy as np
from repose.app.storage.photo_files import LONGEST_SIDE, Photo
from repose.sim.message import Message, _
from repose.sim.parameters import ParameterError
from repose.sim.wording import reason_of

WARM_UP = 0.5
"""Time in which a camera adapts to the light before the picture is taken [s]."""
WANTED = (1280, 720)
"""Size of the picture that is asked for [pixel]; a camera may give another one."""


def take_photo() -> Photo:
    """The picture that the first camera sees now; raises `ParameterError` in one sentence."""
    import pygame
    from pygame import camera

    try:
        camera.init()
        names = camera.list_cameras()
        if not names:
            raise ParameterError(_("No camera is found: connect one, or open a photograph."))
        opened = camera.Camera(names[0], WANTED)
        opened.start()
        try:
            time.sleep(WARM_UP)
            surface = opened.get_image()
        finally:
            opened.stop()
    except (pygame.error, OSError, NotImplementedError, ImportError) as error:
        raise ParameterError(Message("The camera cannot be used: {reason}.", reason=reason_of(error))) from None
    pixels = np.ascontiguousarray(pygame.surfarray.array3d(surface).swapaxes(0, 1))
    step = max(1, -(-max(pixels.shape) // LONGEST_SIDE))
    height, width = pixels.shape[:2]
    return Photo(str(_("camera")), np.ascontiguousarray(pixels[::step, ::step]), float(step), (width, height))
