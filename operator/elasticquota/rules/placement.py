"""Pods go into leaf quotas, unless the administrator lets them into parents (semantics 4).

PD1301: a parent quota holds quotas, so its min and runtime are shared among them; pods in it would
eat from all of them. Where they are let in (K's gate SupportParentQuotaSubmitPod), the pods of a
parent share with its children like one more child.
"""

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.rules import kin
from elasticquota.rules.violation import Violation, label, listed


def check(quota: str, forest: Forest, *, pods_in_parents: bool = False) -> tuple[Violation, ...]:
    """Whether a new pod may belong to ``quota``, which its label or its namespace names."""
    held = forest.quotas.get(quota)
    if pods_in_parents or held is None or not held.is_parent:
        return ()
    leaves = listed(child.name for child in kin.children(quota, forest) if not child.is_parent)
    return (
        Violation(
            "PD1301",
            label(names.QUOTA_NAME),
            f"'{quota}' is a parent quota, which holds quotas and no pods",
            f"Name one of its leaf quotas: {leaves}" if leaves else "Name a leaf quota",
            kind="forbidden",
        ),
    )
