"""PD1307: a quota takes only pods of the namespaces that it allows.

So no team can use the quota of another team. The field ``access.pods`` lists them
(``forest.allowed_namespaces``). Without it the rule has two sides. PD1307-unbound: the quota binds
namespaces or the pod's namespace is bound; the pod is refused unless the administrator chose
Koordinator's behavior. PD1307-open: neither is bound; only the profile ``strict`` refuses. A pod of
a bound namespace also cannot leave its quota by naming the default, the system or the root quota.
Pods of the system are not judged.
"""

from collections.abc import Iterator

from elasticquota import names
from elasticquota.forest import allowed_namespaces
from elasticquota.forest.membership import Membership
from elasticquota.forest.violation import Violation, label
from elasticquota.model.pod import Pod


_FIELD = label(names.QUOTA_NAME)


def check(pod: Pod, members: Membership) -> Iterator[Violation]:
    """Yield why the pod must not be in the quota that it names."""
    quota = members.quota_of(pod)
    if quota == names.SYSTEM_QUOTA:
        return
    binding = members.binding(pod.key.namespace)
    if binding and pod.quota_label in names.RESERVED_QUOTAS:
        yield Violation(
            "PD1307",
            _FIELD,
            f"pods of namespace '{pod.key.namespace}' belong to quota '{binding}' and must not "
            f"leave it for '{pod.quota_label}'",
            f"Leave the label out, or name '{binding}'",
            kind="forbidden",
        )
    elif refusal := allowed_namespaces.refusal(pod, members):
        remedy = (
            "Name a quota of your own, or have the namespace added to "
            f"spec.access.pods of '{quota}'"
        )
        yield Violation(refusal.rule, _FIELD, refusal.why, remedy, kind="forbidden")
