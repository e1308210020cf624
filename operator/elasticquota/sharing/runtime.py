"""Runtime is what a quota may use now: its parent's runtime, shared among the siblings by level.

From the root down, each resource for itself, the whole tree at once (semantics 4). The root has
what is available; every other quota gets its part of its parent's runtime by ``level.share``,
with lo = min(limited request, min) and hi = limited request. Nothing is kept between two calls, so
every runtime is that of a full recompute.

A resource counts when any quota of the tree names it in min or max; every quota then has a runtime
for it, also one whose own max does not name it: that is unlimited for the quota itself, not for its
ancestors. Pods that sit in a parent quota itself share with its children as one more child would,
without min or max; ``Runtimes.own`` has their part.

Weight is the shared weight, else max. A key that the weight does not name takes max of that key,
as does a weight with nothing above 0. Max counts as weight up to what is available in the tree,
so that "unlimited" written as 2^63 does not push everybody else aside; no max at all counts as the
smallest max above it. Where this cap bites, the weight moves with the total, so a new node may
shift shares among such siblings; otherwise it takes nothing from anybody.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from elasticquota import resources
from elasticquota.forest.structure import Forest, Tree
from elasticquota.model.quota import Quota
from elasticquota.resources import EMPTY, Resources
from elasticquota.sharing import demand, level
from elasticquota.sharing.level import Claim


@dataclass(frozen=True, slots=True)
class Runtimes:
    """Runtimes by quota name; each has every resource that counts in the tree."""

    quota: Mapping[str, Resources]
    own: Mapping[str, Resources]
    """The part for a quota's own pods: all of a childless quota's runtime, and of a parent's only
    what its own pods get beside its children; a parent without pods of its own is not in it."""


def solve(
    tree: Tree, forest: Forest, own_request: Mapping[str, Resources], available: Resources
) -> Runtimes:
    """The runtimes of ``tree``.

    ``own_request`` is what each quota's own pods ask for; ``available`` what the tree's nodes offer
    to them, where a missing or negative amount is 0.
    """
    limited = demand.request(tree, forest, own_request).limited
    keys = _keys(tree, forest)
    total = {key: max(0, available.get(key, 0)) for key in keys}
    runtimes: dict[str, Resources] = {tree.root: total}
    ceilings: dict[str, Resources] = {tree.root: total}
    own: dict[str, Resources] = {}
    for parent in tree.order:
        children = tree.children[parent]
        if not children:
            own[parent] = runtimes[parent]
            continue
        ceiling = ceilings[parent]
        siblings = [
            _Sibling(
                limited[child],
                forest.effective_min(child),
                _weight(forest.quotas[child], ceiling, total),
            )
            for child in children
        ]
        own_pods = resources.positive(own_request.get(parent, EMPTY))
        if own_pods:
            siblings.append(_Sibling(own_pods, EMPTY, ceiling))
        shares = _share(runtimes[parent], siblings)
        if own_pods:
            own[parent] = shares.pop()
        runtimes.update(zip(children, shares, strict=True))
        for child in children:
            ceilings[child] = _lower(ceiling, forest.quotas[child].max)
    return Runtimes(runtimes, own)


@dataclass(frozen=True, slots=True)
class _Sibling:
    """What one child of a parent brings to the sharing."""

    limited: Resources
    min: Resources
    weight: Resources
    """For every key."""

    def claim(self, key: str) -> Claim:
        hi = self.limited.get(key, 0)
        floor = max(0, self.min.get(key, 0))
        return Claim(min(hi, floor), hi, self.weight[key], floor)


def _share(total: Resources, siblings: Sequence[_Sibling]) -> list[Resources]:
    shares: list[dict[str, int]] = [{} for _ in siblings]
    for key, amount in total.items():
        parts = level.share(amount, [sibling.claim(key) for sibling in siblings])
        for share, part in zip(shares, parts, strict=True):
            share[key] = part
    return list(shares)


def _keys(tree: Tree, forest: Forest) -> tuple[str, ...]:
    quotas = [forest.quotas[name] for name in tree.order]
    return tuple(sorted({key for quota in quotas for key in (*quota.min, *quota.max)}))


def _weight(quota: Quota, ceiling: Resources, total: Resources) -> dict[str, int]:
    """For every key: the weight chosen for it, else max, as far as the tree could fill it."""
    chosen = quota.shared_weight or EMPTY
    if not resources.positive(chosen):
        chosen = EMPTY
    return {
        key: max(0, chosen.get(key, min(quota.max.get(key, most), total[key])))
        for key, most in ceiling.items()
    }


def _lower(ceiling: Resources, limit: Resources) -> Resources:
    """``ceiling`` where ``limit`` is not below it."""
    return {key: max(0, min(most, limit.get(key, most))) for key, most in ceiling.items()}
