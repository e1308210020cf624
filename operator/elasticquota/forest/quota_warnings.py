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
    return (
        *_said(own_fields.doubts(quota)),
        *_binds_what_others_have(quota, members),
        *_limits_what_its_parent_does_not(quota, members.forest),
        *_said(pool_bounds.check(quota, members.forest)),
        *_waits_for_resume(quota, paused),
    )


def _waits_for_resume(quota: Quota, paused: str) -> tuple[str, ...]:
    if not paused:
        return ()
    what = "it" if paused == quota.name else f"quota '{paused}'"
    return (f"{what} is paused (spec.paused), so its waiting pods do not start",)


def _binds_what_others_have(quota: Quota, members: Membership) -> tuple[str, ...]:
    ours = (quota.name, NO_QUOTA)
    taken = (each for each in quota.bound if members.binding(each) not in ours)
    return _said(bound_namespaces.of(quota, taken, members.forest))


def _limits_what_its_parent_does_not(quota: Quota, forest: Forest) -> tuple[str, ...]:
    if not forest.terms.keys_warned.holds_in(forest.tree_of[quota.name]):
        return ()
    return _said(parent_keys.check(quota, forest))


def _said(found: Iterable[Violation]) -> tuple[str, ...]:
    lines = [each.line for each in found]
    return (wording.listed(lines, "; "),) if lines else ()
