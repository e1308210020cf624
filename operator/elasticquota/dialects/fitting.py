"""Limits are changed as little as our rules ask for, and each change is told.

* What no quantity of Kubernetes can hold is cut to the largest that it can.
* EQ1002: min is cut to max, and max names what min names.
* EQ1103: the max of a parent names what its children's max name. What a neighbour leaves out is
  unlimited, so it is named with the number that stands for no limit. Not the number of jobs, which
  any quota may limit for itself.
* EQ1104: the min of a parent is raised to the sum of its children's. What its own max does not
  let it promise is taken from the children, in proportion.

The first level of a tree may promise anything; there the sharing scales (semantics 4).
"""

from collections.abc import Collection, Mapping
from typing import Final

from elasticquota import names, quantity, resources
from elasticquota.dialects.translation import Draft, Path, Remark
from elasticquota.resources import Resources


_UNITS: Final = 4_611_686_018_427_387
_LARGEST: Final = 2**63 - 1


def unlimited(resource: str) -> int:
    """What stands for no limit, as in the max of root quotas (K 3.5)."""
    return _UNITS * 1000 if resource == names.CPU else _UNITS


def fit(
    drafts: Mapping[Path, Draft], remarks: list[Remark]
) -> dict[Path, tuple[Resources, Resources]]:
    """The min and max of every draft; parents are among the drafts, or there are none."""
    top_down = sorted(sorted(drafts), key=len)
    held = {path: _held(drafts[path], remarks) for path in top_down}
    own = {path: _within_max(held[path], remarks) for path in top_down}
    below: dict[Path, list[Path]] = {}
    for path in top_down:
        if path[:-1] in held:
            below.setdefault(path[:-1], []).append(path)
    mins = _promises(held, own, below)
    maxes = {path: draft.max for path, draft in held.items()}
    for path in reversed(top_down):
        named = [mins[path], *(_shared(maxes[child]) for child in below.get(path, ()))]
        maxes[path] = _complete(held[path], named, remarks)
    for path, draft in held.items():
        _tell_of_min(draft, own[path], mins[path], remarks)
    return {path: (mins[path], maxes[path]) for path in top_down}


def _held(draft: Draft, remarks: list[Remark]) -> Draft:
    if max((*draft.min.values(), *draft.max.values()), default=0) <= _LARGEST:
        return draft
    text = f"is more than a quantity holds; cut to {_LARGEST}"
    for side, amounts in (("min", draft.min), ("max", draft.max)):
        too_large = resources.exceeding(amounts, _largest(amounts))
        remarks.extend(draft.remark(f"{side}.{key}", text) for key in too_large)
    return draft._replace(
        min=resources.cut(draft.min, _largest(draft.min)),
        max=resources.cut(draft.max, _largest(draft.max)),
    )


def _largest(amounts: Resources) -> Resources:
    return {key: _LARGEST * 1000 if key == names.CPU else _LARGEST for key in amounts}


def _within_max(draft: Draft, remarks: list[Remark]) -> Resources:
    if resources.fits(draft.min, draft.max):
        return resources.positive(draft.min)
    for key in resources.exceeding(draft.min, draft.max):
        text = (
            f"{quantity.text(key, draft.min[key])} is above "
            f"{quantity.text(key, draft.max[key])}, the max; cut to it"
        )
        remarks.append(draft.remark(f"min.{key}", text))
    return resources.positive(resources.cut(draft.min, draft.max))


def _promises(
    drafts: Mapping[Path, Draft],
    own: Mapping[Path, Resources],
    below: dict[Path, list[Path]],
) -> dict[Path, Resources]:
    """What each promises, such that no parent promises less than its children together.

    ``below`` has the children of every parent, parents in the order of their levels.
    """
    asked = dict(own)
    for path in reversed(below):
        together = resources.add(*(asked[child] for child in below[path]))
        wanted = resources.maximum(own[path], together)
        limit = resources.minimum(drafts[path].max, _largest(wanted))
        asked[path] = resources.positive(resources.cut(wanted, limit))
    for path, children in below.items():
        for key, total in resources.add(*(asked[child] for child in children)).items():
            promised = asked[path].get(key, 0)
            if total > promised:
                for child in children:
                    share = asked[child].get(key, 0) * promised // total
                    asked[child] = resources.positive({**asked[child], key: share})
    return asked


def _tell_of_min(draft: Draft, own: Resources, fitted: Resources, remarks: list[Remark]) -> None:
    if own == fitted:
        return
    for key in sorted(own.keys() | fitted.keys()):
        before, after = own.get(key, 0), fitted.get(key, 0)
        figures = f"from {quantity.text(key, before)} to {quantity.text(key, after)}"
        if after > before:
            text = f"raised {figures}, the sum of the min of its children"
        elif after < before:
            text = f"lowered {figures}, because what is above it promises no more"
        else:
            continue
        remarks.append(draft.remark(f"min.{key}", text))


def _shared(amounts: Resources) -> Resources:
    return {key: amount for key, amount in amounts.items() if key != names.MAX_JOBS}


def _complete(draft: Draft, named: Collection[Resources], remarks: list[Remark]) -> Resources:
    """The max with all that is ``named``; without any max everything is unlimited anyway."""
    missing = sorted(set().union(*named) - draft.max.keys()) if draft.max else []
    if not missing:
        return draft.max
    text = (
        f"leaves {', '.join(missing)} unlimited; named here with the number that stands for "
        "no limit"
    )
    remarks.append(draft.remark("max", text))
    most = {key: max(amounts.get(key, 0) for amounts in named) for key in missing}
    return {**draft.max, **{key: max(unlimited(key), amount) for key, amount in most.items()}}
