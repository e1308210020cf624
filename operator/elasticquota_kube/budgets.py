"""Finds the disruption budgets that protect a pod; an API server's refusal may not name them."""

import msgspec

from elasticquota.wire.codec import selectors
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import DISRUPTION_BUDGETS, PODS


class _BudgetManifest(msgspec.Struct):
    metadata: ObjectMeta


class _BudgetSpec(msgspec.Struct):
    selector: dict[str, object] | None = None


class _Budget(_BudgetManifest):
    spec: _BudgetSpec = msgspec.field(default_factory=_BudgetSpec)

    def matches(self, pod: ObjectMeta) -> bool:
        """As in ``policy/v1``: an empty selector matches every pod, a missing one matches none."""
        if self.spec.selector is None:
            return False
        selector = selectors.read(self.spec.selector, "spec.selector", [])
        return selector.matches(pod.labels or {})


async def matching(api: Api, namespace: str, name: str) -> tuple[str, ...]:
    """Names of the budgets that match the pod ``namespace``/``name``; raises `ApiError`."""
    pod = await api.get(PODS, namespace, name, into=_BudgetManifest)
    budgets = await api.list(DISRUPTION_BUDGETS, namespace, into=_Budget)
    return tuple(sorted(each.metadata.name for each in budgets if each.matches(pod.metadata)))
