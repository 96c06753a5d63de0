"""Render the photograph of the lecture *Your heap and ours*: `python -m tests.tools.rendered_photo`."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from tests.rendered_heap import Camera, Light, render, triangle

FILE = Path(__file__).resolve().parents[2] / "assets" / "photos" / "rendered-heap.jpg"
ANGLE = 24.0
"""Angle of the rendered heap [°]."""
CAMERA = Camera(size=(1200, 675), roll=3.0, pitch=1.0, yaw=2.0, blur=1.2, noise=4.0)
LIGHT = Light(shadow=0.2)


def main() -> None:
    """Write the file."""
    FILE.parent.mkdir(exist_ok=True)
    Image.fromarray(render(triangle(ANGLE, seed=40, across=90), CAMERA, LIGHT, seed=40)).save(FILE, quality=85)


if __name__ == "__main__":
    main()
