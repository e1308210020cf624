"""PD1301: pods go into leaf quotas, unless the administrator allows them in parents (semantics 4).

The children of a parent quota share its min and runtime, so pods in it would take from all of them.
Where such pods are allowed (K's gate SupportParentQuotaSubmitPod), they share with the children
like one more child.
"""

from collections.abc import Iterator

from elasticquota import names
from elasticquota.forest.membership import Membership
from elasticquota.forest.violation import Violation, label, listed
from elasticquota.model.pod import Pod
from elasticquota.validation import relatives


def check(pod: Pod, members: Membership) -> Iterator[Violation]:
    """Yield a violation if the quota that the pod's label or namespace names is a parent."""
    forest = members.forest
    held = forest.quotas.get(members.quota_of(pod))
    if held is None or not held.is_parent:
        return
    leaves = [child.name for child in relatives.children(held.name, forest) if not child.is_parent]
    yield Violation(
        "PD1301",
        label(names.QUOTA_NAME),
        f"'{held.name}' is a parent quota, which holds quotas and no pods",
        f"Name one of its leaf quotas: {listed(leaves)}" if leaves else "Name a leaf quota",
        kind="forbidden",
    )
