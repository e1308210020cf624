"""A quota takes pods of the namespaces that it allows, so that one team cannot spend another's.

PD1307: the annotation ``allowed-namespaces`` lists them (``forest.allowed_namespaces``). Without it
there are two sides: PD1307-unbound, where a quota or a namespace is bound, which refuses unless the
administrator wants it as Koordinator has it; and PD1307-open, where neither is, which only the
profile ``strict`` refuses. And no pod of a bound namespace leaves its quota by naming the default,
the system or the root quota. Pods of the system are never asked.
"""

from elasticquota import names
from elasticquota.forest import allowed_namespaces
from elasticquota.forest.membership import Membership
from elasticquota.model.pod import Pod
from elasticquota.validation.violation import Violation, annotation, label


_FIELD = label(names.QUOTA_NAME)


def check(pod: Pod, members: Membership) -> tuple[Violation, ...]:
    """Whether the pod may be in the quota that it names."""
    quota = members.quota_of(pod)
    if quota == names.SYSTEM_QUOTA:
        return ()
    binding = members.binding(pod.key.namespace)
    if binding and pod.quota_label in names.RESERVED_QUOTAS:
        return (
            Violation(
                "PD1307",
                _FIELD,
                f"pods of namespace '{pod.key.namespace}' belong to quota '{binding}' and must not "
                f"leave it for '{pod.quota_label}'",
                f"Leave the label out, or name '{binding}'",
                kind="forbidden",
            ),
        )
    found = allowed_namespaces.refusal(pod, members)
    if found is None:
        return ()
    remedy = (
        "Name a quota of your own, or have the namespace added to "
        f"{annotation(names.ALLOWED_NAMESPACES)} of '{quota}'"
    )
    return (Violation(found.rule, _FIELD, found.why, remedy, kind="forbidden"),)
