"""ElasticQuota manifest -> Quota (K 1.1-1.3).

An unreadable quota is still a quota with its name and its place in the tree. Otherwise its pods
would belong to the default quota and run there.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final, TypeGuard, TypeVar

import msgspec

from elasticquota import names
from elasticquota.model.fault import Fault
from elasticquota.model.quota import Figures, Quota
from elasticquota.model.wait_estimate import WaitEstimate
from elasticquota.resources import EMPTY, Resources
from elasticquota.structs import replace
from elasticquota.wire.codec import amounts, durations, fields, selectors
from elasticquota.wire.codec.metadata import SpecManifest
from elasticquota.wire.quota import (
    bounds,
    equal_keys,
    limits,
    policies,
    tree_settings,
    wait_estimates,
)


T = TypeVar("T")

NAMESPACE: Final = f"([*]|{equal_keys.NAMESPACE})"
"""One namespace, or all."""
MOST_NAMESPACES: Final = 1024
_ACCESS: Final = ("pods", "children")
_NAMESPACE: Final = re.compile(NAMESPACE)
_SWITCHES: Final = {
    names.IS_PARENT: "false",
    names.IS_ROOT: "false",
    names.ALLOW_LENT: "true",
    names.ALLOW_FORCE_UPDATE: "false",
}


class QuotaManifest(SpecManifest, gc=False):
    """``spec`` may have any shape: it may have been stored under another schema than ours."""


class QuotaStatusManifest(msgspec.Struct, gc=False):
    """The figures that admission reads; undecoded, because few of them are ever needed."""

    used: Any = None
    request: Any = None
    runtime: Any = None
    admitted: Any = None
    pods: Any = None
    wait_estimate: Any = msgspec.field(name="waitEstimate", default=None)


_NoMap = str | int | float | bool | list[Any]


class StoredQuota(QuotaManifest, gc=False):
    """A quota with the status that the controller wrote."""

    status: QuotaStatusManifest | _NoMap | None = None


def figures(stored: StoredQuota, keys: Collection[str] | None = None) -> Figures | None:
    """Return the figures in the status without unreadable ones; None without a runtime.

    With ``keys`` only request, runtime and admitted, of these resources, at a part of the cost.
    """
    status = stored.status
    if not isinstance(status, QuotaStatusManifest) or status.runtime is None:
        return None
    lists = [status.request, status.runtime, status.admitted]
    if keys is not None:
        maps = (by_resource if isinstance(by_resource, dict) else {} for by_resource in lists)
        lists = [
            {key: by_resource[key] for key in keys if key in by_resource} for by_resource in maps
        ]
    request, runtime, admitted = map(amounts.stored, lists)
    published = Figures(request=request, runtime=runtime, admitted=admitted)
    if keys is not None:
        return published
    firm = stored.metadata.annotation(names.NON_PREEMPTIBLE_USED)
    firm_use = amounts.read_json(firm, names.NON_PREEMPTIBLE_USED, []) or EMPTY
    return replace(published, used=amounts.stored(status.used), non_preemptible=firm_use)


def waiting(stored: StoredQuota) -> int:
    """Return how many pods wait in the quota and below it; 0 where the status does not say."""
    status = stored.status
    counts = status.pods if isinstance(status, QuotaStatusManifest) else None
    gated = counts.get("gated") if isinstance(counts, dict) else None
    return gated if fields.is_count(gated) else 0


def wait_estimate(stored: StoredQuota) -> WaitEstimate | None:
    """Return the wait estimate in the status; None if there is no usable one."""
    status = stored.status
    if not isinstance(status, QuotaStatusManifest):
        return None
    return wait_estimates.read_estimate({"waitEstimate": status.wait_estimate})


def used(stored: StoredQuota) -> Resources:
    """Return what the pods of the stored quota use; unreadable amounts count as 0."""
    return (
        amounts.stored(stored.status.used)
        if isinstance(stored.status, QuotaStatusManifest)
        else EMPTY
    )


def read(manifest: QuotaManifest) -> Quota:
    """Return the quota as written; ``faults`` names each unreadable part and its rule."""
    meta = manifest.metadata
    faults: list[Fault] = []
    spec = fields.mapping(manifest.spec, "spec", faults)
    keys = equal_keys.of(meta)
    different = equal_keys.differences(keys, spec)
    labels, annotations = equal_keys.counting(keys, different)
    warnings = [*_doubts(labels), *equal_keys.doubts(spec)]
    low_and_high = bounds.read(spec, faults)
    access = fields.record(spec.get("access"), "spec.access", "access", _ACCESS, faults)

    def annotation(key: str, reader: Callable[[str, str, list[Fault]], T], rule: str = "") -> T:
        before = len(faults)
        value = reader(annotations.get(key, ""), f"metadata.annotations[{key}]", faults)
        if len(faults) > before:
            faults[before:] = [replace(fault, rule=rule) for fault in faults[before:]]
        return value

    queue = fields.record(spec.get("queue"), "spec.queue", "queue", policies.QUEUE, warnings)
    at, known = "spec.reclaim", policies.RECLAIM
    reclaim = fields.record(spec.get("reclaim"), at, "reclaim", known, warnings)
    # In this order, which is that of the faults.
    weight = annotation(names.SHARED_WEIGHT, _amounts, "EQ1003")
    bound = annotation(names.NAMESPACES, amounts.read_names, "EQ1004")
    strict = annotation(names.STRICT_KEYS, amounts.read_names, "EQ1112-strict")
    nodes = selectors.read_values(spec.get("nodeSelector"), "spec.nodeSelector", faults)
    limited = limits.read(spec.get("limits"), "spec.limits", faults)
    admission = annotation(names.ADMISSION, _amounts)
    total = annotation(names.TOTAL_RESOURCE, amounts.read_json)
    # What of it the controller wrote is written over, so a fault in it is no fault of the quota.
    tree = tree_settings.read_tree(spec.get("tree"), warnings)
    return Quota(
        key=meta.key,
        uid=meta.uid,
        created=meta.created,
        parent=labels.get(names.PARENT) or names.ROOT_QUOTA,
        is_parent=labels.get(names.IS_PARENT) == "true",
        is_root=meta.label(names.IS_ROOT) == "true",
        tree_id=meta.label(names.TREE_ID),
        min=low_and_high.min,
        max=low_and_high.max,
        shared_weight=weight,
        allow_lent=labels.get(names.ALLOW_LENT) != "false",
        namespaces=bound or (),
        profile=meta.label(names.PROFILE),
        total=total,
        capacity=tree.capacity if meta.label(names.IS_ROOT) == "true" else None,
        shares_default_tree=meta.label(names.IGNORE_DEFAULT_TREE) == "true",
        guarantee_usage=tree.guarantee_usage,
        observes=tree.observes,
        paused=fields.switch(spec.get("paused"), "spec.paused", warnings, "false") is True,
        pools=tree.pools if meta.label(names.IS_ROOT) == "true" else None,
        strict_queue=fields.choice(queue, "spec.queue.policy", policies.QueuePolicy, warnings)
        == names.STRICT,
        reclaim_grace=durations.read_field(
            reclaim.get("grace"), "spec.reclaim.grace", warnings, shortest=0, example="30s"
        ),
        preemption=fields.choice(reclaim, "spec.reclaim.preemption", policies.Preemption, warnings),
        over_max_delay=policies.over_max_delay(
            reclaim.get("overMaxDelay"), "spec.reclaim.overMaxDelay", warnings
        ),
        application_order=fields.choice(
            queue, "spec.queue.applications", policies.ApplicationOrder, warnings
        ),
        orders_by_priority=fields.choice(queue, "spec.queue.order", policies.QueueOrder, warnings)
        != names.BY_AGE,
        nodes=nodes,
        limits=limited,
        admission=admission or {},
        strict_keys=strict or (),
        allowed_namespaces=_namespaces(access, "pods", faults),
        child_namespaces=_namespaces(access, "children", faults),
        placed_below=meta.annotation(names.PLACED_BELOW),
        forced=meta.label(names.ALLOW_FORCE_UPDATE) == "true",
        kept_for=meta.label(names.DIALECT),
        stated=equal_keys.stated(spec),
        differences=different,
        generation=meta.generation,
        warnings=tuple(warnings),
        faults=tuple(faults),
    )


def _amounts(text: str, where: str, faults: list[Fault]) -> Resources | None:
    return amounts.read_json(text, where, faults, amounts.MOST)


def _namespaces(
    access: Mapping[str, Any], whose: str, faults: list[Fault]
) -> tuple[str, ...] | None:
    """What cannot be read allows no namespace."""
    written = access.get(whose)
    if written is None:
        return None  # the usual case
    wanted = f"the name of a namespace, or '{names.EVERY_NAMESPACE}' for all"
    where = f"spec.access.{whose}"
    return fields.listed(written, where, MOST_NAMESPACES, _is_namespace, wanted, faults)


def _is_namespace(name: object) -> TypeGuard[str]:
    return isinstance(name, str) and _NAMESPACE.fullmatch(name) is not None


def _doubts(labels: Mapping[str, str]) -> Iterator[Fault]:
    """Warnings for values that have no effect: ``"True"`` is not ``"true"``."""
    for key, counts_as in _SWITCHES.items():
        text = labels.get(key, "")
        if text not in ("", "true", "false"):
            yield Fault(
                f"metadata.labels[{key}]",
                f"must be 'true' or 'false', got {fields.shown(text)}, which counts as "
                f"'{counts_as}'",
            )
