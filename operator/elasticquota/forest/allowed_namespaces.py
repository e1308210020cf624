"""A quota takes only pods of the namespaces that it allows (PD1307, semantics 2).

* The field ``access.pods`` lists them; the namespaces that the quota binds are always allowed.
* Without the field, a quota takes no pods of a namespace that another quota binds. If it binds
  namespaces itself, it takes only pods of these and of its own namespace.
* In all other cases it takes the pods, unless the administrator chose otherwise.

Pods of the system quota and of the default quota are never judged.
"""

from typing import Literal

from elasticquota import names
from elasticquota.forest import wording
from elasticquota.forest.membership import Membership
from elasticquota.model.quota import Quota
from elasticquota.model.workload import Counted
from elasticquota.structs import Struct


Rule = Literal["PD1307", "PD1307-unbound", "PD1307-open"]


class NamespaceRefusal(Struct, frozen=True):
    """Why a quota does not take a pod: the broken rule and a sentence."""

    rule: Rule
    why: str


def refusal(pod_or_job: Counted, members: Membership) -> NamespaceRefusal | None:
    """Return why the pod must not be in its quota, or None."""
    name, namespace = members.quota_of(pod_or_job), pod_or_job.key.namespace
    quota = members.forest.quotas.get(name)
    if quota is None or name in names.RESERVED_QUOTAS:
        return None
    takes_none = f"'{name}' accepts no pods from namespace '{namespace}'"
    if quota.allowed_namespaces is not None:
        if quota.takes_from(namespace):
            return None
        return NamespaceRefusal("PD1307", f"{takes_none}, {_listed(quota)}")
    if namespace == quota.key.namespace or quota.binds(namespace):
        return None
    binding = members.binding(namespace)
    if binding:
        return NamespaceRefusal("PD1307-unbound", f"{takes_none}, which '{binding}' binds")
    rule: Rule = "PD1307-unbound" if quota.binds_any else "PD1307-open"
    return NamespaceRefusal(rule, f"{takes_none}, only from its own and from those that it binds")


def _listed(quota: Quota) -> str:
    every = sorted({*(quota.allowed_namespaces or ()), *quota.namespaces})
    if not every:
        return "from no namespace but those that it binds"
    return f"only from {wording.named(every)}"
