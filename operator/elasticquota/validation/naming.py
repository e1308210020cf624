"""A quota's name is unique over all namespaces (EQ1102), and three names are reserved (EQ1110).

EQ1102: children and pods name a quota without its namespace, so a name must not occur twice.
EQ1102-namespace: the name of a namespace is for the quota of that namespace. Such a quota is
created in the namespace, binds it (which needs rights there, EQ1004), or is created by
administrators in the release's namespace. EQ1110: users do not write the root and the system quota,
but for the settings of the default tree, in ``spec.tree`` of the root, and its pause. The default
quota keeps its place and is written in the release's namespace only. None of the three may be
deleted. A name never changes, so only creations can conflict.
"""

from collections.abc import Iterator

from elasticquota import names
from elasticquota.forest import quota_names
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation
from elasticquota.model.quota import Quota
from elasticquota.structs import replace
from elasticquota.validation.change import Change


def check(change: Change, forest: Forest) -> Iterator[Violation]:
    """Yield a conflict with a reserved name, with another quota or with a namespace."""
    yield from _reserved(change, forest.terms.home)
    if change.old is None and change.new is not None:
        if found := quota_names.taken(change.new, forest.quotas):
            yield found
        if change.name_of_namespace:
            yield from _foreign(change.new, forest)


def _reserved(change: Change, home: str | None) -> Iterator[Violation]:
    new, name = change.new, change.quota.name
    if name not in names.RESERVED_QUOTAS or (new is None and change.namespace_leaves):
        return
    if new is None:
        message = f"'{name}' is a reserved quota and must not be deleted"
        yield Violation("EQ1110", "metadata.name", message, kind="forbidden")
    elif name != names.DEFAULT_QUOTA:
        if not _sets_modes_only(change, home):
            remedy = "Choose another name" if change.old is None else "Leave it as it is"
            yield quota_names.built_in(new, remedy)
    elif found := quota_names.away(new, home):
        yield found
    else:
        yield from quota_names.misplaced(new)


def _sets_modes_only(change: Change, home: str | None) -> bool:
    """Whether only the modes of the default tree or its pause change, on the object that counts.

    Who may set them is the question of EQ1108.
    """
    old, new = change.old, change.new
    if old is None or new is None or new.name != names.ROOT_QUOTA:
        return False
    modes = replace(
        new, observes=old.observes, guarantee_usage=old.guarantee_usage, paused=old.paused
    )
    return home in (None, new.key.namespace) and replace(change, new=modes).means_nothing


def _foreign(quota: Quota, forest: Forest) -> Iterator[Violation]:
    """The name belongs to a namespace that has nothing to do with the quota."""
    if not (quota.binds(quota.name) or quota.key.namespace == forest.terms.home):
        yield Violation(
            "EQ1102-namespace",
            "metadata.name",
            f"'{quota.name}' is the name of a namespace, which a quota in namespace "
            f"'{quota.key.namespace}' must not take",
            f"Choose another name, create the quota in namespace '{quota.name}', or bind that "
            "namespace by spec.namespaces",
            kind="forbidden",
        )
