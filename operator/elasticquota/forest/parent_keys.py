"""EQ1103 for a child: a quota limits only resources that its parent limits, if it limits any.

The rule judges the keys of max (K 4.2 with ElasticQuotaEnableUpdateResourceKey; the keys of min
follow from EQ1104). ``validation.resource_keys`` judges the keys that a parent gives up.

EQ1103-nodes: what the root of a profile limits follows from its nodes, which may be still to come.
So below such a root a key that it lacks gets a warning. Below a parent that limits nothing so does
one that no node of the tree offers and that Kubernetes does not know. Both say the nearest name.

The number of jobs (``MAX_JOBS``) is exempt: no node offers it, so a parent need not limit it. So
are pool keys below a root, which names only pools that have nodes now (``pool_bounds``).
"""

from collections.abc import Iterable, Iterator
from typing import Final

from elasticquota import names, pool_keys
from elasticquota.forest import nearest_names, pool_bounds
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation, listed
from elasticquota.model.quota import Quota


COUNTED: Final = frozenset({names.MAX_JOBS})
_TO_COME: Final = "It is limited once a node of the tree offers it"


def check(quota: Quota, forest: Forest) -> Iterator[Violation]:
    """Yield the resources of max that the parent's max, which names any, leaves out."""
    parent = forest.quotas.get(quota.parent)
    if parent is None or not parent.max:
        return
    follows_nodes = parent.is_root and parent.profile != ""
    remedy = f"Leave it out, or add it to spec.max of '{parent.name}' first"
    if follows_nodes:
        remedy = f"{_TO_COME}, unless the profile leaves it out"
    for resource in sorted(quota.max.keys() - parent.max.keys() - COUNTED):
        if parent.is_root and pool_keys.is_reserved(resource):
            continue
        yield Violation(
            "EQ1103-nodes" if follows_nodes else "EQ1103",
            pool_keys.field("max", resource),
            f"'{pool_keys.title(resource)}' is not among the resources of parent '{parent.name}': "
            f"{listed(map(pool_keys.title, sorted(parent.max)))}",
            f"{_meant(resource, parent.max)}{remedy}",
        )


def offered_by_none(quota: Quota, forest: Forest) -> Iterator[Violation]:
    """Yield the resources that no node of the tree offers, where the parent's max names none."""
    parent = forest.quotas.get(quota.parent)
    root = pool_bounds.root_of(quota, forest)
    if parent is None or parent.max or root is None or not root.total:
        return  # without a total no controller has read the nodes yet
    for resource in sorted(quota.max.keys() - root.total.keys() - COUNTED):
        if names.is_native(resource) or pool_keys.is_reserved(resource):
            continue
        yield Violation(
            "EQ1103-nodes",
            pool_keys.field("max", resource),
            f"no node of tree '{root.name}' offers '{resource}', but "
            f"{listed(sorted(root.total.keys()))}",
            f"{_meant(resource, root.total)}{_TO_COME}",
        )


def _meant(resource: str, known: Iterable[str]) -> str:
    found = nearest_names.of_resource(resource, known)
    return f"{found} " if found else ""
