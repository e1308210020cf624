"""A pod that names a quota names one that exists, or somebody is told.

PD1306: by default a warning, and the next rule of membership decides where the pod belongs
(semantics 2), so the name never escapes a limit. Where the administrator says ``unknownQuota:
deny``, such a pod is refused, as Koordinator does with its gate EnableQuotaAdmission (K 4.5). The
system's pods are never judged by their labels. What slips through while nobody asks is a matter of
membership too.
"""

from elasticquota import names
from elasticquota.forest.membership import Membership
from elasticquota.model.pod import Pod
from elasticquota.rules.violation import Violation, label


_FIELD = label(names.QUOTA_NAME)
_REMEDY = "Correct the name, or create that quota"


def refuse(pod: Pod, members: Membership) -> tuple[Violation, ...]:
    """Why no pod with this label may be created."""
    if not _is_unknown(pod, members):
        return ()
    return (Violation("PD1306", _FIELD, f"there is no quota '{pod.quota_label}'", _REMEDY),)


def warn(pod: Pod, members: Membership) -> tuple[Violation, ...]:
    """Where a pod with this label belongs instead."""
    if not _is_unknown(pod, members):
        return ()
    quota = members.quota_of(pod)
    instead = f"belongs to '{quota}'" if quota else "belongs to no quota and is not limited"
    message = f"there is no quota '{pod.quota_label}', so the pod {instead}"
    return (Violation("PD1306", _FIELD, message, _REMEDY),)


def _is_unknown(pod: Pod, members: Membership) -> bool:
    return members.quota_of(pod) != names.SYSTEM_QUOTA and members.unknown_label(pod)
