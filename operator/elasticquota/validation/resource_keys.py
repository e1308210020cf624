"""EQ1103 for a parent: it keeps the resources that its children limit.

What a child may limit is judged by ``forest.parent_keys``; here are the keys that a change removes
from a parent and its children have.

Koordinator without the gate ElasticQuotaEnableUpdateResourceKey requires equal keys, and so does
the profile ``strict`` by ``check_equal`` (EQ1103-equal): no child leaves out a resource of its
parent, so a parent with children keeps its keys. It judges keys that the change removes from a
child or adds to a parent.
"""

from collections.abc import Iterator
from typing import Final

from elasticquota import pool_keys
from elasticquota.forest.parent_keys import COUNTED
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation, listed
from elasticquota.validation import relatives
from elasticquota.validation.change import Change


_EQUAL: Final = "EQ1103-equal"


def check(change: Change, forest: Forest) -> Iterator[Violation]:
    """Yield the keys that leave the max of a parent while its children have them."""
    quota = change.new
    if change.old is None or quota is None or not quota.max:
        return
    # A quota without any key allowed every resource; now it allows only some.
    children = relatives.children(quota.name, forest)
    named = {resource for child in children for resource in child.max}
    given_up = set(change.old.max) if change.old.max else named
    for resource in sorted(named & (given_up - quota.max.keys() - COUNTED)):
        yield Violation(
            "EQ1103",
            pool_keys.field("max", resource),
            "must stay, because children name the resource: "
            f"{listed(child.name for child in children if resource in child.max)}",
            "Take it out of their spec.max first",
        )


def check_equal(change: Change, forest: Forest) -> Iterator[Violation]:
    """Yield resources of a parent's max that a child leaves out; judges both sides."""
    if change.new is not None:
        yield from _left_out_by_it(change, forest)
        yield from _left_out_by_children(change, forest)


def _left_out_by_it(change: Change, forest: Forest) -> Iterator[Violation]:
    parent = forest.quotas.get(change.quota.parent)
    if parent is None:
        return
    left_out = parent.max.keys() - change.quota.max.keys() - COUNTED
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
    for resource in sorted(change.quota.max.keys() - change.old.max.keys() - COUNTED):
        lacking = [child.name for child in children if resource not in child.max]
        if lacking:
            yield Violation(
                _EQUAL,
                pool_keys.field("max", resource),
                f"must not be added, because children leave the resource out, and the keys of "
                f"parent and child must be equal: {listed(lacking)}",
                "Change the keys while the quota has no children",
            )
