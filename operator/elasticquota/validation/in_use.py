"""EQ1112: a max below what is used leads to evictions, so it gets a warning.

EQ1112-strict: it is refused if the annotation max-strict-check-resource-keys names the resource
(K 1.3, 4.2). Such a resource must also stay in max while it is used. Usage comes from the status of
the stored quota: it is about a second old, and empty for a creation. The rule judges resources
whose max the change lowers or removes, or which it makes strict; a max may always be raised.
"""

from collections.abc import Iterator

from elasticquota import names, pool_keys, quantity
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation, annotation
from elasticquota.validation.change import Change


_STRICT = annotation(names.STRICT_KEYS)


def check(change: Change, forest: Forest) -> Iterator[Violation]:
    """Yield the resources of which more is used than the new max; ``forest`` is not used."""
    del forest
    if change.new is None:
        return
    short = [
        resource
        for resource, used in sorted(change.used.items())
        if used > change.new.max.get(resource, 0) and _tightens(change, resource)
    ]
    strict = change.new.strict_keys
    for resource in (each for each in short if each in strict):
        yield Violation(
            "EQ1112-strict",
            pool_keys.field("max", resource),
            f"{_must(change.new.max.get(resource), resource)}, which is "
            f"{quantity.text(resource, change.used[resource])} now",
            f"Wait until less is used, or take '{resource}' out of {_STRICT}",
            kind="conflict",
        )
    for resource in (each for each in short if each in change.new.max and each not in strict):
        limit, used = change.new.max[resource], change.used[resource]
        yield Violation(
            "EQ1112",
            pool_keys.field("max", resource),
            f"{quantity.text(resource, limit)} is below {quantity.text(resource, used)}, which is "
            f"used now; {quantity.text(resource, used - limit)} may be reclaimed from running pods",
        )


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
