"""Every pod belongs to exactly one quota (semantics 2), whatever its labels say.

The system's pods first: static pods, pods of system namespaces, DaemonSet pods without a label.
Then the label, the quota named like its namespace in that namespace, the quota that binds the
namespace, the default quota. A label that names no quota is passed over, so it never escapes; nor
does one that names the root or the system quota, which would be a way out of every limit. The
default quota is one too: it may be named only where no quota has the namespace.
Without a default quota, which the administrator may choose, a pod that comes to the end of the row
belongs to nobody. The peer's gate then passes over the namespaces too; here they go on binding,
because a pod of a bound namespace would else leave its quota by losing a label.
Whether the quota is accepted plays no part: pods of a refused quota stay in its accounts.
"""

from dataclasses import dataclass
from typing import Final

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.model.pod import Pod


NOBODY: Final = ""
"""Stands for the quota of a pod that belongs to none: it is neither counted nor limited."""
_NOT_FOR_USERS = frozenset({names.ROOT_QUOTA, names.SYSTEM_QUOTA})


@dataclass(frozen=True, slots=True)
class Membership:
    """Answers which quota a pod belongs to, for one forest."""

    forest: Forest
    system_namespaces: frozenset[str]
    default_quota: bool = True
    """Whether ``koordinator-default-quota`` takes the pods that nothing else does."""

    def quota_of(self, pod: Pod) -> str:
        """The name of the pod's quota; one that ``forest.quotas`` holds, or ``NOBODY``."""
        if (
            pod.mirror
            or pod.key.namespace in self.system_namespaces
            or (pod.daemon and not pod.quota_label)
        ):
            return names.SYSTEM_QUOTA
        if pod.quota_label == names.DEFAULT_QUOTA:
            return self._of_namespace(pod.key.namespace, names.DEFAULT_QUOTA)
        if self._usable(pod.quota_label):
            return pod.quota_label
        rest = names.DEFAULT_QUOTA if self.default_quota else NOBODY
        return self._of_namespace(pod.key.namespace, rest)

    def binding(self, namespace: str) -> str:
        """The quota that pods of ``namespace`` wait for when they name none, or ``NOBODY``."""
        quota = self._of_namespace(namespace, NOBODY)
        if namespace in self.system_namespaces or quota in names.RESERVED_QUOTAS:
            return NOBODY
        return quota

    def unknown_label(self, pod: Pod) -> bool:
        """Whether the pod names a quota that it cannot belong to, because there is none such."""
        return pod.quota_label != "" and not self._usable(pod.quota_label)

    def _of_namespace(self, namespace: str, otherwise: str) -> str:
        """The quota of the namespace's pods that carry no usable label."""
        quotas = self.forest.quotas
        namesake = quotas.get(namespace)
        if namesake is not None and namesake.key.namespace == namespace:
            return namespace
        binding = [quotas[name] for name in self.forest.index.binders.get(namespace, ())]
        oldest = min(binding, key=lambda each: (each.created, each.uid, each.key), default=None)
        return otherwise if oldest is None else oldest.name

    def _usable(self, label: str) -> bool:
        return label in self.forest.quotas and label not in _NOT_FOR_USERS
