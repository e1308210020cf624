"""The preemption policies of quotas: where a guarantee may look for victims, and where not (Y20).

``Fence``: pods in or below the quota make only pods in or below it leave. Owners outside of it may
still reclaim what is borrowed inside. Of several fences on a path, the nearest one counts.
``Disabled``: no pod of the quota is evicted while it runs. A quota without a policy is like the
nearest quota above it that has one, and a fence above it does not disable anything.
"""

from collections.abc import Iterator

from elasticquota import names
from elasticquota.forest.structure import Forest


def is_disabled(forest: Forest, quota: str) -> bool:
    """Whether no running pod of ``quota`` is a victim."""
    return next(filter(None, _policies(forest, quota)), "") == names.DISABLED


def fence(forest: Forest, owner: str) -> str:
    """The nearest quota at or above ``owner`` that is a fence; empty: none."""
    path = forest.path(owner)
    return next((name for name in path if _policy(forest, name) == names.FENCE), "")


def _policies(forest: Forest, quota: str) -> Iterator[str]:
    return (_policy(forest, name) for name in forest.path(quota) or (quota,))


def _policy(forest: Forest, name: str) -> str:
    quota = forest.quotas.get(name)
    return "" if quota is None else quota.preemption
