"""The contact network: grains that can move as nodes, their contacts with one another as edges.

A rigid body is one node, and two grains have one edge however many of their spheres touch. Fixed grains and walls are
the border of the network, not part of it: through a common floor all grains would be connected.

With the adjacency matrix A, the common neighbours c_ij = (A²)_ij of the two grains of an edge count the loops of three,
L3 = Σ c_ij / 3 over the edges. Every two common neighbours of two grains close a ring of four, and a ring is found from
both of its diagonals; without those rings of which a diagonal is a contact,

    L4 = 1/2 Σ_{i<j} C(c_ij, 2) − Σ_edges C(c_ij, 2) + 3 K,

where K is the number of sets of four grains that all touch one another: each of their three rings has two such
diagonals and was subtracted twice. Two adjoining loops of three are therefore no loop of four.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import PAIR_COUNT, Floats, World
from repose.sim.measure.contact_sums import connected
from repose.sim.measure.display import Plot
from repose.sim.measure.measurement import Measurement, System
from repose.sim.measure.packing import packing_box
from repose.sim.message import Message, Number, _, plain

BACKBONE = 1.0
"""Normal force of a contact of the backbone, in units of the mean over all contacts of the network [-]: those above the
mean bear the deviatoric stress (Radjai et al., Phys. Rev. Lett. 80 (1998) 61)."""

BLOCK = 50_000
"""Rows of a product of sparse matrices at a time: those of a million grains at once would take a gigabyte."""

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Network:
    """Grains and their contacts at one time."""

    node: Ints
    """Node of each sphere, -1 for a fixed one, shape (spheres,)."""
    nodes: int
    """Number of grains that can move."""
    ends: Ints
    """The two nodes of each edge, the lower one first, shape (edges, 2)."""
    normal_force: Floats
    """Sum over the contacts of the two grains, positive pushes apart [N], shape (edges,)."""

    @property
    def degree(self) -> Ints:
        """Number of grains that each grain touches, shape (nodes,)."""
        return np.bincount(self.ends.ravel(), minlength=self.nodes)

    @property
    def cluster(self) -> Ints:
        """Number of the cluster of each grain, 0 for the largest, shape (nodes,). A cluster is all grains that are
        connected by contacts, at least one."""
        numbers: Ints = connected(np.arange(self.nodes), *self.ends.T)
        return numbers

    @property
    def matrix(self) -> Any:
        """The adjacency matrix as a sparse one of shape (nodes, nodes)."""
        from scipy.sparse import csr_array  # it takes long to import: only when measuring

        i, j = self.ends.T
        one = np.ones(2 * len(i), np.int64)
        return csr_array((one, (np.append(i, j), np.append(j, i))), shape=(self.nodes, self.nodes))

    def backbone(self, threshold: float = BACKBONE) -> NDArray[np.bool_]:
        """The edges whose normal force exceeds `threshold` times the mean, shape (edges,)."""
        mean = float(self.normal_force.mean()) if self.normal_force.size else 0.0
        stronger: NDArray[np.bool_] = self.normal_force > threshold * mean
        return stronger

    def loops(self) -> tuple[int, int]:
        """Numbers of loops of three grains, and of loops of four in which no contact joins opposite grains."""
        matrix = self.matrix
        of_all = of_three = of_edges = cliques = 0
        for first in range(0, self.nodes, BLOCK):
            common = (matrix[first : first + BLOCK] @ matrix).tocoo()
            of_all += int(_pairs(common.data[first + common.row < common.col]).sum())
        for first in range(0, len(self.ends), BLOCK):
            i, j = self.ends[first : first + BLOCK].T
            shared = matrix[i].multiply(matrix[j]).tocsr()  # row: an edge; column: a common neighbour
            count = np.asarray(shared.sum(axis=1), np.int64)
            of_three += int(count.sum())
            of_edges += int(_pairs(count).sum())
            cliques += int((shared @ matrix).multiply(shared).sum())  # from six edges, each with two ordered pairs
        return of_three // 3, of_all // 2 - of_edges + 3 * (cliques // 12)


def _pairs(count: Any) -> Any:
    """Number of pairs of so many things."""
    return count * (count - 1) // 2


def contact_network(world: World) -> Network:
    """The network of a world after its last evaluation of forces."""
    pairs, touching = world.pairs, touching_entries(world)
    rows = np.column_stack([pairs.i[touching], pairs.j[touching]])
    return network_of(nodes_of(world), rows, pairs.normal_force[touching])


def cluster_of_spheres(world: World) -> Floats:
    """Number of the cluster of each sphere's grain, 0 for the largest, nan for a fixed sphere, shape (spheres,)."""
    node, touching = nodes_of(world), touching_entries(world)
    cluster = connected(node, world.pairs.i[touching], world.pairs.j[touching])
    found = np.full(node.size, np.nan)
    found[node >= 0] = cluster[node[node >= 0]]
    return found


def touching_entries(world: World) -> NDArray[np.intp]:
    """The entries of the list of pairs that touch."""
    return np.flatnonzero(world.pairs.touching[: int(world.counters[PAIR_COUNT])])


def nodes_of(world: World) -> Ints:
    """Node of each sphere, shape (spheres,): loose spheres that can move in the order of their rows, then bodies in
    that of their first members; -1 for a fixed sphere."""
    body, moves = world.body.astype(np.int64), ~world.fixed
    node = np.full(world.sphere_count, -1)
    loose = moves & (body < 0)
    node[loose] = np.arange(int(loose.sum()))
    member = moves & (body >= 0)
    row = np.unique(body[member], return_inverse=True)[1]
    node[member] = int(loose.sum()) + row
    return node


