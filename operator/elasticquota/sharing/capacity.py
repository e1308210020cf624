"""The capacity of a profile's tree is what its nodes offer; each node counts for one tree (K 3).

Unless the profile says otherwise (``model.capacity_mode``): ``Elastic`` counts what the nodes may
become, and ``Declared`` what is written. ``profile_nodes`` says which nodes a profile has.

* Cordoned and NotReady nodes stay in the total and are also summed apart.
* The resource ratio is applied to the sums. What it holds back belongs to no quota and stays free.
"""

from collections.abc import Mapping

from elasticquota.model.capacity_mode import NODES, CapacityMode, NodesToCome
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pools import Pools
from elasticquota.resources import Resources
from elasticquota.structs import Struct, field


class TreeCapacity(Struct, frozen=True):
    """The nodes of a tree and what they offer; amounts in accounting units, after the ratio."""

    nodes: int = 0
    total: Resources = field(default_factory=dict)
    """What the tree shares, by its mode."""
    present: Resources = field(default_factory=dict)
    """What its nodes offer now, without those that are being removed."""
    mode: CapacityMode = NODES
    """The capacity mode in force."""
    to_come: NodesToCome | None = None
    """What may join an elastic tree; None: nothing may."""
    unschedulable: Resources = field(default_factory=dict)
    """The part of ``total`` on nodes that are cordoned or not ready."""
    node_names: tuple[str, ...] = ()
    overlapping: tuple[str, ...] = ()
    """Nodes that match but belong to an older profile."""
    pools: Pools | None = None
    """The kinds of node that its quotas may bound."""
    pool_nodes: Mapping[str, Node] = field(default_factory=dict)
    """Only with pools: its nodes by name, with what they offer in their pools."""
    pool_of: Mapping[str, str] = field(default_factory=dict)
    """Name of such a node -> its pool; empty: none."""
    older: Key | None = None
    """The older profile with the same tree id or root quota; if there is one, all else is empty."""
