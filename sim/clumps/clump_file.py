"""The file of a clump, JSON without code: members, mass properties and quality, all in SI units, checked when read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, Self

import numpy as np
from annotated_types import Ge, Gt, Le, MaxLen, MinLen
from pydantic import model_validator
from repose.sim.clumps.clump import MOST_MEMBERS, Clump, MassProperties, principal
from repose.sim.io.json_text import json_text
from repose.sim.io.schema import JSON, EntryName, FileFormat, FilePart, checked, from_json, positioned, read_text
from repose.sim.message import Clause, Message, Number, _, plural
from repose.sim.parameters import ParameterError
from repose.sim.wording import path_text, value_text

LARGEST_FILE = 16 * 2**20
"""Largest size of a file [bytes]; 100 000 members take 8 MB."""
LONGEST_NAME = 200
"""Largest number of characters of a name; the name of a body from a file is the file name, cut to this length."""
MOST_COMPARED = 2000
"""Largest number of members that are compared with one another when a file is read."""
TOLERANCE = 1e-6
"""Rounding in a file [-]."""

Finite = Annotated[float, Ge(-1e12), Le(1e12)]
Length = Annotated[float, Gt(0.0), Le(1e3)]
Volume = Annotated[float, Gt(0.0)]
Name = Annotated[str, MaxLen(LONGEST_NAME)]
Vector = Annotated[list[Finite], MinLen(3), MaxLen(3)]


class MemberSphere(FilePart):
    """One member."""

    x: Finite
    y: Finite
    z: Finite
    r: Length


class ClumpQuality(FilePart):
    """See `repose.sim.clumps.quality.Quality`; null where a measure has no value."""

    volume_ratio: Finite
    roughness: Finite | None
    overlap: Finite
    surface_error: Finite
    protrusion: Finite


class ClumpFile(FilePart):
    """The whole file."""

    format: Literal["repose-clump"] = "repose-clump"
    version: Annotated[int, FileFormat("version", 1)] = 1
    name: Name
    algorithm: Name
    members: Annotated[int, Ge(1), Le(MOST_MEMBERS)]
    """Number of spheres."""
    volume: Volume
    """[m³]."""
    centre: Vector
    """Centre of mass [m]."""
    inertia: Annotated[list[Vector], MinLen(3), MaxLen(3)]
    """Tensor of inertia about the centre of mass, for 1 kg/m³ [m⁵]."""
    body_volume: Volume | None = None
    """Volume of the body that the clump approximates [m³]."""
    quality: ClumpQuality | None = None
    spheres: Annotated[list[MemberSphere], MinLen(1), MaxLen(MOST_MEMBERS), EntryName("sphere")]

    @model_validator(mode="after")
    def _is_a_body(self) -> Self:
        if len(self.spheres) < self.members:
            raise ValueError(
                plural(
                    "it announces {count} member and contains {spheres}: some are missing.",
                    "it announces {count} members and contains {spheres}: some are missing.",
                    count=self.members,
                    spheres=len(self.spheres),
                )
            )
        if len(self.spheres) > self.members:
            raise ValueError(
                plural(
                    "it announces {count} member and contains {spheres}: some were added.",
                    "it announces {count} members and contains {spheres}: some were added.",
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
                    "volume = {volume} m³ is not that of its members, which is between {max} and {sum} m³.",
                    volume=Number(self.volume, format="g"),
                    max=Number(balls.max(), format="g"),
                    sum=Number(balls.sum(), format="g"),
                )
            )
        if hidden := _hidden(centre, radius):
            raise ValueError(
                Message(
                    "member {found} is inside member {found2}: leave it out.", found=hidden[0] + 1, found2=hidden[1] + 1
                )
            )
        low, high = (centre - radius[:, None]).min(axis=0), (centre + radius[:, None]).max(axis=0)
        if not ((low <= self.centre) & (self.centre <= high)).all():
            raise ValueError(Message("centre = {centre} is outside the clump.", centre=value_text(self.centre)))
        inertia = np.array(self.inertia)
        moments = np.linalg.eigvalsh(inertia)
        slack = TOLERANCE * float(np.abs(inertia).max())
        if np.abs(inertia - inertia.T).max() > slack or moments[0] <= 0.0 or moments[2] > moments[:2].sum() + slack:
            raise ValueError(_("inertia is not the tensor of a rigid body."))
        # The moments of inertia of a body exceed those of a ball that it contains, and are smaller than for all mass at
        # its farthest point; the bounds include the error of sampling on a coarse grid.
        least = 0.75 * 0.4 * float((balls * radius**2).max())
        most = 1.25 * self.volume * float((np.linalg.norm(centre - self.centre, axis=1) + radius).max()) ** 2
        if not least <= moments[0] <= moments[2] <= most:
            raise ValueError(
                Message(
                    "inertia has the principal moments {moments} to {moments2} m⁵, but its members allow "
                    "{least} to {most} m⁵.",
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
    spheres = [{"x": x, "y": y, "z": z, "r": r} for (x, y, z), r in zip(clump.centre.tolist(), clump.radius.tolist())]
    content = {
        "name": clump.name[:LONGEST_NAME],
        "algorithm": clump.algorithm,
        "members": len(spheres),
        "volume": mass.volume,
        "centre": mass.centre.tolist(),
        "inertia": mass.inertia.tolist(),
        "body_volume": body_volume,
        "quality": quality,
        "spheres": spheres,
    }
    try:
        return checked(ClumpFile, content)
    except ParameterError as error:
        raise ParameterError(Message("This clump cannot be written: {error}.", error=Clause(error.message))) from None


def text_of(file: ClumpFile) -> str:
    """The text of the file, with one line per sphere for reading and comparison."""
    head = file.model_dump(exclude={"spheres"})
    lines = ",\n".join("  " + json.dumps(sphere.model_dump()) for sphere in file.spheres)
    return json_text(head, indent=1).rstrip().removesuffix("}").rstrip() + f',\n "spheres": [\n{lines}\n ]\n}}\n'


def read_clump(path: str | Path) -> Read:
    """The clump in a file; raises `ParameterError` with the file, the defect and the remedy."""
    text = read_text(Path(path), _("clump file"), syntax=JSON, largest=LARGEST_FILE)
    return clump_from(text, Message("Clump file {path}", path=path_text(path)))


THIS_CLUMP = _("This clump")


def clump_from(text: str, name: Message = THIS_CLUMP) -> Read:
    """The clump in the text of a file, which messages call `name`; raises `ParameterError`."""
    try:
        document = from_json(text, name)
        with positioned(name):
            content = checked(ClumpFile, document)
    except ParameterError as error:
        raise ParameterError(Message("{error} Make it again with `repose clump`.", error=error.message)) from None
    centre = np.array([(sphere.x, sphere.y, sphere.z) for sphere in content.spheres])
    clump = Clump(content.name, content.algorithm, centre, np.array([sphere.r for sphere in content.spheres]))
    mass = principal(content.volume, np.array(content.centre), np.array(content.inertia))
    return Read(clump, mass, content)
