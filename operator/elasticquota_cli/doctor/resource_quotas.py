"""Compares ResourceQuotas with quotas: which of the two limits first, in figures (C5, Y19).

The API server counts every existing pod, also at the gate, and refuses more. The quota counts what
is admitted, and lets the rest wait. So there are three cases for a namespace and each resource that
both name. The ResourceQuota allows less than max: max is never reached (and if it is less than min,
neither is the guarantee). It allows as much: no pod can wait. It allows more: this bounds how many
can wait. The limit of a quota is the smallest max on its path to the root. If the pods of a quota
are in several namespaces, the sum of these ResourceQuotas is compared.
ResourceQuotas with scopes count only some of the pods, and are not compared.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from elasticquota import names
from elasticquota.forest.membership import NO_QUOTA, Membership
from elasticquota.model.key import Key
from elasticquota.structs import Struct
from elasticquota.wire.codec import figures
from elasticquota.wire.kubernetes.resource_quotas import ResourceQuota
from elasticquota_cli.doctor.inventory import Inventory
from elasticquota_cli.doctor.report import Finding, Level
from elasticquota_cli.printers import amount


class _Hard(NamedTuple):
    amount: int
    by: Key


class _Ceiling(NamedTuple):
    """The smallest max on a path, and the quota that has it."""

    amount: int
    quota: str


_Limits = Mapping[str, Mapping[str, _Hard]]
"""Namespace -> resource -> the smallest hard limit."""

_ROOM: Final = "else raise it, or leave the resource to the quota"


class _Pair(Struct, frozen=True):
    """One resource of a quota: what ResourceQuotas allow its namespaces, and its own limits."""

    quota: str
    resource: str
    hard: tuple[_Hard, ...]
    others: tuple[str, ...]
    """Namespaces of the quota without a ResourceQuota for the resource."""
    min: int
    ceiling: _Ceiling | None

    @property
    def total(self) -> int:
        return sum(each.amount for each in self.hard)


def look(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each quota and resource, and for each ResourceQuota with scopes."""
    limits = _limits(inventory.resource_quotas)
    for quota, homes in sorted(_homes(inventory).items()):
        object_ = f"ElasticQuota {inventory.members.forest.quotas[quota].key}"
        for pair in _pairs(quota, homes, limits, inventory.members):
            level, text, remedy = _judged(pair)
            yield Finding(level, object_, f"{_subject(pair)}{text}", remedy, homes)
        yield from _uncompared(inventory.resource_quotas, object_, homes)


def _limits(quotas: Iterable[ResourceQuota]) -> _Limits:
    found: dict[str, dict[str, _Hard]] = defaultdict(dict)
    for quota in sorted(quotas, key=lambda each: each.key):
        for resource, hard in () if quota.scoped else quota.hard.items():
            held = found[quota.key.namespace].get(resource)
            if held is None or hard < held.amount:
                found[quota.key.namespace][resource] = _Hard(hard, quota.key)
    return found


def _homes(inventory: Inventory) -> Mapping[str, tuple[str, ...]]:
    """Quota -> the namespaces of its pods, existing and possible ones."""
    members = inventory.members
    by_quota: dict[str, set[str]] = defaultdict(set)
    for quota in inventory.quotas:
        for namespace in (*quota.namespaces, quota.key.namespace):
            by_quota[members.binding(namespace)].add(namespace)
    for pod in inventory.pods:
        by_quota[members.quota_of(pod)].add(pod.key.namespace)
    for unlimited in (NO_QUOTA, names.SYSTEM_QUOTA, names.ROOT_QUOTA):
        by_quota.pop(unlimited, None)
    return {
        quota: tuple(sorted(homes))
        for quota, homes in by_quota.items()
        if members.forest.quotas[quota].key.namespace
    }


def _pairs(
    quota: str, homes: tuple[str, ...], limits: _Limits, members: Membership
) -> Iterator[_Pair]:
    # The written min counts: a user who sees only some quotas cannot tell which are accepted.
    guaranteed = members.forest.quotas[quota].min
    for resource in amount.ordered(key for home in homes for key in limits.get(home, {})):
        ceiling = _ceiling(quota, resource, members)
        if ceiling is None and resource not in guaranteed and resource != names.PODS:
            continue  # the quota does not limit it
        yield _Pair(
            quota,
            resource,
            tuple(limits[home][resource] for home in homes if resource in limits.get(home, {})),
            tuple(home for home in homes if resource not in limits.get(home, {})),
            guaranteed.get(resource, 0),
            ceiling,
        )


