"""`repose open` of a photograph: results on disk, turned by EXIF, and files that are refused."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from repose.app.jobs.photo_job import marks_of, measure_photo
from repose.app.jobs.requests import MarksRequest
from repose.app.storage import photo_files
from repose.app.storage.photo_files import read_photo
from repose.sim.parameters import ParameterError

from tests.rendered_heap import Camera, render, triangle

SIZE = (480, 270)
PLACE = 34853
"""Tag of the position in EXIF."""


@pytest.fixture(scope="module")
def picture() -> Image.Image:
    return Image.fromarray(render(triangle(25.0), Camera(size=SIZE)))


def test_a_turned_picture_with_a_position_is_measured_and_nothing_of_the_position_is_written(
    tmp_path: Path, picture: Image.Image, capsys: pytest.CaptureFixture[str]
) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turn right to see it upright
    exif.get_ifd(PLACE)[1] = "N"
    exif.get_ifd(PLACE)[2] = (51.0, 6.0, 36.0)
    turned = tmp_path / "heap.jpg"
    picture.rotate(90, expand=True).save(turned, exif=exif, quality=92)
    with Image.open(turned) as written:
        assert written.getexif().get_ifd(PLACE)
    request = MarksRequest(scale="0,0 480,0 0.32")
    assert measure_photo(turned, request, tmp_path / "out", json=False) == 0
    result = json.loads((tmp_path / "out" / "result.json").read_text("utf-8"))
    assert result["angle_degrees"] == pytest.approx(25.0, abs=0.5)
    assert result["unit_of_lengths"] == "m"
    assert result["height"] == pytest.approx(0.1 * math.tan(math.radians(25.0)), rel=0.1)
    with Image.open(tmp_path / "out" / "heap.png") as written:
        assert written.size == SIZE
        assert not written.getexif()
        assert not np.array_equal(np.asarray(written), np.asarray(picture))
    with (tmp_path / "out" / "profile.csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["x [m]", "height [m]"]
    assert len(rows) > 200
    shown = capsys.readouterr().out
    assert "left flank" in shown
    assert "°" in shown


def test_without_a_scale_lengths_are_pixels(
    tmp_path: Path, picture: Image.Image, capsys: pytest.CaptureFixture[str]
) -> None:
    picture.save(tmp_path / "heap.png")
    assert measure_photo(tmp_path / "heap.png", MarksRequest(), None, json=True) == 0
    assert json.loads(capsys.readouterr().out)["unit_of_lengths"] == "px"
    assert [path.name for path in tmp_path.iterdir()] == ["heap.png"]
    measure_photo(tmp_path / "heap.png", MarksRequest(), tmp_path / "out", json=False)
    assert "The scale is not set" in capsys.readouterr().out


def test_a_transparent_and_a_palette_picture_are_read(tmp_path: Path, picture: Image.Image) -> None:
    grey = Image.fromarray(np.asarray(picture.convert("L")).astype(np.uint16) * 257)  # 16 bits
    for number, shown in enumerate((picture.convert("RGBA"), picture.convert("P"), picture.convert("L"), grey)):
        path = tmp_path / f"{number}.png"
        shown.save(path)
        pixels = read_photo(path).pixels
        assert pixels.shape == (SIZE[1], SIZE[0], 3)
        assert abs(float(pixels.mean()) - float(np.asarray(picture).mean())) < 8.0


def test_a_large_picture_is_made_smaller_and_keeps_its_pixels_as_unit(tmp_path: Path, picture: Image.Image) -> None:
    picture.resize((3840, 2160)).save(tmp_path / "large.jpg")
    photo = read_photo(tmp_path / "large.jpg")
    assert max(photo.pixels.shape) <= photo_files.LONGEST_SIDE
    assert photo.size == (3840, 2160)
    assert photo.step * photo.pixels.shape[1] == pytest.approx(3840.0)


@pytest.mark.parametrize("damage", ["cut", "text", "empty", "missing", "huge", "tiny"])
def test_a_file_that_cannot_be_used_is_refused_in_one_sentence(
    tmp_path: Path, picture: Image.Image, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    path = tmp_path / "heap.jpg"
    picture.save(path)
    whole = path.read_bytes()
    if damage == "cut":
        path.write_bytes(whole[: len(whole) // 2])
    elif damage == "text":
        path.write_text("no picture", encoding="utf-8")
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "missing":
        path.unlink()
    elif damage == "huge":
        monkeypatch.setattr(photo_files, "MOST_MEGAPIXELS", 0.1)
    else:
        picture.resize((20, 10)).save(path)
    with pytest.raises(ParameterError) as caught:
        read_photo(path)
    said = str(caught.value)
    assert said.startswith(str(path))
    assert said.endswith(".")
    assert said.count(". ") == 0


@pytest.mark.parametrize(
    ("typed", "option"),
    [({"scale": "1,2 3,4"}, "--scale"), ({"horizon": "1,2"}, "--horizon"), ({"crop": "a,2 3,4"}, "--crop")],
)
def test_marks_in_another_form_are_refused(typed: dict[str, str], option: str) -> None:
    with pytest.raises(ParameterError, match=f"{option} .* is refused: write it as"):
        marks_of(MarksRequest(**typed))
