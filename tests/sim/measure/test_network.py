"""The contact network beside NetworkX: degrees, clusters, backbone and loops of random contacts and of packings."""

from __future__ import annotations

from typing import Any

import networkx
import numpy as np
import pytest
from repose.sim import Bodies, Material, Simulation, place_spheres, shape_of_spheres
from repose.sim.engine.world import PAIR_COUNT, World
from repose.sim.experiment.sampling import system_of
from repose.sim.measure.coordination import coordination_number
from repose.sim.measure.network import (
    Network,
    cluster_of_spheres,
    contact_network,
    network_numbers,
    network_of,
    nodes_of,
)

from tests.reliability.runs import poured

R = 1e-3
RUBBER = Material(young=1e7, poisson=0.25, density=2500.0, restitution=0.3, friction=0.3)


def graph_of(world: World) -> networkx.Graph:
    """The network as NetworkX has it, from the list of pairs one by one."""
    graph = networkx.Graph()
    grain = [("body", int(world.body[k])) if world.body[k] >= 0 else ("sphere", k) for k in range(world.sphere_count)]
    graph.add_nodes_from(grain[k] for k in range(world.sphere_count) if not world.fixed[k])
    for entry in range(int(world.counters[PAIR_COUNT])):
        i, j = int(world.pairs.i[entry]), int(world.pairs.j[entry])
        if world.pairs.touching[entry] and not world.fixed[i] and not world.fixed[j]:
            force = float(world.pairs.normal_force[entry])
            before = graph.get_edge_data(grain[i], grain[j], {"force": 0.0})["force"]
            graph.add_edge(grain[i], grain[j], force=before + force)
    return graph


def compare(network: Network, graph: networkx.Graph) -> None:
    """Everything of the network that NetworkX computes too."""
    assert (network.nodes, len(network.ends)) == (graph.number_of_nodes(), graph.number_of_edges())
    assert sorted(network.degree.tolist()) == sorted(degree for _, degree in graph.degree)
    sizes = sorted((len(part) for part in networkx.connected_components(graph)), reverse=True)
    assert np.bincount(network.cluster, minlength=len(sizes)).tolist() == sizes, "the largest cluster is the first"
    loops = [len(loop) for loop in networkx.chordless_cycles(graph, length_bound=4)]
    three = sum(networkx.triangles(graph).values()) // 3
    assert network.loops() == (three, loops.count(4))
    assert three == loops.count(3)
    forces = np.array([force for *_, force in graph.edges.data("force")])
    for threshold in (0.5, 1.0, 2.0):
        assert int(network.backbone(threshold).sum()) == int((forces > threshold * forces.mean()).sum())
    strong = {end for *ends, force in graph.edges.data("force") if force > forces.mean() for end in ends}
    numbers = network_numbers(network)
    assert numbers.clusters == sum(size > 1 for size in sizes)
    assert numbers.largest == sizes[0] / network.nodes
    assert numbers.degree == pytest.approx(2.0 * len(forces) / network.nodes)
    assert numbers.degrees.tolist() == [count / network.nodes for count in networkx.degree_histogram(graph)]
    assert numbers.backbone == pytest.approx((forces > forces.mean()).mean())
    assert numbers.backbone_grains == len(strong) / network.nodes
    assert (numbers.loops_of_three, numbers.loops_of_four) == (three / network.nodes, loops.count(4) / network.nodes)


@pytest.mark.parametrize("per_grain", [0.4, 1.0, 2.5, 6.0])
def test_random_contacts_have_the_numbers_of_networkx(per_grain: float) -> None:
    random = np.random.default_rng(round(10 * per_grain))
    count = 80
    rows = random.integers(0, count, (round(per_grain * count), 2))
    rows = np.unique(np.sort(rows[rows[:, 0] != rows[:, 1]], axis=1), axis=0)
    force = random.exponential(size=len(rows))
    graph = networkx.Graph()
    graph.add_nodes_from(range(count))
    graph.add_weighted_edges_from(((*ends, value) for ends, value in zip(rows.tolist(), force.tolist())), "force")
    network = network_of(np.arange(count), rows, force)
    compare(network, graph)
    for part in networkx.connected_components(graph):
        assert len(set(network.cluster[list(part)].tolist())) == 1, "one number for the grains of a cluster"


def test_bodies_at_random_have_one_edge_with_the_sum_of_their_forces_and_none_within() -> None:
    node = np.array([0, 0, 1, 1, -1])
    rows, force = np.array([(0, 1), (1, 2), (3, 0), (3, 4)]), np.array([5.0, 1.0, -3.0, 7.0])
    network = network_of(node, rows, force)
    assert network.ends.tolist() == [[0, 1]]
    assert network.normal_force.tolist() == [-2.0]
    assert network.degree.tolist() == [1, 1]