def _ceiling(quota: str, resource: str, members: Membership) -> _Ceiling | None:
    forest = members.forest
    found = (
        _Ceiling(forest.quotas[step].max[resource], step)
        for step in forest.path(quota) or (quota,)
        if resource in forest.quotas[step].max
    )
    # min() takes the first of equal ones, which is the nearest.
    return min(
        (each for each in found if not figures.boundless(resource, each.amount)),
        key=lambda each: each.amount,
        default=None,
    )


def _judged(pair: _Pair) -> tuple[Level, str, str]:
    """Level, message and remedy."""
    if pair.others:
        listed = ", ".join(pair.others)
        text = f"; what {listed} may ask for is limited by the quota alone"
        return "info", text, f"nothing, if that is meant; {_ROOM}"
    if pair.total < pair.min:
        lost = _of(pair, pair.min - pair.total)
        text = f", less than its min {_bare(pair, pair.min)}: {lost} of the guarantee go unused"
        return (
            "error",
            text,
            _raise(pair, max(pair.min, pair.ceiling.amount if pair.ceiling else 0)),
        )
    return _beside_no_max(pair) if pair.ceiling is None else _beside_max(pair, pair.ceiling)


def _beside_no_max(pair: _Pair) -> tuple[Level, str, str]:
    if not pair.min:
        text = ", those at the gate included: more are refused when they are created"
        return "info", text, f"nothing, if so many are enough; {_ROOM}"
    text = ", and its quota has no max: beyond that pods are refused when they are created"
    return "warning", f"{text}, instead of waiting", "set max in the quota instead"


def _beside_max(pair: _Pair, ceiling: _Ceiling) -> tuple[Level, str, str]:
    top = f"max {_bare(pair, ceiling.amount)}"
    if ceiling.quota != pair.quota:
        top += f" of quota {ceiling.quota} above it"
    if pair.total > ceiling.amount:
        room = _of(pair, pair.total - ceiling.amount)
        text = f", more than {top}: {room} may wait while all of max is used, and more is refused"
        return "info", text, f"nothing, if so much may wait; {_ROOM}"
    never = f"less than {top}, which is never reached" if pair.total < ceiling.amount else ""
    refused = "pods that do not fit are refused when they are created, instead of waiting"
    return "warning", f", {never or f'as much as {top}'}: {refused}", _raise(pair, ceiling.amount)


def _raise(pair: _Pair, wanted: int) -> str:
    each = "it" if len(pair.hard) == 1 else "them"
    return (
        f"raise {each} well above {_bare(pair, wanted)}, or leave {pair.resource} to the quota: "
        "what waits counts in a ResourceQuota too"
    )


def _subject(pair: _Pair) -> str:
    namespaces = " and ".join(sorted({each.by.namespace for each in pair.hard}))
    by = ", ".join(str(each.by) for each in pair.hard)
    noun = "ResourceQuota" if len(pair.hard) == 1 else "ResourceQuotas"
    return f"{namespaces} may ask for {_of(pair, pair.total)} ({noun} {by})"


def _of(pair: _Pair, number: int) -> str:
    return f"{_bare(pair, number)} {pair.resource}"


def _bare(pair: _Pair, number: int) -> str:
    return amount.shown(pair.resource, number)


def _uncompared(
    quotas: Iterable[ResourceQuota], object_: str, homes: tuple[str, ...]
) -> Iterator[Finding]:
    for quota in sorted(quotas, key=lambda each: each.key):
        if quota.scoped and quota.key.namespace in homes:
            yield Finding(
                "info",
                object_,
                f"ResourceQuota {quota.key} has scopes and counts only some of the pods: it is "
                "not compared, and may refuse pods that would wait here",
                "kubectl describe resourcequota says what it counts",
                (quota.key.namespace,),
            )
