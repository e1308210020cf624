"""Which nodes each profile has, and their capacity, kept up to date node by node (K 3).

Each node counts for one tree:

* Two profiles match one node: the older profile owns it, and the younger one lists it as
  overlapping.
* Two profiles ask for the same tree id or root quota: the older one gets it. The younger one gets
  nothing, and its nodes stay available to the other profiles that match them.
* Nodes with a taint of the control plane are in no tree, unless a profile selects them by the label
  of their role.
"""

from collections.abc import Iterable, Mapping, Sequence

from elasticquota.model import tree_ids
from elasticquota.model.key import Key
from elasticquota.model.node import CONTROL_PLANE, Node
from elasticquota.model.profile import Profile
from elasticquota.sharing.capacity import TreeCapacity
from elasticquota.sharing.node_sums import NodeSums
from elasticquota.structs import Struct, field, replace


class ProfileNodes:
    """Mutable; ``follow`` all profiles and nodes."""

    def __init__(self) -> None:
        self._profiles: Sequence[Profile] = ()
        """By age, then uid."""
        self._older: dict[Key, Key] = {}
        """Profile -> the older one that has its tree id or root quota."""
        self._owners: list[_Owner] = []
        """All others, in the same order."""
        self._matching: dict[str, list[_Owner]] = {}
        """Node -> the profiles that match it; the first one owns it."""

    def follow(
        self, profiles: Iterable[Profile], nodes: Mapping[str, Node], changed: Iterable[str]
    ) -> Mapping[Key, TreeCapacity]:
        """Return the capacity of every profile; ``nodes`` are all nodes by name.

        ``changed`` are the names of nodes that came, changed or went since the last call.
        """
        ordered = sorted(profiles, key=lambda profile: (profile.created, profile.uid))
        if ordered != self._profiles:
            self._set_profiles(ordered)
            changed = nodes
        for name in changed:
            for owner in self._matching.pop(name, ()):
                owner.drop(name)
            if (node := nodes.get(name)) is not None:
                self._match(node)
        capacities = {owner.profile.key: owner.capacity() for owner in self._owners}
        return capacities | {key: TreeCapacity(older=older) for key, older in self._older.items()}

    def _set_profiles(self, ordered: Sequence[Profile]) -> None:
        self._profiles, self._owners, self._older, self._matching = ordered, [], {}, {}
        holders: dict[tuple[str, str], Key] = {}
        for profile in ordered:
            claims = (("tree id", tree_ids.of(profile)), ("quota", profile.quota_name))
            older = next((holders[claim] for claim in claims if claim in holders), None)
            if older is None:
                holders.update(dict.fromkeys(claims, profile.key))
                self._owners.append(_Owner(profile))
            else:
                self._older[profile.key] = older

    def _match(self, node: Node) -> None:
        found = [owner for owner in self._owners if _is_for(owner.profile, node)]
        for owner in found[:1]:
            owner.put(node)
        for owner in found[1:]:
            owner.overlap(node)
        if found:
            self._matching[node.name] = found


class _Owner(Struct, eq=False):
    """A profile with its nodes."""

    profile: Profile
    _sums: NodeSums = field(default_factory=NodeSums)
    _pool_of: dict[str, str] = field(default_factory=dict)
    """Node -> its pool, where the profile has pools."""
    _overlapping: set[str] = field(default_factory=set)
    _found: TreeCapacity | None = None
    """None: to be computed."""

    def put(self, node: Node) -> None:
        """Count a node; in a profile with pools, with what it offers in its pool."""
        pools = self.profile.pools
        if pools is not None:
            pool = self._pool_of[node.name] = pools.of(node.labels)
            node = replace(node, allocatable=pools.inside(pool, node.allocatable))
        self._sums.put(node)
        self._found = None

    def overlap(self, node: Node) -> None:
        """Note a node that an older profile owns."""
        self._overlapping.add(node.name)
        self._found = None

    def drop(self, name: str) -> None:
        """Stop counting a node, or noting it."""
        if name in self._overlapping:
            self._overlapping.discard(name)
        else:
            self._sums.drop(name)
            self._pool_of.pop(name, None)
        self._found = None

    def capacity(self) -> TreeCapacity:
        """Return the capacity of the profile."""
        if self._found is None:
            profile = self.profile
            found = self._sums.capacity(profile.ratio, profile.capacity, self._overlapping)
            if profile.pools is not None:
                nodes, pool_of = dict(self._sums.nodes), dict(self._pool_of)
                found = replace(found, pools=profile.pools, pool_nodes=nodes, pool_of=pool_of)
            self._found = found
        return self._found


def of_profiles(profiles: Iterable[Profile], nodes: Iterable[Node]) -> Mapping[Key, TreeCapacity]:
    """Return the capacity of every profile, computed from the beginning."""
    return ProfileNodes().follow(profiles, {node.name: node for node in nodes}, ())


def _is_for(profile: Profile, node: Node) -> bool:
    """Only a profile that selects the role of a control plane node gets such a node."""
    if node.reserved and not any(
        requirement.key in CONTROL_PLANE and requirement.operator in ("In", "Exists")
        for requirement in profile.selector.requirements
    ):
        return False
    return profile.selector.matches(node.labels)
