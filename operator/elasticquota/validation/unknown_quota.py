"""PD1306: a pod that names a quota names one that exists.

If the rule only warns, the next rule of membership decides the quota of the pod (semantics 2), so
a wrong name never escapes a limit. If it refuses, it does what Koordinator does with its gate
EnableQuotaAdmission (K 4.5). Pods of the system are not judged by their labels. For pods created
without the webhook, membership decides too.
"""

from collections.abc import Iterator

from elasticquota import names
from elasticquota.forest.membership import Membership
from elasticquota.forest.violation import Violation, label
from elasticquota.model.pod import Pod


def check(pod: Pod, members: Membership) -> Iterator[Violation]:
    """Yield a violation that says which quota the pod belongs to instead."""
    quota = members.quota_of(pod)
    if quota != names.SYSTEM_QUOTA and members.unknown_label(pod):
        instead = f"belongs to '{quota}'" if quota else "belongs to no quota and is not limited"
        yield Violation(
            "PD1306",
            label(names.QUOTA_NAME),
            f"there is no quota '{pod.quota_label}'; without one the pod {instead}",
            "Correct the name, or create that quota",
        )