def test_loops_of_four_are_those_without_a_contact_across() -> None:
    def loops(*rows: tuple[int, int]) -> tuple[int, int]:
        return network_of(np.arange(5), np.array(rows), np.ones(len(rows))).loops()

    square = ((0, 1), (1, 2), (2, 3), (0, 3))
    assert loops(*square) == (0, 1)
    assert loops(*square, (0, 2)) == (2, 0), "two adjoining triangles"
    assert loops(*square, (0, 2), (1, 3)) == (4, 0), "a tetrahedron"
    assert loops((0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4)) == (0, 3)


def test_the_network_of_a_heap_being_poured_is_that_of_networkx() -> None:
    experiment = poured(20_000)
    world = experiment.run.world
    compare(contact_network(world), graph_of(world))
    assert world.fixed.any()
    assert np.isnan(cluster_of_spheres(world)[world.fixed]).all(), "fixed grains belong to no cluster"


def packing(dimension: int, period: float = 0.0) -> Simulation:
    """A loose box of spheres and dumbbells, slightly overlapping a lattice with gaps."""
    side, random = 6, np.random.default_rng(dimension)
    lattice = np.stack(np.meshgrid(*[np.arange(side)] * dimension), axis=-1).reshape(-1, dimension)
    places = 2.0 * R * (lattice + 0.5)
    kept = random.permutation(len(places))[: int(0.75 * len(places))]
    ends = np.zeros((2, dimension))
    ends[:, 0] = -0.4 * R, 0.4 * R
    shape = shape_of_spheres(ends, 0.7 * R, 2500.0)
    dumbbells, spheres = places[kept[: len(kept) // 4]], places[kept[len(kept) // 4 :]]
    radius = random.uniform(0.97, 1.06, len(spheres)) * R
    angle = random.uniform(0.0, 2.0 * np.pi, len(dumbbells))
    turned = angle if dimension == 2 else np.column_stack([np.cos(angle), np.sin(angle), 0.0 * angle, 0.0 * angle])
    bodies = Bodies(shape, dumbbells, RUBBER, orientation=turned)
    borders = {"period": (2.0 * R * side,) * dimension} if period else {}
    simulation = place_spheres(spheres, radius, RUBBER, bodies=[bodies], gravity=0.0, dt=1e-7, **borders)
    simulation.step(2)
    return simulation


@pytest.mark.parametrize("period", [0.0, 1.0])
@pytest.mark.parametrize("dimension", [2, 3])
def test_bodies_are_single_nodes_in_plane_and_space_with_and_without_a_period(dimension: int, period: float) -> None:
    world = packing(dimension, period).world
    network, graph = contact_network(world), graph_of(world)
    compare(network, graph)
    assert len(network.ends) > 20
    assert network.nodes == int((world.body < 0).sum()) + world.body.max() + 1
    members = np.flatnonzero(world.body == 0)
    assert len(members) == 2
    assert len(set(nodes_of(world)[members].tolist())) == 1
    assert len(set(cluster_of_spheres(world)[members].tolist())) == 1
    assert cluster_of_spheres(world).tolist() == network.cluster[network.node].tolist()


def test_a_period_joins_grains_across_the_border() -> None:
    assert len(contact_network(packing(2, 1.0).world).ends) > len(contact_network(packing(2).world).ends)


def test_the_degree_without_walls_and_bodies_is_the_coordination_number() -> None:
    position = 1.98 * R * np.array([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (1.0, 1.0), (9.0, 0.0)])
    simulation = place_spheres(position, R, RUBBER, gravity=0.0, dt=1e-7)
    simulation.step(1)
    numbers = network_numbers(contact_network(simulation.world))
    assert numbers.degree == coordination_number(simulation.world).mean == 1.2
    assert numbers.degrees.tolist() == [0.2, 0.6, 0.0, 0.2]
    assert (numbers.clusters, numbers.largest) == (1, 0.8)


def test_a_world_without_grains_has_zeros() -> None:
    numbers = network_numbers(network_of(np.full(3, -1), np.zeros((0, 2), np.int64), np.zeros(0)))
    assert {value for value in numbers.as_dict().values() if isinstance(value, float)} == {0.0, 1.0}
    assert numbers.degree == numbers.largest == numbers.backbone == 0.0


def test_result_json_and_readings_have_the_network() -> None:
    simulation = Simulation("heap", {"grain_count": 40, "width": 0.015})
    simulation.act("fill")
    simulation.run(0.3)
    found: dict[str, Any] = simulation.results()
    numbers = network_numbers(contact_network(simulation.world))
    assert found["network"] == numbers.as_dict()
    assert found["measurements"]["network_degree"] == numbers.degree
    system = system_of(simulation.experiment)
    assert found["measurements"]["largest_cluster"] == system.derived(lambda s: numbers.largest)
