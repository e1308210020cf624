"""Every pod belongs to one quota at most (semantics 2). The first rule with an answer decides:

1. Pods of the system belong to the system quota: static pods, pods of system namespaces, DaemonSet
   pods without a label.
2. The quota that the label names. A label that names no quota, the root or the system quota is
   passed over, because it would be a way out of every limit. A label that names the default quota
   counts only if no quota has the namespace.
3. The oldest quota that binds the namespace, by its list or because it is in the namespace and has
   its name. A younger one never takes the pods: they would leave the max of the older.
4. The default quota, or none if the administrator switched the default quota off.

Koordinator's gate for step 4 switches off namespaces too. Here they go on binding: otherwise a pod
of a bound namespace would leave its quota by losing a label. Pods of a quota that is not accepted
stay in its accounts.
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Final

from elasticquota import names
from elasticquota.forest import guarantee
from elasticquota.forest.structure import Forest
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota
from elasticquota.model.workload import Counted
from elasticquota.structs import Struct


NO_QUOTA: Final = ""
"""The quota name of a pod that belongs to no quota: such a pod is neither counted nor limited."""
_NOT_FOR_USERS = frozenset({names.ROOT_QUOTA, names.SYSTEM_QUOTA})


def holding(binding: Iterable[Quota]) -> Quota | None:
    """Return which of the quotas that bind a namespace has its pods: the oldest; None of none."""
    return min(binding, key=guarantee.judged_after, default=None)


def of_the_system(pod_or_job: Counted, system_namespaces: AbstractSet[str]) -> bool:
    """Return whether the pod belongs to the system quota, whatever the quotas are."""
    return pod_or_job.key.namespace in system_namespaces or (
        isinstance(pod_or_job, Pod)
        and (pod_or_job.mirror or (pod_or_job.daemon and not pod_or_job.quota_label))
    )


class Membership(Struct, frozen=True):
    """Answers which quota a pod belongs to, for one forest."""

    forest: Forest
    default_quota: bool = True
    """Whether ``koordinator-default-quota`` takes the pods that no other quota takes."""

    @property
    def system_namespaces(self) -> frozenset[str]:
        """The namespaces whose pods belong to the system quota."""
        return self.forest.terms.system_namespaces

    def quota_of(self, pod_or_job: Counted) -> str:
        """Return the quota of a pod or job, which is in ``forest.quotas``, or ``NO_QUOTA``."""
        if of_the_system(pod_or_job, self.system_namespaces):
            return names.SYSTEM_QUOTA
        if pod_or_job.quota_label == names.DEFAULT_QUOTA:
            return self._of_namespace(pod_or_job.key.namespace, names.DEFAULT_QUOTA)
        if self._usable(pod_or_job.quota_label):
            return pod_or_job.quota_label
        rest = names.DEFAULT_QUOTA if self.default_quota else NO_QUOTA
        return self._of_namespace(pod_or_job.key.namespace, rest)

    def binding(self, namespace: str) -> str:
        """Return the quota of the pods of ``namespace`` that name none, or ``NO_QUOTA``.

        ``NO_QUOTA`` also stands for the reserved quotas and for system namespaces.
        """
        quota = self._of_namespace(namespace, NO_QUOTA)
        if namespace in self.system_namespaces or quota in names.RESERVED_QUOTAS:
            return NO_QUOTA
        return quota

    def unknown_label(self, pod_or_job: Counted) -> bool:
        """Whether the pod's label names an unknown quota, the root or the system quota."""
        return pod_or_job.quota_label != "" and not self._usable(pod_or_job.quota_label)

    def _of_namespace(self, namespace: str, otherwise: str) -> str:
        """The quota of the namespace's pods without a usable label, or ``otherwise``."""
        quotas = self.forest.quotas
        binders = self.forest.index.binders.get(namespace, ())
        holder = holding(quotas[name] for name in binders)
        return otherwise if holder is None else holder.name

    def _usable(self, label: str) -> bool:
        return label in self.forest.quotas and label not in _NOT_FOR_USERS
