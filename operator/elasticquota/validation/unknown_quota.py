"""A pod that names a quota names one that exists, or somebody is told.

PD1306: as a warning the next rule of membership decides where the pod belongs (semantics 2), so the
name never escapes a limit; as a refusal it is what Koordinator does with its gate
EnableQuotaAdmission (K 4.5). The system's pods are never judged by their labels. What slips through
while nobody asks is a matter of membership too.
"""

from elasticquota import names
from elasticquota.forest.membership import Membership
from elasticquota.model.pod import Pod
from elasticquota.validation.violation import Violation, label


def check(pod: Pod, members: Membership) -> tuple[Violation, ...]:
    """That there is no such quota, and where the pod belongs without it."""
    quota = members.quota_of(pod)
    if quota == names.SYSTEM_QUOTA or not members.unknown_label(pod):
        return ()
    instead = f"belongs to '{quota}'" if quota else "belongs to no quota and is not limited"
    return (
        Violation(
            "PD1306",
            label(names.QUOTA_NAME),
            f"there is no quota '{pod.quota_label}'; without one the pod {instead}",
            "Correct the name, or create that quota",
        ),
    )
