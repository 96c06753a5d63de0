"""Photographs in the files of runs: pixels and marks come back, and nothing of the metadata is written."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from repose.app.storage.photo_files import Photo, packed, read_photo, unpacked
from repose.sim.parameters import ParameterError
from repose.sim.photo.marks import Marks

from tests.rendered_heap import Camera, render, triangle

SIZE = (240, 136)
ALL_MARKS = Marks(
    scale=((1.0, 2.0), (200.0, 3.0)),
    length=0.2,
    horizon=((0.0, 100.0), (239.0, 101.5)),
    crop=((4.0, 5.0), (230.0, 130.0)),
    threshold=7.5,
    points=((20.0, 90.0), (120.5, 40.25)),
)
POSITION = 34853
"""Tag of the position in EXIF."""


@pytest.fixture(scope="module")
def photo(tmp_path_factory: pytest.TempPathFactory) -> Photo:
    path = tmp_path_factory.mktemp("photo") / "heap.jpg"
    exif = Image.Exif()
    exif.get_ifd(POSITION)[1] = "N"
    exif.get_ifd(POSITION)[2] = (51.0, 6.0, 36.0)
    Image.fromarray(render(triangle(25.0), Camera(size=SIZE))).save(path, exif=exif)
    assert Path(path).read_bytes().count(b"Exif")
    return read_photo(path)


@pytest.mark.parametrize("marks", [Marks(), ALL_MARKS])
def test_pixels_and_marks_come_back_and_no_metadata(photo: Photo, marks: Marks) -> None:
    content = packed(photo, marks)
    back, its_marks = unpacked(content)
    assert np.array_equal(back.pixels, photo.pixels)
    assert (back.name, back.size, back.step) == (photo.name, photo.size, photo.step)
    assert its_marks == marks or (math.isnan(its_marks.length) and its_marks.scale is marks.scale is None)
    assert b"Exif" not in content
    assert b"eXIf" not in content


@pytest.mark.parametrize("damage", ["cut", "no picture", "no JSON", "other marks", "another size"])
def test_a_damaged_photograph_is_refused_in_one_sentence(photo: Photo, damage: str) -> None:
    content = packed(photo, ALL_MARKS)
    head, _, png = content.partition(b"\n")
    damaged = {
        "cut": content[: len(content) // 2],
        "no picture": head + b"\nno picture",
        "no JSON": b"{\n" + png,
        "other marks": head.replace(b'"crop"', b'"crap"') + b"\n" + png,
        "another size": head.replace(b'"size": [240', b'"size": [24000') + b"\n" + png,
    }[damage]
    assert damaged != content
    with pytest.raises(ParameterError, match="photograph in the file of the run is damaged"):
        unpacked(damaged)


def test_a_truncated_file_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "heap.jpg"
    Image.fromarray(render(triangle(25.0), Camera(size=SIZE))).save(path)
    path.write_bytes(path.read_bytes()[:-2000])
    with pytest.raises(ParameterError, match=r"heap\.jpg is damaged \(.*\): copy it from the camera again\."):
        read_photo(path)
