"""EQ1111: a quota may be deleted only if it has no children and no live pods.

Pods count whether they belong to it by label or by namespace. While the quota's whole namespace is
being deleted, objects in that namespace do not count: otherwise its deletion would wait for itself.
"""

from collections.abc import Iterator

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation, listed
from elasticquota.validation import relatives
from elasticquota.validation.change import Change


def check(change: Change, forest: Forest) -> Iterator[Violation]:
    """Yield the children and pods that would be left without a quota."""
    if change.old is None or change.new is not None or _held_elsewhere(change, forest):
        return
    leaving = {change.old.key.namespace} if change.namespace_leaves else set()
    children = [
        child.name
        for child in relatives.children(change.old.name, forest)
        if child.key.namespace not in leaving and child.name not in names.RESERVED_QUOTAS
    ]
    if children:
        message = f"must not be deleted while it has children: {listed(children)}"
        remedy = "Delete them first, or give them another parent"
        yield Violation("EQ1111", "", message, remedy, kind="conflict")
    pods = [str(pod) for pod in change.pods if pod.namespace not in leaving]
    if pods:
        shown = listed(pods, more=change.more_pods)
        message = f"must not be deleted while it has live pods: {shown}"
        remedy = "Delete them first, or let them end"
        yield Violation("EQ1111", "", message, remedy, kind="conflict")


def _held_elsewhere(change: Change, forest: Forest) -> bool:
    """Whether another object holds the name, so that children and pods belong to that object."""
    holder = forest.quotas.get(change.quota.name)
    return holder is not None and holder.key != change.quota.key
