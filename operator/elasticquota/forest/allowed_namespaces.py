"""Which pods may be in a quota: those of the namespaces that it takes (PD1307, semantics 2).

A quota lists them by ``allowed-namespaces``; those that it binds are always among them. Without a
list, one that binds namespaces takes pods of these and of its own only, and pods of a namespace
that some quota binds go nowhere else. What is left, a quota that says nothing and a namespace that
nothing binds, is open unless the administrator chose otherwise.
Pods of the system are never asked; nor are those of the default quota, where no label took them.
"""

from dataclasses import dataclass
from typing import Literal

from elasticquota import names
from elasticquota.forest import wording
from elasticquota.forest.membership import Membership
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota


Rule = Literal["PD1307", "PD1307-unbound", "PD1307-open"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A quota does not take a pod."""

    rule: Rule
    why: str


def refusal(pod: Pod, members: Membership) -> Refusal | None:
    """Why the pod must not be in the quota that its label names, or None."""
    name, namespace = members.quota_of(pod), pod.key.namespace
    quota = members.forest.quotas.get(name)
    if quota is None or name in names.RESERVED_QUOTAS:
        return None
    takes_none = f"'{name}' takes no pods from namespace '{namespace}'"
    if quota.allowed_namespaces is not None:
        if quota.takes_from(namespace):
            return None
        return Refusal("PD1307", f"{takes_none}, {_listed(quota)}")
    if namespace == quota.key.namespace or quota.binds(namespace):
        return None
    binding = members.binding(namespace)
    if binding:
        return Refusal("PD1307-unbound", f"{takes_none}, which '{binding}' binds")
    rule: Rule = "PD1307-unbound" if quota.binds_any else "PD1307-open"
    return Refusal(rule, f"{takes_none}, only from its own and from those that it binds")


def _listed(quota: Quota) -> str:
    every = sorted({*(quota.allowed_namespaces or ()), *quota.namespaces})
    if not every:
        return "from no namespace but those that it binds"
    return f"only from {wording.named(every)}"
