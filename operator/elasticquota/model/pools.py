"""The pools of a tree: kinds of node, distinguished by labels, in the order of preference.

A node of two pools is in the first of them, and a node may be in none. Of a pool those resources
are counted that the profile names, else every extended resource (which has a domain in its name).
A pod that asks for one of them is counted in one pool, under ``pool_keys``.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from elasticquota import names, pool_keys
from elasticquota.model.selector import Requirement, Selector
from elasticquota.resources import Resources
from elasticquota.structs import Struct


class Pool(NamedTuple):
    """The nodes that have all of ``labels``, which are sorted; none: all nodes that are left."""

    name: str
    labels: tuple[tuple[str, str], ...] = ()

    def has(self, labels: Mapping[str, str]) -> bool:
        """Whether a node with ``labels`` has those of the pool."""
        return all(labels.get(key) == value for key, value in self.labels)

    def excludes(self, other: "Pool") -> bool:
        """Whether no node can have the labels of both."""
        mine = dict(self.labels)
        return any(mine.get(key, value) != value for key, value in other.labels)

    def beyond(self, other: "Pool") -> tuple[tuple[str, str], ...]:
        """Return the labels that this pool has and ``other`` does not demand."""
        return tuple(label for label in self.labels if label not in other.labels)


class Pools(Struct, frozen=True):
    """All pools of a profile, and what is counted of them."""

    pools: tuple[Pool, ...]
    resources: tuple[str, ...] | None = None
    """None: every extended resource."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the pools in the order of preference."""
        return tuple(pool.name for pool in self.pools)

    def of(self, labels: Mapping[str, str]) -> str:
        """Return the name of the pool of a node with ``labels``; empty: it is in none."""
        return next((pool.name for pool in self.pools if pool.has(labels)), "")

    def counts(self, resource: str) -> bool:
        """Whether the resource is counted by pool."""
        if self.resources is not None:
            return resource in self.resources
        return "/" in resource and resource != names.MAX_JOBS

    def concern(self, request: Resources) -> bool:
        """Whether one who asks for ``request`` is counted in a pool."""
        return any(amount > 0 and self.counts(key) for key, amount in request.items())

    def inside(self, pool: str, amounts: Resources) -> dict[str, int]:
        """Return ``amounts`` with what is counted of them in ``pool``, in place of another pool."""
        found = outside(amounts)
        if pool:
            for key in [*found]:
                if self.counts(key) and (inside := pool_keys.key(pool, key)):
                    found[inside] = found[key]
        return found

    def selector(self, name: str) -> Selector:
        """Return a selector of the nodes of a pool, without those of the pools before it.

        Raises ``LookupError`` for an unknown pool.
        """
        index = self.names.index(name) if name in self.names else -1
        if index < 0:
            raise LookupError(f"no pool {name}")
        found = {Requirement(key, "In", (value,)) for key, value in self.pools[index].labels}
        for key, value in self._taken_before(index):
            found.add(Requirement(key, "NotIn", (value,)))
        return Selector(tuple(sorted(found)))

    def _taken_before(self, index: int) -> Iterator[tuple[str, str]]:
        """A label of each pool before it by which that pool's nodes are distinguished."""
        own = self.pools[index]
        for earlier in self.pools[:index]:
            if not earlier.excludes(own):
                yield from earlier.beyond(own)[:1]


def outside(amounts: Resources) -> dict[str, int]:
    """Return ``amounts`` without pool keys, also without those that a user made up."""
    return {key: amount for key, amount in amounts.items() if not pool_keys.is_reserved(key)}


def counterpart(request: Resources, key: str) -> str:
    """Return the whole resource for one that is counted in a pool, and the reverse.

    The pool is that which ``request`` names.
    """
    whole = pool_keys.resource(key)
    return pool_keys.key(named(request), key) if whole == key else whole


def named(amounts: Resources) -> str:
    """Return the pool whose keys ``amounts`` have; empty: none."""
    return next((found.pool for key in amounts if (found := pool_keys.split(key))), "")