def network_of(node: Ints, rows: Any, normal_force: Floats) -> Network:
    """The network of the contacts of spheres in these rows, shape (contacts, 2), with these normal forces [N]."""
    count = int(node.max(initial=-1)) + 1
    ends = np.sort(node[rows.astype(np.int64)], axis=1)
    kept = (ends[:, 0] >= 0) & (ends[:, 0] != ends[:, 1])
    keys, edge = np.unique(ends[kept] @ np.array([count, 1]), return_inverse=True)
    force: Floats = np.bincount(edge, normal_force[kept], minlength=keys.size).astype(np.float64)
    return Network(node, count, np.column_stack(np.divmod(keys, max(count, 1))), force)


@dataclass(frozen=True)
class NetworkNumbers:
    """What the readings, the plot and result.json show of a network."""

    degree: float
    """Mean number of grains that a grain touches [-]."""
    degrees: Floats
    """Share of the grains that touch 0, 1, 2, ... others [-]."""
    clusters: int
    """Number of clusters of at least two grains."""
    largest: float
    """Share of the grains in the largest cluster [-]."""
    backbone: float
    """Share of the contacts in the backbone [-]."""
    backbone_grains: float
    """Share of the grains with such a contact [-]."""
    loops_of_three: float
    """Loops of three per grain [-]."""
    loops_of_four: float
    """Loops of four per grain [-]."""

    def as_dict(self) -> dict[str, Any]:
        """Numbers of types that JSON has."""
        return {
            "mean_degree": self.degree,
            "degree_distribution": self.degrees.tolist(),
            "clusters": self.clusters,
            "largest_cluster": self.largest,
            "backbone_threshold": BACKBONE,
            "backbone_contacts": self.backbone,
            "backbone_grains": self.backbone_grains,
            "loops_of_three_per_grain": self.loops_of_three,
            "loops_of_four_per_grain": self.loops_of_four,
        }


def network_numbers(network: Network) -> NetworkNumbers:
    """The numbers of a network; zero without grains."""
    grains, strong = max(network.nodes, 1), network.backbone()
    sizes, degree = np.bincount(network.cluster) if network.nodes else np.zeros(1, np.int64), network.degree
    three, four = network.loops() if len(network.ends) else (0, 0)
    return NetworkNumbers(
        degree=float(degree.sum()) / grains,
        degrees=np.bincount(degree) / grains,
        clusters=int((sizes > 1).sum()),
        largest=float(sizes[0]) / grains,
        backbone=float(strong.mean()) if strong.size else 0.0,
        backbone_grains=float(np.unique(network.ends[strong]).size) / grains,
        loops_of_three=three / grains,
        loops_of_four=four / grains,
    )


def network_now(system: System) -> NetworkNumbers:
    """The numbers of the present network of an experiment."""
    return network_numbers(contact_network(system.grains))


def _packed(system: System) -> bool:
    return system.derived(packing_box) is not None


def _degree_help(system: System) -> Message:
    shares = system.derived(network_now).degrees
    words = ", ".join(f"{count}: {100.0 * share:.0f} %" for count, share in enumerate(shares))
    return Message(
        "Grains that touch a grain; walls and fixed grains do not count. Shares: {words}.", words=plain(words)
    )


def _cluster_help(system: System) -> Message:
    return Message(
        "Share of the grains in the largest cluster of grains in contact. Clusters of two or more: {count}.",
        count=system.derived(network_now).clusters,
    )


def _backbone_help(system: System) -> Message:
    return Message(
        "Contacts with more than {threshold} times the mean normal force; {grains} % of the grains have one.",
        threshold=Number(BACKBONE, format="g"),
        grains=Number(100.0 * system.derived(network_now).backbone_grains, format=".0f"),
    )


def _loops_help(system: System) -> Message:
    return Message(
        "Loops of three grains that touch one another; of four without a contact across there are {four} per grain.",
        four=Number(system.derived(network_now).loops_of_four, format=".2f"),
    )


NETWORK = Plot("network", _("Network"), 35, needs="contacts")
MEASUREMENT = (
    Measurement(
        "network_degree",
        _("neighbours in contact"),
        "k",
        "",
        lambda system: system.derived(network_now).degree,
        costly=True,
        shown=_packed,
        of_grains=True,
        help=_degree_help,
        plot=NETWORK,
        order=41,
    ),
    Measurement(
        "largest_cluster",
        _("largest cluster"),
        "",
        "%",
        lambda system: system.derived(network_now).largest,
        scale=0.01,
        costly=True,
        shown=_packed,
        of_grains=True,
        help=_cluster_help,
        plot=NETWORK,
        axis=_("share"),
        order=42,
    ),
    Measurement(
        "force_backbone",
        _("backbone"),
        "",
        "%",
        lambda system: system.derived(network_now).backbone,
        scale=0.01,
        costly=True,
        shown=_packed,
        of_grains=True,
        help=_backbone_help,
        plot=NETWORK,
        axis=_("share"),
        order=43,
    ),
    Measurement(
        "loops_of_three",
        _("loops of three per grain"),
        "",
        "",
        lambda system: system.derived(network_now).loops_of_three,
        costly=True,
        shown=_packed,
        of_grains=True,
        help=_loops_help,
        plot=NETWORK,
        axis=_("loops per grain"),
        order=44,
    ),
    Measurement(
        "loops_of_four",
        _("loops of four per grain"),
        "",
        "",
        lambda system: system.derived(network_now).loops_of_four,
        costly=True,
        shown=False,
        of_grains=True,
        plot=NETWORK,
        axis=_("loops per grain"),
        order=45,
    ),
)
