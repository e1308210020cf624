"""EQ1103: a quota limits only resources that its parent limits, if the parent limits any.

The rule judges the keys of max (K 4.2 with ElasticQuotaEnableUpdateResourceKey; the keys of min
follow from EQ1104) and both sides: a key that the change adds to a child and the parent lacks, and
a key that it removes from a parent and its children have.

Koordinator without that gate requires equal keys, and so does the profile ``strict`` by
``check_equal`` (EQ1103-equal): no child leaves out a resource of its parent, so a parent with
children keeps its keys. It judges keys that the change removes from a child or adds to a parent.

EQ1103-nodes: what the root of a profile limits follows from its nodes, which may be still to come.
So below such a root a key that it lacks gets a warning. Below a parent that limits nothing so does
one that no node of the tree offers and that Kubernetes does not know. Both say the nearest name.

The number of jobs (``MAX_JOBS``) is exempt: no node offers it, so a parent need not limit it. So
are pool keys below a root, which names only pools that have nodes now (``pool_names``).
"""

from collections.abc import Iterable, Iterator
from typing import Final

from elasticquota import names, pool_keys
from elasticquota.forest import pool_bounds, wording
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation, listed
from elasticquota.validation import relatives
from elasticquota.validation.change import Change


_EQUAL: Final = "EQ1103-equal"
_COUNTED: Final = frozenset({names.MAX_JOBS})
_NEAR: Final = 0.74
"""``gpu`` is not meant as ``cpu``."""
_TO_COME: Final = "It is limited once a node of the tree offers it"


def check(change: Change, forest: Forest) -> Iterator[Violation]:
    """Compare the keys of max with the parent's, then with the children's."""
    if change.new is not None:
        yield from _as_child(change, forest)
        yield from _as_parent(change, forest)


def check_equal(change: Change, forest: Forest) -> Iterator[Violation]:
    """Yield resources of a parent's max that a child leaves out; judges both sides."""
    if change.new is not None:
        yield from _left_out_by_it(change, forest)
        yield from _left_out_by_children(change, forest)


def _left_out_by_it(change: Change, forest: Forest) -> Iterator[Violation]:
    parent = forest.quotas.get(change.quota.parent)
    if parent is None:
        return
    left_out = parent.max.keys() - change.quota.max.keys() - _COUNTED
    if change.old is not None and not change.moves:
        left_out &= change.old.max.keys()
    for resource in sorted(left_out):
        yield Violation(
            _EQUAL,
            pool_keys.field("max", resource),
            f"must be given, because parent '{parent.name}' names the resource, and the keys of "
            f"parent and child must be equal",
            "Add it",
        )


def _left_out_by_children(change: Change, forest: Forest) -> Iterator[Violation]:
    if change.old is None:
        return
    children = relatives.children(change.quota.name, forest)
    for resource in sorted(change.quota.max.keys() - change.old.max.keys() - _COUNTED):
        lacking = [child.name for child in children if resource not in child.max]
        if lacking:
            yield Violation(
                _EQUAL,
                pool_keys.field("max", resource),
                f"must not be added, because children leave the resource out, and the keys of "
                f"parent and child must be equal: {listed(lacking)}",
                "Change the keys while the quota has no children",
            )


def _as_child(change: Change, forest: Forest) -> Iterator[Violation]:
    parent = forest.quotas.get(change.quota.parent)
    if parent is None:
        return
    if not parent.max:
        yield from _offered_by_none(change, forest)
        return
    added = _added(change)
    of_pools = set(filter(pool_keys.is_reserved, added)) if parent.is_root else set()
    follows_nodes = parent.is_root and parent.profile != ""
    rule = "EQ1103-nodes" if follows_nodes else "EQ1103"
    remedy = f"Leave it out, or add it to spec.max of '{parent.name}' first"
    if follows_nodes:
        remedy = f"{_TO_COME}, unless the profile leaves it out"
    for resource in sorted(added - parent.max.keys() - _COUNTED - of_pools):
        yield Violation(
            rule,
            pool_keys.field("max", resource),
            f"'{pool_keys.title(resource)}' is not among the resources of parent '{parent.name}': "
            f"{listed(map(pool_keys.title, sorted(parent.max)))}",
            f"{_meant(resource, parent.max)}{remedy}",
        )


def _offered_by_none(change: Change, forest: Forest) -> Iterator[Violation]:
    root = pool_bounds.root_of(change.quota, forest)
    if root is None or not root.total:
        return  # no controller has read the nodes yet
    for resource in sorted(_added(change) - root.total.keys() - _COUNTED):
        if names.is_native(resource) or pool_keys.is_reserved(resource):
            continue
        yield Violation(
            "EQ1103-nodes",
            pool_keys.field("max", resource),
            f"no node of tree '{root.name}' offers '{resource}', but "
            f"{listed(sorted(root.total.keys()))}",
            f"{_meant(resource, root.total)}{_TO_COME}",
        )


def _added(change: Change) -> set[str]:
    before = {} if change.moves or change.old is None else change.old.max
    return change.quota.max.keys() - before.keys()


def _meant(resource: str, known: Iterable[str]) -> str:
    found = wording.meant(resource, known, _NEAR)
    return f"{found} " if found else ""


def _as_parent(change: Change, forest: Forest) -> Iterator[Violation]:
    quota = change.quota
    if change.old is None or not quota.max:
        return
    # A quota without any key allowed every resource; now it allows only some.
    children = relatives.children(quota.name, forest)
    named = {resource for child in children for resource in child.max}
    given_up = set(change.old.max) if change.old.max else named
    for resource in sorted(named & (given_up - quota.max.keys() - _COUNTED)):
        yield Violation(
            "EQ1103",
            pool_keys.field("max", resource),
            "must stay, because children name the resource: "
            f"{listed(child.name for child in children if resource in child.max)}",
            "Take it out of their spec.max first",
        )
