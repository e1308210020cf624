"""A quota takes pods of the namespaces that it allows, so that one team cannot spend another's.

PD1307: the annotation ``allowed-namespaces`` lists them, ``*`` is all; those that the quota binds
are always among them (semantics 2). Without the annotation every namespace is allowed, and by the
other side of the rule, which the profile ``strict`` asks for, only the quota's own and those that
it binds. Pods of the default and the system quota are never asked.
"""

from elasticquota import names
from elasticquota.forest.membership import Membership
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota
from elasticquota.rules.violation import Violation, annotation, label, listed


_FIELD = label(names.QUOTA_NAME)


def check(pod: Pod, members: Membership) -> tuple[Violation, ...]:
    """Whether the pod's quota takes pods of its namespace."""
    quota = members.forest.quotas.get(members.quota_of(pod))
    namespace = pod.key.namespace
    if quota is None or quota.name in names.RESERVED_QUOTAS:
        return ()
    if quota.allowed_namespaces is None:
        at_home = namespace == quota.key.namespace or quota.binds(namespace)
        return () if at_home else (_unbound(namespace, quota),)
    if quota.takes_from(namespace):
        return ()
    every = sorted({*quota.allowed_namespaces, *quota.namespaces})
    takes = f"only from {listed(every)}" if every else "from no namespace but those that it binds"
    return (
        Violation(
            "PD1307",
            _FIELD,
            f"'{quota.name}' takes no pods from namespace '{namespace}', {takes}",
            _remedy(quota),
            kind="forbidden",
        ),
    )


def _unbound(namespace: str, quota: Quota) -> Violation:
    return Violation(
        "PD1307-unbound",
        _FIELD,
        f"'{quota.name}' takes no pods from namespace '{namespace}', only from its own and from "
        f"those that it binds",
        _remedy(quota),
        kind="forbidden",
    )


def _remedy(quota: Quota) -> str:
    return (
        "Name a quota of your own, or have the namespace added to "
        f"{annotation(names.ALLOWED_NAMESPACES)} of '{quota.name}'"
    )
