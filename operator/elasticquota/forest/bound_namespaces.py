"""EQ1004: a namespace is bound by one quota, by the list of a quota or by its name.

Of two quotas that bind one, the older has the pods (``membership``), which is easy to miss.
EQ1004-unbound: no quota binds a system namespace, and a leaf that binds none limits no pod until
labels name it, which its author may not expect. A quota that says whose pods may name it is meant
so.
"""

from collections.abc import Iterable, Iterator

from elasticquota import names
from elasticquota.forest import membership, violation
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota


def check(quota: Quota, forest: Forest) -> Iterator[Violation]:
    """Yield the namespaces of ``quota`` that another quota binds."""
    return of(quota, forest.bound(quota), forest)


def of(quota: Quota, namespaces: Iterable[str], forest: Forest) -> Iterator[Violation]:
    """Yield those of ``namespaces``, which ``quota`` binds, that another quota binds."""
    for namespace in sorted(namespaces):
        binders = forest.index.binders.get(namespace, ())
        other = membership.holding(forest.quotas[name] for name in binders if name != quota.name)
        if other is None:
            continue
        named_so = other.key == Key(namespace, namespace)
        listed = namespace in quota.namespaces
        first = f"delete '{other.name}'" if named_so else f"remove it from '{other.name}'"
        yield Violation(
            "EQ1004",
            violation.setting(quota, "namespaces") if listed else "metadata.name",
            f"namespace '{namespace}' is bound by quota '{other.name}'"
            f"{', which has its name' if named_so else ''}",
            f"{'Leave it out' if listed else 'Choose another name'}, or {first} first",
            kind="conflict",
        )


def unbound(quota: Quota, forest: Forest) -> Iterator[Violation]:
    """Yield the system namespaces that ``quota`` means to bind, and that a leaf binds none."""
    system = sorted(quota.bound & forest.terms.system_namespaces)
    for namespace in system:
        listed = namespace in quota.namespaces
        yield Violation(
            "EQ1004-unbound",
            violation.setting(quota, "namespaces") if listed else "metadata.name",
            f"'{namespace}' is a system namespace, so its pods belong to '{names.SYSTEM_QUOTA}'",
            "Leave it out" if listed else "",
        )
    if forest.takes_labelled_only(quota) and quota.allowed_namespaces is None:
        unlike = "" if system else f", and '{quota.name}' is not the name of its namespace"
        yield Violation(
            "EQ1004-unbound",
            "spec.namespaces",
            f"{'names no other' if quota.namespaces else 'is not given'}{unlike}, so the quota "
            f"limits only pods with the label {names.QUOTA_NAME}: {quota.name}",
            "To limit all pods of a namespace, list it",
        )
