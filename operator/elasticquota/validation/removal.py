"""A quota goes only when nothing stands or runs in it.

EQ1111: no children, no live pods, whether they came by label or by their namespace. What lives in
the same namespace does not count while that whole namespace is being deleted, or its deletion
would wait for itself.
"""

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.validation import relatives
from elasticquota.validation.change import Change
from elasticquota.validation.violation import Violation, listed


def check(change: Change, forest: Forest) -> tuple[Violation, ...]:
    """What would be left without a quota."""
    if change.old is None or change.new is not None or _held_elsewhere(change, forest):
        return ()
    leaving = {change.old.key.namespace} if change.namespace_leaves else set()
    children = [
        child.name
        for child in relatives.children(change.old.name, forest)
        if child.key.namespace not in leaving and child.name not in names.RESERVED_QUOTAS
    ]
    violations = []
    if children:
        violations.append(
            Violation(
                "EQ1111",
                "",
                f"must not be deleted while it has children: {listed(children)}",
                "Delete them first, or give them another parent",
                kind="conflict",
            )
        )
    pods = [str(pod) for pod in change.pods if pod.namespace not in leaving]
    if pods:
        violations.append(
            Violation(
                "EQ1111",
                "",
                "must not be deleted while it has live pods: "
                f"{listed(pods, more=change.more_pods)}",
                "Delete them first, or let them end",
                kind="conflict",
            )
        )
    return tuple(violations)


def _held_elsewhere(change: Change, forest: Forest) -> bool:
    """Another object holds the name, so children and pods are that one's."""
    holder = forest.quotas.get(change.quota.name)
    return holder is not None and holder.key != change.quota.key
