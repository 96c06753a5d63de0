"""The contact network as GraphML, read back by NetworkX: the numbers of the state, bit by bit."""

from __future__ import annotations

from pathlib import Path

import networkx
import numpy as np
import pytest
from repose.sim import place_spheres
from repose.sim.engine.boundaries import in_cell
from repose.sim.engine.world import PERIOD
from repose.sim.experiment.export_state import state_of
from repose.sim.io.export import export
from repose.sim.io.exported_state import ExportedState, contacts_of
from repose.sim.measure.grains import grain_radii
from repose.sim.measure.network import contact_network

from tests.reliability.runs import poured
from tests.sim.measure.test_network import RUBBER, compare, packing


def read(state: ExportedState, path: Path) -> networkx.Graph:
    export(state, path)
    return networkx.read_graphml(path, node_type=int)


def test_grains_and_forces_of_a_heap_are_read_back_with_equal_bits(tmp_path: Path) -> None:
    state = state_of(poured(20_000))
    graph, world = read(state, tmp_path / "network.graphml"), state.world
    assert graph.graph["time [s]"] == state.time
    assert graph.graph["scene"] == "heap (Heap)"
    assert list(graph) == world.sphere_id.tolist()
    for row, number in enumerate(world.sphere_id.tolist()):
        node = graph.nodes[number]
        assert (node["x [m]"], node["y [m]"]) == tuple(world.motion[:2, 0, row])
        assert node["radius [m]"] == world.radius[row]
        assert node["kind"] == ("fixed" if world.fixed[row] else "sphere")
    contacts = contacts_of(state, walls=False)
    assert graph.number_of_edges() == len(contacts.ids) > 10
    for (i, j), normal, shear in zip(contacts.ids.tolist(), contacts.normal_force, contacts.shear_force):
        edge = graph.edges[i, j]
        assert (edge["normal force [N]"], edge["shear force [N]"], edge["contacts"]) == (normal, shear, 1)


@pytest.mark.parametrize("dimension", [2, 3])
def test_bodies_are_nodes_and_their_contacts_add_up(dimension: int, tmp_path: Path) -> None:
    state = state_of(packing(dimension, 1.0).experiment)
    graph, world = read(state, tmp_path / "network.graphml"), state.world
    of_bodies = [node for node, kind in graph.nodes(data="kind") if kind == "body"]
    assert of_bodies == world.bodies.body_id.tolist()
    place = in_cell(world.bodies.motion[:dimension, 0].T, world.boundary)
    assert [graph.nodes[node]["y [m]"] for node in of_bodies] == place[:, 1].tolist()
    radii = [graph.nodes[node]["radius [m]"] for node in graph]
    np.testing.assert_allclose(radii, grain_radii(world), rtol=1e-12)
    total = sum(force for *_, force in graph.edges.data("normal force [N]"))
    assert total == pytest.approx(contacts_of(state, walls=False).normal_force.sum(), rel=1e-12)
    for *_, edge in graph.edges.data():
        edge["force"] = edge["normal force [N]"]
    compare(contact_network(world), graph)


def test_grains_beyond_a_period_are_written_at_their_place_in_the_cell(tmp_path: Path) -> None:
    state = state_of(packing(2, 1.0).experiment)
    world = state.world
    for motion in (world.motion, world.bodies.motion):
        motion[:2, 0] += world.boundary[PERIOD][:, None]
    graph, period = read(state, tmp_path / "network.graphml"), world.boundary[PERIOD]
    for _, node in graph.nodes.data():
        assert 0.0 <= node["x [m]"] <= period[0]
        assert 0.0 <= node["y [m]"] <= period[1]


def test_contacts_with_walls_are_no_edges(tmp_path: Path) -> None:
    radius, walls = 1e-3, [((0.0, 0.0), (0.0, 1.0))]
    simulation = place_spheres([(0.0, 0.99e-3), (1.99e-3, 0.99e-3)], radius, RUBBER, planes=walls, gravity=0.0, dt=1e-7)
    simulation.step(1)
    state = state_of(simulation.experiment)
    assert len(contacts_of(state, walls=True).ids) == 3
    assert list(read(state, tmp_path / "network.graphml").edges) == [(0, 1)]
