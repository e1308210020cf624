"""EQ1112: a max below what is used leads to evictions, so it gets a warning.

EQ1112-strict: it is refused if the annotation max-strict-check-resource-keys names the resource
(K 1.3, 4.2). Such a resource must also stay in max while it is used. Usage comes from the status of
the stored quota: it is about a second old, and empty for a creation. The rule judges resources
whose max the change lowers or removes, or which it makes strict; a max may always be raised.
"""

from collections.abc import Iterable

from elasticquota import names, quantity
from elasticquota.forest.structure import Forest
from elasticquota.model.quota import Quota
from elasticquota.validation.change import Change
from elasticquota.validation.violation import Violation, annotation


_STRICT = annotation(names.STRICT_KEYS)


def check(change: Change, forest: Forest) -> tuple[Violation, ...]:
    """Return the resources of which more is used than the new max; ``forest`` is not used."""
    del forest
    if change.new is None:
        return ()
    short = _short(change)
    return (*_strict(change, change.new, short), *_others(change, change.new, short))


def _strict(change: Change, new: Quota, short: Iterable[str]) -> tuple[Violation, ...]:
    return tuple(
        Violation(
            "EQ1112-strict",
            f"spec.max.{resource}",
            f"{_must(new.max.get(resource), resource)}, which is "
            f"{quantity.text(resource, change.used[resource])} now",
            f"Wait until less is used, or take '{resource}' out of {_STRICT}",
            kind="conflict",
        )
        for resource in short
        if resource in new.strict_keys
    )


def _others(change: Change, new: Quota, short: Iterable[str]) -> tuple[Violation, ...]:
    limits = new.max
    return tuple(
        Violation(
            "EQ1112",
            f"spec.max.{resource}",
            f"{quantity.text(resource, limits[resource])} is below "
            f"{quantity.text(resource, change.used[resource])}, which is used now; "
            f"{quantity.text(resource, change.used[resource] - limits[resource])} may be "
            f"reclaimed from running pods",
        )
        for resource in short
        if resource in limits and resource not in new.strict_keys
    )


def _short(change: Change) -> list[str]:
    """The resources of which more is used than the changed max allows."""
    limits = change.quota.max
    return [
        resource
        for resource, amount in sorted(change.used.items())
        if amount > limits.get(resource, 0) and _tightens(change, resource)
    ]


def _tightens(change: Change, resource: str) -> bool:
    old, new = change.old, change.quota
    if old is None or (resource in new.strict_keys and resource not in old.strict_keys):
        return True
    before, now = old.max.get(resource), new.max.get(resource)
    if before is None or now is None:
        return before is not now
    return now < before


def _must(limit: int | None, resource: str) -> str:
    if limit is None:
        return "must be given as long as the resource is used"
    return f"{quantity.text(resource, limit)} must be greater than or equal to what is used"
