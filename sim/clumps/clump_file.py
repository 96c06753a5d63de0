"""The file of a clump, JSON without code: members, mass properties and quality, all in SI units, checked when read."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from repose.sim.clumps.clump import MOST_MEMBERS, Clump, MassProperties, principal
from repose.sim.io.json_text import json_text
from repose.sim.message import Message, Number, _, plural
from repose.sim.parameters import ParameterError
from repose.sim.wording import value_text

LARGEST_FILE = 16 * 2**20
"""Largest size of a file [bytes]; 100 000 members take 8 MB."""
LONGEST_NAME = 200
"""Largest number of characters of a name; the name of a body from a file is the file name, cut to this length."""
MOST_COMPARED = 2000
"""Largest number of members that are compared with one another when a file is read."""
TOLERANCE = 1e-6
"""Rounding in a file [-]."""

Finite = Annotated[float, Field(allow_inf_nan=False, ge=-1e12, le=1e12)]
Length = Annotated[float, Field(allow_inf_nan=False, gt=0.0, le=1e3)]
Vector = Annotated[list[Finite], Field(min_length=3, max_length=3)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class MemberSphere(_Part):
    """One member."""

    x: Finite
    y: Finite
    z: Finite
    r: Length


class ClumpQuality(_Part):
    """See `repose.sim.clumps.quality.Quality`; null where a measure has no value."""

    volume_ratio: Finite
    roughness: Finite | None
    overlap: Finite
    surface_error: Finite
    protrusion: Finite


class ClumpFile(_Part):
    """The whole file."""

    format: Literal["repose-clump"] = "repose-clump"
    version: Literal[1] = 1
    name: Annotated[str, Field(max_length=LONGEST_NAME)]
    algorithm: Annotated[str, Field(max_length=LONGEST_NAME)]
    members: Annotated[int, Field(ge=1, le=MOST_MEMBERS)]
    """Number of spheres."""
    volume: Annotated[float, Field(allow_inf_nan=False, gt=0.0)]
    """[m³]."""
    centre: Vector
    """Centre of mass [m]."""
    inertia: Annotated[list[Vector], Field(min_length=3, max_length=3)]
    """Tensor of inertia about the centre of mass, for 1 kg/m³ [m⁵]."""
    body_volume: Annotated[float, Field(allow_inf_nan=False, gt=0.0)] | None = None
    """Volume of the body that the clump approximates [m³]."""
    quality: ClumpQuality | None = None
    spheres: Annotated[list[MemberSphere], Field(min_length=1, max_length=MOST_MEMBERS)]

    @model_validator(mode="after")
    def _is_a_body(self) -> Self:
        if len(self.spheres) < self.members:
            raise ValueError(
                plural(
                    "it announces {count} member and contains {spheres}: some are missing",
                    "it announces {count} members and contains {spheres}: some are missing",
                    count=self.members,
                    spheres=len(self.spheres),
                )
            )
        if len(self.spheres) > self.members:
            raise ValueError(
                plural(
                    "it announces {count} member and contains {spheres}: some were added",
                    "it announces {count} members and contains {spheres}: some were added",
                    count=self.members,
                    spheres=len(self.spheres),
                )
            )
        radius = np.array([sphere.r for sphere in self.spheres])
        centre = np.array([(sphere.x, sphere.y, sphere.z) for sphere in self.spheres])
        balls = 4.0 / 3.0 * np.pi * radius**3
        # Sampled on a coarse grid the volume of a small clump is uncertain by some per cent.
        if not 0.9 * balls.max() <= self.volume <= 1.1 * balls.sum():
            raise ValueError(
                Message(
                    "volume = {volume} m³ is not that of its members, which is between {max} and {sum} m³",
                    volume=Number(self.volume, format="g"),
                    max=Number(balls.max(), format="g"),
                    sum=Number(balls.sum(), format="g"),
                )
            )
        if found := _hidden(centre, radius):
            raise ValueError(
                Message(
                    "member {found} is inside member {found2}: leave it out", found=found[0] + 1, found2=found[1] + 1
                )
            )
        low, high = (centre - radius[:, None]).min(axis=0), (centre + radius[:, None]).max(axis=0)
        if not ((low <= self.centre) & (self.centre <= high)).all():
            raise ValueError(Message("centre = {centre} is outside the clump", centre=value_text(self.centre)))
        inertia = np.array(self.inertia)
        moments = np.linalg.eigvalsh(inertia)
        slack = TOLERANCE * float(np.abs(inertia).max())
        if np.abs(inertia - inertia.T).max() > slack or moments[0] <= 0.0 or moments[2] > moments[:2].sum() + slack:
            raise ValueError(_("inertia is not the tensor of a rigid body"))
        # The moments of inertia of a body exceed those of a ball that it contains, and are smaller than for all mass at
        # its farthest point; the bounds include the error of sampling on a coarse grid.
        least = 0.75 * 0.4 * float((balls * radius**2).max())
        most = 1.25 * self.volume * float((np.linalg.norm(centre - self.centre, axis=1) + radius).max()) ** 2
        if not least <= moments[0] <= moments[2] <= most:
            raise ValueError(
                Message(
                    "inertia has the principal moments {moments} to {moments2} m⁵, but its members allow "
                    "{least} to {most} m⁵",
                    moments=Number(moments[0], format="g"),
                    moments2=Number(moments[2], format="g"),
                    least=Number(least, format="g"),
                    most=Number(most, format="g"),
                )
            )
        return self


def _hidden(centre: np.ndarray, radius: np.ndarray) -> tuple[int, int] | None:
    """Rows of a member completely inside another member, and of that other member; of equal members the later counts as
    inside the earlier. A hidden member never touches anything."""
    if len(radius) > MOST_COMPARED:
        return None
    rows = np.arange(len(radius))
    for k in range(len(radius)):
        distance = np.sqrt(((centre - centre[k]) ** 2).sum(axis=1))
        inside = distance + radius[k] <= radius * (1.0 + TOLERANCE)
        inside &= (radius > radius[k] * (1.0 + TOLERANCE)) | (rows < k)
        if inside.any():
            return k, int(np.flatnonzero(inside)[0])
    return None


class Read(NamedTuple):
    """A clump from a file."""

    clump: Clump
    mass: MassProperties
    content: ClumpFile


def file_of(
    clump: Clump, mass: MassProperties, body_volume: float | None = None, quality: ClumpQuality | None = None
) -> ClumpFile:
    """The content of the file of a clump; raises `ParameterError` for a clump that no file can contain."""
    spheres = [MemberSphere(x=x, y=y, z=z, r=r) for (x, y, z), r in zip(clump.centre.tolist(), clump.radius.tolist())]
    try:
        return ClumpFile(
            name=clump.name[:LONGEST_NAME],
            algorithm=clump.algorithm,
            members=len(spheres),
            volume=mass.volume,
            centre=mass.centre.tolist(),
            inertia=mass.inertia.tolist(),
            body_volume=body_volume,
            quality=quality,
            spheres=spheres,
        )
    except ValidationError as error:
        raise ParameterError(Message("This clump cannot be written: {error}.", error=_first_of(error))) from None


def text_of(file: ClumpFile) -> str:
    """The text of the file, with one line per sphere for reading and comparison."""
    head = file.model_dump(exclude={"spheres"})
    lines = ",\n".join("  " + json.dumps(sphere.model_dump()) for sphere in file.spheres)
    return json_text(head, indent=1).rstrip().removesuffix("}").rstrip() + f',\n "spheres": [\n{lines}\n ]\n}}\n'


def read_clump(path: str | Path) -> Read:
    """The clump in a file; raises `ParameterError` with the file, the defect and the remedy."""
    try:
        found = Path(path).stat()
        if not stat.S_ISREG(found.st_mode):
            raise ParameterError(Message("Clump file {path} is not a regular file.", path=value_text(path)))
        if found.st_size > LARGEST_FILE:
            raise ParameterError(
                Message(
                    "Clump file {path} is larger than {largest_file} MB.",
                    path=value_text(path),
                    largest_file=LARGEST_FILE // 2**20,
                )
            )
        text = Path(path).read_text(encoding="utf-8-sig")
    except ParameterError:
        raise
    except FileNotFoundError:
        raise ParameterError(
            Message("Clump file {path}: there is no such file; check the path.", path=value_text(path))
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or _("it is no text")
        raise ParameterError(
            Message("Clump file {path} cannot be read: {reason}.", path=value_text(path), reason=reason)
        ) from None
    return clump_from(text, Message("Clump file {path}", path=value_text(path)))


THIS_CLUMP = _("This clump")


def clump_from(text: str, name: Message = THIS_CLUMP) -> Read:
    """The clump in the text of a file, which messages call `name`; raises `ParameterError`."""
    try:
        content = ClumpFile.model_validate_json(text)
    except ValidationError as error:
        raise ParameterError(
            Message("{name} is refused: {error}; make it again with `repose clump`.", name=name, error=_first_of(error))
        ) from None
    centre = np.array([(sphere.x, sphere.y, sphere.z) for sphere in content.spheres])
    clump = Clump(content.name, content.algorithm, centre, np.array([sphere.r for sphere in content.spheres]))
    mass = principal(content.volume, np.array(content.centre), np.array(content.inertia))
    return Read(clump, mass, content)


def _first_of(error: ValidationError) -> str:
    """The first defect in a few words."""
    first = error.errors()[0]
    entry = ".".join(str(step) for step in first["loc"])
    words = first["msg"].removeprefix("Value error, ")
    words = words if first["type"] == "value_error" else words[:1].lower() + words[1:]
    return f"{entry}: {words}" if entry else words
