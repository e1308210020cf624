"""A quota may keep its place and yet not mean what its author thinks: its verdict says so.

For what was stored while nobody asked: a choice that there is not, and that counts as the usual one
(EQ1001), a shared weight for a resource that max leaves out (EQ1003), a namespace whose pods belong
to another quota (EQ1004), a resource that the parent does not limit (EQ1103). None of it takes
anything from others, so nobody is refused for it.
"""

from elasticquota import names
from elasticquota.forest import wording
from elasticquota.forest.membership import NOBODY, Membership
from elasticquota.forest.structure import Forest
from elasticquota.model.quota import Quota


def of(quota: Quota, members: Membership) -> tuple[str, ...]:
    """What is to be told of ``quota``, which stands in a tree of ``members.forest``."""
    return (
        *(f"{warning} [EQ1001]" for warning in quota.warnings),
        *_weighs_what_it_does_not_name(quota),
        *_binds_what_others_have(quota, members),
        *_names_what_its_parent_does_not(quota, members.forest),
    )


def _weighs_what_it_does_not_name(quota: Quota) -> tuple[str, ...]:
    if not quota.shared_weight or not quota.max:
        return ()
    unnamed = sorted(quota.shared_weight.keys() - quota.max.keys())
    if not unnamed:
        return ()
    return (f"the shared weight names {_all(unnamed)}, which spec.max does not [EQ1003]",)


def _binds_what_others_have(quota: Quota, members: Membership) -> tuple[str, ...]:
    holders = {namespace: members.binding(namespace) for namespace in sorted(quota.namespaces)}
    others = [
        f"pods of namespace '{namespace}' belong to quota '{holder}', which binds it too"
        for namespace, holder in holders.items()
        if holder not in (quota.name, NOBODY)
    ]
    return (f"{wording.listed(others, '; ')} [EQ1004]",) if others else ()


def _names_what_its_parent_does_not(quota: Quota, forest: Forest) -> tuple[str, ...]:
    parent = forest.quotas[quota.parent]
    foreign = sorted(quota.max.keys() - parent.max.keys() - {names.MAX_JOBS})
    if not parent.max or not foreign:
        return ()
    if not forest.terms.keys_told.holds_in(forest.tree_of[quota.name]):
        return ()
    return (f"spec.max names {_all(foreign)}, which parent '{parent.name}' does not [EQ1103]",)


def _all(resources: list[str]) -> str:
    return wording.listed(resources, ", ")
