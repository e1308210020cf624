"""EQ1106: a quota holds either quotas or pods, and keeps its role while it holds any.

A parent with children cannot become a leaf. A leaf with live pods cannot become a parent. A new
quota is a parent if quotas wait for it.
"""

from collections.abc import Iterator

from elasticquota import names
from elasticquota.forest import violation
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation, listed
from elasticquota.validation import relatives
from elasticquota.validation.change import Change


def check(change: Change, forest: Forest) -> Iterator[Violation]:
    """Yield what keeps a quota from its new role: its pods or its children."""
    if change.new is None or (change.old and change.old.is_parent == change.new.is_parent):
        return
    field = violation.setting(change.new, "isParent")
    children = listed(child.name for child in relatives.children(change.new.name, forest))
    if change.old is None:
        if children and not (change.new.is_parent or change.new.name in names.RESERVED_QUOTAS):
            message = f"must be 'true', as quotas wait for this one as their parent: {children}"
            yield Violation("EQ1106", field, message, "Set it, or give them another parent")
        return
    if change.new.is_parent and change.pods:
        pods = listed(map(str, change.pods), more=change.more_pods)
        message = f"must not become 'true' while the quota has live pods: {pods}"
        yield Violation("EQ1106", field, message, "Let them end first")
    elif children and not change.new.is_parent:
        message = f"must stay 'true' while the quota has children: {children}"
        yield Violation("EQ1106", field, message, "Move or delete them first")
