"""The capacity of a profile's tree is what its nodes offer; each node counts for one tree (K 3).

Unless the profile says otherwise (``model.capacity_mode``): ``Elastic`` counts what the nodes may
become, and ``Declared`` what is written.

* Two profiles match one node: the older profile owns it, and the younger one lists it as
  overlapping.
* Two profiles ask for the same tree id or root quota: the older one gets it. The younger one gets
  nothing, and its nodes stay available to the other profiles that match them.
* Cordoned and NotReady nodes stay in the total and are also summed apart.
* Nodes with a taint of the control plane are in no tree, unless a profile selects them by the label
  of their role.
* The resource ratio is applied to the sums. What it holds back belongs to no quota and stays free.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from elasticquota import names, resources
from elasticquota.model.capacity_mode import NODES, CapacityMode, NodesToCome, is_extended
from elasticquota.model.key import Key
from elasticquota.model.node import CONTROL_PLANE, Node
from elasticquota.model.pools import Pools
from elasticquota.model.profile import WHOLE, Profile, Ratio
from elasticquota.resources import Resources
from elasticquota.sharing.pool_nodes import PoolNodes


_FNV_OFFSET = 0xCBF29CE484222325
_FNV_PRIME = 0x100000001B3


def tree_id(key: Key) -> str:
    """Return Koordinator's tree id: FNV-1a-64 of ``namespace/name`` as decimal text (K 3.1)."""
    digest = _FNV_OFFSET
    for byte in f"{key.namespace}/{key.name}".encode():
        digest = (digest ^ byte) * _FNV_PRIME % 2**64
    return str(digest)


def tree_id_of(profile: Profile) -> str:
    """Return the preset tree id of ``profile``, else the hash of its key."""
    return profile.tree_id or tree_id(profile.key)


def root_labels(profile: Profile) -> Mapping[str, str]:
    """Return the labels that mark the root quota of ``profile`` (semantics 5)."""
    return {
        names.PARENT: names.ROOT_QUOTA,
        names.PROFILE: profile.key.name,
        names.IS_PARENT: "true",
        names.IS_ROOT: "true",
        names.TREE_ID: tree_id_of(profile),
    }


@dataclass(frozen=True, slots=True)
class Capacity:
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


def of_profiles(
    profiles: Iterable[Profile], nodes: Iterable[Node], pool_nodes: PoolNodes | None = None
) -> Mapping[Key, Capacity]:
    """Compute the capacity of every profile; older profiles (by creation, then uid) come first.

    ``pool_nodes`` keeps from one call to the next what nodes offer in pools.
    """
    made = pool_nodes or PoolNodes()
    by_name = sorted(nodes, key=lambda node: node.name)
    owned: set[str] = set()
    holders: dict[tuple[str, str], Key] = {}
    capacities: dict[Key, Capacity] = {}
    for profile in sorted(profiles, key=lambda profile: (profile.created, profile.uid)):
        claims = (("tree id", tree_id_of(profile)), ("quota", profile.quota_name))
        older = next((holders[claim] for claim in claims if claim in holders), None)
        if older is not None:
            capacities[profile.key] = Capacity(older=older)
            continue
        holders.update(dict.fromkeys(claims, profile.key))
        matching = [node for node in by_name if _is_for(profile, node)]
        own = made.all_counted(
            [node for node in matching if node.name not in owned],
            profile.pools,
        )
        overlapping = tuple(node.name for node in matching if node.name in owned)
        found = _sum(own, profile.ratio, profile.capacity, overlapping)
        if profile.pools is not None:
            found = replace(
                found,
                pools=profile.pools,
                pool_nodes={node.name: node for node in own},
                pool_of={node.name: made.pool_of(node.name) for node in own},
            )
        capacities[profile.key] = found
        owned.update(node.name for node in matching)
    return capacities


def of_default_tree(nodes: Iterable[Node], owned: Collection[str]) -> Capacity:
    """Sum the default tree: the nodes that no profile owns; ``owned`` are names of nodes."""
    left = [node for node in nodes if node.name not in owned and not node.reserved]
    return _sum(sorted(left, key=lambda node: node.name), WHOLE, NODES, ())


def _is_for(profile: Profile, node: Node) -> bool:
    """Only a profile that selects the role of a control plane node gets such a node."""
    if node.reserved and not any(
        requirement.key in CONTROL_PLANE and requirement.operator in ("In", "Exists")
        for requirement in profile.selector.requirements
    ):
        return False
    return profile.selector.matches(node.labels)


def _sum(
    nodes: list[Node], ratio: Ratio, mode: CapacityMode, overlapping: tuple[str, ...]
) -> Capacity:
    left = [node for node in nodes if not node.being_removed]
    return Capacity(
        nodes=len(nodes),
        total=_total(nodes, left, ratio, mode),
        present=_offered(left, ratio),
        mode=mode,
        to_come=_to_come(left, mode) if mode.elastic else None,
        unschedulable=_offered((node for node in nodes if not node.schedulable), ratio),
        node_names=tuple(node.name for node in nodes),
        overlapping=overlapping,
    )


def _total(
    nodes: Iterable[Node], left: Iterable[Node], ratio: Ratio, mode: CapacityMode
) -> Resources:
    """What the tree shares. ``left`` are the nodes that are not being removed.

    An elastic tree is as large as it may become. Of the resources that its ``max`` does not name,
    it counts the extended ones, as far as they are present; the others limit no pod there.
    """
    match mode.mode:
        case "Nodes":
            return _offered(nodes, ratio)
        case "Declared":
            return {key: ratio.of(amount) for key, amount in mode.total.items()}
        case "Elastic":
            present = {k: n for k, n in _offered(left, ratio).items() if is_extended(k)}
            return present | {key: ratio.of(amount) for key, amount in mode.max.items()}


def _to_come(left: Iterable[Node], mode: CapacityMode) -> NodesToCome:
    present = resources.add(*(node.allocatable for node in left))
    room = {key: max(0, most - present.get(key, 0)) for key, most in mode.max.items()}
    return NodesToCome(mode.max, room, mode.largest_node)


def _offered(nodes: Iterable[Node], ratio: Ratio) -> Resources:
    offered = resources.add(*(node.offered for node in nodes))
    return {key: ratio.of(amount) for key, amount in offered.items()}
