"""Warnings in the verdict on an accepted quota that does not mean what its author thinks.

They are for objects that were stored without the webhook: an unknown value that counts as the
default (EQ1001), a shared weight for a resource that max leaves out (EQ1003), a namespace whose
pods belong to another quota (EQ1004), a resource that the parent does not limit, a pool that the
tree does not have (EQ1103). And one says that the quota, or one above it, is paused. None of this
takes anything from other quotas, so no quota is refused for it.
"""

from elasticquota import names, pool_keys
from elasticquota.forest import pool_bounds, shared_weight, wording
from elasticquota.forest.membership import NO_QUOTA, Membership
from elasticquota.forest.structure import Forest
from elasticquota.model.quota import Quota


def of(quota: Quota, members: Membership) -> tuple[str, ...]:
    """Return the warnings about ``quota``, which must be in a tree of ``members.forest``."""
    return (
        *(f"{warning} [EQ1001]" for warning in quota.warnings),
        *_weighs_what_it_does_not_name(quota),
        *_binds_what_others_have(quota, members),
        *_names_what_its_parent_does_not(quota, members.forest),
        *_names_unknown_pools(quota, members.forest),
        *_waits_for_resume(quota, members.forest),
    )


def _waits_for_resume(quota: Quota, forest: Forest) -> tuple[str, ...]:
    paused = forest.paused_at(quota.name)
    if not paused:
        return ()
    what = "it" if paused == quota.name else f"quota '{paused}'"
    return (f"{what} is paused (spec.paused), so its waiting pods do not start",)


def _weighs_what_it_does_not_name(quota: Quota) -> tuple[str, ...]:
    lines = [found.line for found in shared_weight.check(quota)]
    return (wording.listed(lines, "; "),) if lines else ()


def _binds_what_others_have(quota: Quota, members: Membership) -> tuple[str, ...]:
    holders = {namespace: members.binding(namespace) for namespace in sorted(quota.bound)}
    others = [
        f"pods of namespace '{namespace}' belong to quota '{holder}', which binds it too"
        for namespace, holder in holders.items()
        if holder not in (quota.name, NO_QUOTA)
    ]
    return (f"{wording.listed(others, '; ')} [EQ1004]",) if others else ()


def _names_what_its_parent_does_not(quota: Quota, forest: Forest) -> tuple[str, ...]:
    parent = forest.quotas.get(quota.parent)
    if parent is None:  # the root of the default tree has none
        return ()
    foreign = sorted(quota.max.keys() - parent.max.keys() - {names.MAX_JOBS})
    if parent.is_root:
        foreign = [key for key in foreign if not pool_keys.is_reserved(key)]
    if not parent.max or not foreign:
        return ()
    if not forest.terms.keys_warned.holds_in(forest.tree_of[quota.name]):
        return ()
    return (f"spec.max names {_all(foreign)}, which parent '{parent.name}' does not [EQ1103]",)


def _names_unknown_pools(quota: Quota, forest: Forest) -> tuple[str, ...]:
    keys = {key for key in (*quota.max, *quota.min) if pool_keys.is_reserved(key)}
    root = pool_bounds.root_of(quota, forest) if keys and not quota.is_root else None
    if root is None:
        return ()
    found = pool_bounds.unknown(keys, root)
    lines = [f"{pool_keys.title(each.key)} {each.message}. {each.remedy}" for each in found]
    return (f"{wording.listed(lines, '; ')} [EQ1103]",) if lines else ()


def _all(resources: list[str]) -> str:
    return wording.listed(resources, ", ")
