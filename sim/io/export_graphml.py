"""The contact network as GraphML (Brandes et al., 2002), which NetworkX, igraph, Gephi and Cytoscape read.

A node is a grain: a sphere, or a rigid body with all of its members. An edge is two grains that touch; if several of
their spheres do, their forces are added. Walls are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from repose.sim.engine.boundaries import in_cell
from repose.sim.io.export_text import Add
from repose.sim.io.exported_state import AXES, ExportedState, contacts_of
from repose.sim.measure.grains import own_shares

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
KINDS = {"f": "double", "i": "long", "U": "string"}
"""Types of GraphML by the kind of a column."""


@contextmanager
def contact_network(file: BinaryIO) -> Iterator[Add]:
    """One state; time, scene, seed and parameters are attributes of the graph."""

    def add(state: ExportedState) -> None:
        nodes, (ends, edges) = node_columns(state), edge_columns(state)
        facts = {"time [s]": state.time, "step": state.step, **state.origin}
        of_graph = {name: np.array([value]) for name, value in facts.items()}
        file.write(f'<?xml version="1.0" encoding="utf-8"?>\n<graphml xmlns="{NAMESPACE}">\n'.encode())
        for of, columns in (("graph", of_graph), ("node", nodes), ("edge", edges)):
            for k, (name, column) in enumerate(columns.items()):
                kind = KINDS[column.dtype.kind]
                key = f'<key id="{of}{k}" for="{of}" attr.name={quoteattr(name)} attr.type="{kind}"/>\n'
                file.write(key.encode())
        file.write(b'<graph edgedefault="undirected">\n')
        file.write("".join(_data("graph", of_graph)).encode())
        for number, data in zip(nodes["id"].tolist(), _data("node", nodes)):
            file.write(f'<node id="{number}">{data}</node>\n'.encode())
        for (first, second), data in zip(ends.tolist(), _data("edge", edges)):
            file.write(f'<edge source="{first}" target="{second}">{data}</edge>\n'.encode())
        file.write(b"</graph>\n</graphml>\n")

    yield add


def _data(of: str, columns: Mapping[str, Any]) -> Iterable[str]:
    """The elements of each row."""
    texts = ([f"{value:.17g}" if column.dtype.kind == "f" else escape(str(value)) for value in column.tolist()]
             for column in columns.values())  # fmt: skip
    return ("".join(f'<data key="{of}{k}">{text}</data>' for k, text in enumerate(row)) for row in zip(*texts))


def grain_of_spheres(state: ExportedState) -> Any:
    """Id of the grain of each sphere: its own, or that of its body, shape (spheres,)."""
    world = state.world
    if not world.bodies:
        return world.sphere_id
    return np.where(world.body >= 0, world.bodies.body_id[np.maximum(world.body, 0)], world.sphere_id)


def node_columns(state: ExportedState) -> dict[str, Any]:
    """One row per grain: id, centre (of mass), radius (of a body that of the sphere, in the plane the disc, of equal
    volume) and kind, which is "sphere", "body" or "fixed", also of what a machine moves."""
    world, dimension = state.grains, state.dimension
    loose = np.flatnonzero(world.body < 0)
    ids, centre, radius = world.sphere_id[loose], world.motion[:dimension, 0, loose], world.radius[loose]
    kind = np.where(world.fixed[loose], "fixed", "sphere")
    if world.bodies:
        volume = own_shares(world) * world.radius**dimension
        member, count = world.body >= 0, world.bodies.body_id.size
        of_bodies = np.bincount(world.body[member], volume[member], minlength=count) ** (1.0 / dimension)
        ids = np.concatenate([ids, world.bodies.body_id])
        centre = np.concatenate([centre, world.bodies.motion[:dimension, 0]], axis=1)
        radius = np.concatenate([radius, of_bodies])
        kind = np.concatenate([kind, np.where(world.bodies.inverse_mass[0] > 0.0, "body", "fixed")])
    place = in_cell(centre.T, world.boundary)
    columns = {"id": ids} | {f"{AXES[k]} [m]": place[:, k] for k in range(dimension)}
    return columns | {"radius [m]": radius, "kind": kind}


def edge_columns(state: ExportedState) -> tuple[Any, dict[str, Any]]:
    """Ids of both grains of each edge, shape (edges, 2), and its forces, sums over the contacts of the two grains."""
    contacts = contacts_of(state, walls=False)
    both = np.sort(grain_of_spheres(state)[contacts.rows], axis=1).reshape(-1, 2)
    ends, edge = np.unique(both, axis=0, return_inverse=True)
    edge = edge.ravel()

    def total(values: Any) -> Any:
        return np.bincount(edge, values, minlength=len(ends))

    return ends, {
        "normal force [N]": total(contacts.normal_force),
        "shear force [N]": total(contacts.shear_force),
        "contacts": np.bincount(edge, minlength=len(ends)),
    }
