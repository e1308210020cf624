"""A quota holds either quotas or pods, and keeps its role while it holds any.

EQ1106: a parent with children does not become a leaf, a leaf with live pods does not become a
parent.
"""

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.validation import relatives
from elasticquota.validation.change import Change
from elasticquota.validation.violation import Violation, label, listed


def check(change: Change, forest: Forest) -> tuple[Violation, ...]:
    """The role of an existing quota changes while something depends on it."""
    if change.old is None or change.new is None or change.old.is_parent == change.new.is_parent:
        return ()
    field = label(names.IS_PARENT)
    if change.new.is_parent:
        if not change.pods:
            return ()
        pods = listed(map(str, change.pods), more=change.more_pods)
        message = f"must not become 'true' while the quota has live pods: {pods}"
        return (Violation("EQ1106", field, message, "Let them end first"),)
    children = listed(child.name for child in relatives.children(change.new.name, forest))
    if not children:
        return ()
    message = f"must stay 'true' while the quota has children: {children}"
    return (Violation("EQ1106", field, message, "Move or delete them first"),)
