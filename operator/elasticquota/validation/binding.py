"""EQ1004 across quotas: only one quota binds a namespace.

With two bindings, by a list or by the name of the namespace, the older quota gets the pods, which
is easy to miss. The rule judges only what the change adds, so an old conflict never blocks other
edits. EQ1004-unbound: a leaf that binds none limits no pod until labels name it, which its author
may not expect. The rule judges a quota that becomes such a leaf, unless it says whose pods may name
it.
"""

from collections.abc import Iterator

from elasticquota import names
from elasticquota.forest import membership, violation
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.validation.change import Change


def check(change: Change, forest: Forest) -> Iterator[Violation]:
    """Yield the new namespaces that another quota binds already, or that it binds none."""
    if change.new is None:
        return
    yield from _bound_twice(change, change.new, forest)
    yield from _taken_by_name(change, change.new, forest)
    if _is_unbound(change.new) and not (change.old and _is_unbound(change.old)):
        yield Violation(
            "EQ1004-unbound",
            "spec.namespaces",
            f"is not given, and '{change.new.name}' is not the name of its namespace, so the quota "
            f"limits only pods with the label {names.QUOTA_NAME}: {change.new.name}",
            "To limit all pods of a namespace, list it",
        )


def _is_unbound(quota: Quota) -> bool:
    return quota.takes_labelled_only and quota.allowed_namespaces is None


def _bound_twice(change: Change, new: Quota, forest: Forest) -> Iterator[Violation]:
    field = violation.setting(new, "namespaces")
    before = change.old.namespaces if change.old is not None else ()
    for namespace in sorted(set(new.namespaces) - set(before)):
        binders = forest.index.binders.get(namespace, ())
        others = (forest.quotas[name] for name in binders if name != new.name)
        holder = membership.holding(others)
        namesake = forest.quotas.get(namespace)
        if namesake is not None and namesake.key == Key(namespace, namespace) != new.key:
            yield Violation(
                "EQ1004",
                field,
                f"namespace '{namespace}' is bound by quota '{namespace}', which has its name",
                f"Leave it out, or delete '{namespace}' first",
                kind="conflict",
            )
        elif holder is not None:
            yield Violation(
                "EQ1004",
                field,
                f"namespace '{namespace}' is bound by quota '{holder.name}'",
                f"Leave it out, or remove it from '{holder.name}' first",
                kind="conflict",
            )


def _taken_by_name(change: Change, new: Quota, forest: Forest) -> Iterator[Violation]:
    """The quota that binds a namespace, where a new one has the name of that namespace."""
    namespace = new.key.namespace
    if change.old is not None or namespace != new.name:
        return
    for other in forest.index.binders.get(namespace, ()):
        if other != new.name:
            yield Violation(
                "EQ1004",
                "metadata.name",
                f"namespace '{namespace}' is bound by quota '{other}'",
                f"Choose another name, or remove it from '{other}' first",
                kind="conflict",
            )
            return
