"""Pods go into leaf quotas, unless the administrator lets them into parents (semantics 4).

PD1301: a parent quota holds quotas, so its min and runtime are shared among them; pods in it would
eat from all of them. Where they are let in (K's gate SupportParentQuotaSubmitPod), the pods of a
parent share with its children like one more child.
"""

from elasticquota import names
from elasticquota.forest.membership import Membership
from elasticquota.model.pod import Pod
from elasticquota.validation import relatives
from elasticquota.validation.violation import Violation, label, listed


def check(pod: Pod, members: Membership) -> tuple[Violation, ...]:
    """Whether the quota that the pod's label or namespace names is one of quotas."""
    forest = members.forest
    held = forest.quotas.get(members.quota_of(pod))
    if held is None or not held.is_parent:
        return ()
    leaves = [child.name for child in relatives.children(held.name, forest) if not child.is_parent]
    return (
        Violation(
            "PD1301",
            label(names.QUOTA_NAME),
            f"'{held.name}' is a parent quota, which holds quotas and no pods",
            f"Name one of its leaf quotas: {listed(leaves)}" if leaves else "Name a leaf quota",
            kind="forbidden",
        ),
    )
