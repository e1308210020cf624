"""EQ1101: the parent is marked as parent and is not below the quota; at most 32 levels.

EQ1101-missing: the parent exists.

The walk to the root always ends: cycles that were stored without the webhook are found, shown as a
path and never followed twice.
"""

from collections.abc import Iterator
from typing import Final

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.model.quota import Quota
from elasticquota.validation import relatives, violation
from elasticquota.validation.change import Change
from elasticquota.validation.violation import Violation


DEEPEST: Final = 32


def check(change: Change, forest: Forest) -> Iterator[Violation]:
    """Judge the new parent; an unchanged one is not judged again."""
    quota = change.new
    if quota is None or not change.moves or quota.parent == names.ROOT_QUOTA:
        return
    if quota.parent != quota.name and quota.parent not in forest.quotas:
        remedy = "Create it first, or correct the name"
        yield Violation(
            "EQ1101-missing",
            violation.setting(quota, "parent"),
            f"there is no quota '{quota.parent}'",
            remedy,
        )
    elif fault := _fault(quota, forest):
        yield Violation("EQ1101", violation.setting(quota, "parent"), *fault)


def _fault(quota: Quota, forest: Forest) -> tuple[str, str] | None:
    """Message and remedy; the parent exists or is the quota itself."""
    if quota.parent == quota.name:
        return (
            f"'{quota.parent}' is the quota itself, but a parent must be another quota",
            "Name another parent, or leave it out for the root",
        )
    parent = forest.quotas[quota.parent]
    above = _path(quota, forest)
    if above[-1] == quota.name:
        return (
            f"the parents must not form a cycle, but {' -> '.join(above)}",
            "Name a parent that is not below this quota",
        )
    reserved = parent.name in names.RESERVED_QUOTAS
    if reserved or not parent.is_parent:
        marked = "" if reserved else f", or set spec.isParent of '{parent.name}' to true"
        return f"'{parent.name}' is not a parent quota", f"Name another parent{marked}"
    levels = len(above) + relatives.height(quota.name, forest)
    if levels > DEEPEST:
        return (
            f"the tree would be {levels} levels deep, and must not be deeper than {DEEPEST}",
            "Name a parent that is closer to the root",
        )
    return None


def _path(quota: Quota, forest: Forest) -> list[str]:
    """Names from the quota up to the root, to a missing quota, or to the first repeated name."""
    path = [quota.name]
    name = quota.parent
    while name != names.ROOT_QUOTA:
        path.append(name)
        above = forest.quotas.get(name)
        if above is None or name in path[:-1]:
            break
        name = above.parent
    return path
