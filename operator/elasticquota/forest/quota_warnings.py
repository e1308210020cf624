"""Warnings in the verdict on an accepted quota that does not mean what its author thinks.

They are for objects that were stored without the webhook: an unknown value that counts as the
default (EQ1001), a shared weight for a resource that max leaves out (EQ1003), a namespace whose
pods belong to another quota (EQ1004), a resource that the parent does not limit, a pool that the
tree does not have (EQ1103). And one says that the quota, or one above it, is paused. None of this
takes anything from other quotas, so no quota is refused for it.
"""

from collections.abc import Iterable

from elasticquota.forest import bound_namespaces, own_fields, parent_keys, pool_bounds, wording
from elasticquota.forest.membership import NO_QUOTA, Membership
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation
from elasticquota.model.quota import Quota


def of(quota: Quota, members: Membership, paused: str) -> tuple[str, ...]:
    """Return the warnings about ``quota``, which must be in a tree of ``members.forest``.

    ``paused`` is the nearest paused quota on its path; empty: none is.
    """
    forest = members.forest
    doubts = (
        own_fields.doubts(quota),
        _binds_what_others_have(quota, members),
        _limits_what_its_parent_does_not(quota, forest),
        pool_bounds.check(quota, forest),
    )
    texts = ([doubt.line for doubt in each] for each in doubts)
    said = tuple([wording.listed(lines, "; ") for lines in texts if lines])
    return (*said, *_waits_for_resume(quota, paused))


def _waits_for_resume(quota: Quota, paused: str) -> tuple[str, ...]:
    if not paused:
        return ()
    what = "it" if paused == quota.name else f"quota '{paused}'"
    return (f"{what} is paused (spec.paused), so its waiting pods do not start",)


def _binds_what_others_have(quota: Quota, members: Membership) -> Iterable[Violation]:
    ours = (quota.name, NO_QUOTA)
    taken = (each for each in quota.bound if members.binding(each) not in ours)
    return bound_namespaces.of(quota, taken, members.forest)


def _limits_what_its_parent_does_not(quota: Quota, forest: Forest) -> Iterable[Violation]:
    warned = forest.terms.keys_warned.holds_in(forest.tree_of[quota.name])
    return parent_keys.check(quota, forest) if warned else ()
