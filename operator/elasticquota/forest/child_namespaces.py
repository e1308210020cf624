"""EQ1113: a parent takes the quotas of the namespaces that it lists, and those with a permission.

The list is the field ``access.children`` of the parent, and for the default root, which has no
object, in the configuration. The annotation ``placed-below`` of a child says that it was permitted.
``validation.child_namespaces`` judges who may place a quota.
"""

from typing import Final

from elasticquota import names
from elasticquota.forest import violation
from elasticquota.forest.violation import Violation
from elasticquota.model.quota import Quota


LIST: Final = "spec.access.children"


def check(quota: Quota, parent: Quota) -> Violation | None:
    """Return that ``parent`` does not take ``quota``, or None."""
    if parent.takes_child(quota):
        return None
    namespace = quota.key.namespace
    message = f"parent '{parent.name}' accepts no quotas from namespace '{namespace}'"
    return refused(violation.setting(quota, "parent"), message, parent.name, namespace)


def refused(field: str, message: str, parent: str, namespace: str) -> Violation:
    """Refuse what lacks a permission, and say how quotas of ``namespace`` get it."""
    default = "defaultTree.childNamespaces of the configuration"
    place = default if parent == names.ROOT_QUOTA else f"{LIST} of '{parent}'"
    return Violation(
        "EQ1113",
        field,
        message,
        f"Ask for the verb '{names.ADD_CHILD}' on {names.QUOTA_PLURAL} '{parent}' in a ClusterRole,"
        f" or to have namespace '{namespace}' added to {place}",
        kind="forbidden",
    )
